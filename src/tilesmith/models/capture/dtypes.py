"""Products whose operands have different dtypes: torch raises for them, and fake tensors do not."""

from __future__ import annotations

import torch
from torch.fx import GraphModule, Node

from tilesmith.errors import BadCallError
from tilesmith.models.planning.op_tables import ATTENTION, CONVOLUTIONS, PRODUCTS

aten = torch.ops.aten
_CHECKED = {*PRODUCTS, *CONVOLUTIONS, *ATTENTION, aten.baddbmm.default, aten.conv1d.default}


def check_dtypes(module: GraphModule) -> None:
    """Refuse a product of tensors of different dtypes."""
    for node in module.graph.nodes:
        if node.target not in _CHECKED:
            continue
        operands = [arg for arg in node.args[:3] if isinstance(arg, Node)]
        dtypes = list(dict.fromkeys(one.meta["val"].dtype for one in operands))
        if len(dtypes) > 1 and not (node.target in ATTENTION and torch.bool in dtypes):
            names = " and ".join(str(dtype).removeprefix("torch.") for dtype in dtypes)
            raise BadCallError(
                f"{str(node.target).removeprefix('aten.')} is given tensors of {names}",
                where=_line(node),
                remedy="convert the input or the model, so that both have one dtype, as torch asks for",
            )


def _line(node: Node) -> str:
    trace = str(node.meta.get("stack_trace") or "").strip().splitlines()
    places = [line.strip() for line in trace if line.strip().startswith("File ")]
    return places[-1] if places else ""
