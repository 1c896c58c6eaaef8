"""What the report of a model says where NaN and infinity cannot come out as torch has them.

Sums of chosen elements are products with ones and zeros on the device, and zero times infinity is NaN. Order
is found by comparing, and a NaN compares with nothing.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.planning.fusion import operator_name
from tilesmith.models.report import LIMITS

aten = torch.ops.aten

_SUMS = "sums by a product with ones and zeros: a NaN or infinity reaches what is summed beside it"
_ORDER = "orders by comparing: rows with a NaN are in another order than torch's"
_LINES = "is a product with a matrix: a NaN or infinity reaches its whole row or column"

_OF: dict[Any, str] = {
    aten.cumsum.default: _SUMS,
    aten.index_add.default: _SUMS,
    aten.index_put.default: _SUMS,
    aten._unsafe_index_put.default: _SUMS,
    aten.topk.default: _ORDER,
    aten.sort.default: _ORDER,
    aten.upsample_bilinear2d.vec: _LINES,
    aten.upsample_bicubic2d.vec: _LINES,
    aten._upsample_bilinear2d_aa.vec: _LINES,
    aten._upsample_bicubic2d_aa.vec: _LINES,
    aten.upsample_linear1d.vec: _LINES,
    aten.adaptive_avg_pool2d.default: _LINES,
    aten._adaptive_avg_pool2d.default: _LINES,
    aten.grid_sampler_2d.default: _LINES,
}


def note_limit(module: GraphModule, node: Node) -> None:
    """Keep what the report will say of an operator that is decomposed."""
    if node.target not in _OF:
        return
    accumulates = len(node.args) > 3 and bool(node.args[3])
    if node.target in (aten.index_put.default, aten._unsafe_index_put.default) and not accumulates:
        return
    noted: dict[str, None] = module.meta.setdefault(LIMITS, {})
    noted[f"{operator_name(node)} {_OF[node.target]}"] = None
