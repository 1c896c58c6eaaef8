"""Masks of attention known at compile time: one that hides nothing goes, a triangle becomes a flag."""

from __future__ import annotations

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import tidy
from tilesmith.models.planning.plan import constants_of

attention = torch.ops.aten.scaled_dot_product_attention.default


def fold_masks(module: GraphModule) -> None:
    """Look at every attention whose mask is a constant."""
    constants = constants_of(module)
    for node in module.graph.nodes:
        if node.target is attention and len(node.args) > 3 and node.args[3] in constants:
            _fold(node, constants[node.args[3]])
    tidy(module)


def _fold(node: Node, mask: torch.Tensor) -> None:
    seen = mask if mask.dtype == torch.bool else mask == 0
    hides_whole = mask.dtype == torch.bool or bool((mask[~seen] < -1e4).all())
    args = [*node.args, *(None, 0.0, False)[len(node.args) - 3 :]]
    if bool(seen.all()):
        args[3] = None
    elif hides_whole and _is_triangle(seen):
        args[3], args[5] = None, True
    node.args = tuple(args)


def _is_triangle(seen: torch.Tensor) -> bool:
    rows, columns = seen.shape[-2:]
    triangle = torch.ones(rows, columns, dtype=torch.bool, device=seen.device).tril()
    return rows == columns and bool((seen == triangle).all())
