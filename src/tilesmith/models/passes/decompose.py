"""Decompositions: operators that no kernel does by itself, as others that kernels do."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.fx import GraphModule, Node

from tilesmith.models.decompositions.table import find
from tilesmith.models.passes.edit import insert, replace, tidy
from tilesmith.models.passes.inline import DECOMPOSED, expand
from tilesmith.models.planning.limits import note_limit

aten = torch.ops.aten

WHOLE = "operators that stay whole"
"""In the meta of a graph: says of a node whether the backend has a better way for it than a decomposition."""


def decompose(module: GraphModule) -> None:
    """Padding, repetition, unusual forms of norms, sums and softmaxes, gather and scatter, other sizes."""
    while _decompose_once(module):
        pass
    tidy(module)


def _decompose_once(module: GraphModule) -> bool:
    """Whether anything was: a decomposition may need another. What depends on no input is folded instead."""
    changed = False
    stays_whole = module.meta.get(WHOLE, lambda _: False)
    live: set[Node] = set()
    for node in list(module.graph.nodes):
        if node.op == "placeholder" or any(source in live for source in node.all_input_nodes):
            live.add(node)
        if node.target is aten.max_pool2d_with_indices.default:
            _forget_indices(module, node)
            continue
        wanted = node in live and _is_real(node) and not _widens(node) and not stays_whole(node)
        found = find(node) if wanted else None
        if found is not None:
            note_limit(module, node)
            expand(module, node, found.function)
            changed = True
    return changed


def _forget_indices(module: GraphModule, node: Node) -> None:
    """A max pool where nobody asks which pixel it was; make_fx would put the indices back."""
    if any(user.args[1] != 0 for user in node.users):
        return
    pooled = insert(module, node, aten.max_pool2d.default, node.args)
    for user in list(node.users):
        replace(module, user, pooled)
    module.graph.erase_node(node)


def _widens(node: Node) -> bool:
    """Whether an operator was asked for float64 (`dtype=`), which only the host has."""
    value = node.meta.get("val")
    is_wide = isinstance(value, Tensor) and value.dtype == torch.float64
    return is_wide and not node.meta.get(DECOMPOSED)


def _is_real(node: Node) -> bool:
    """Whether a node computes with real numbers: whole numbers of the host stay there."""
    source = node.args[0] if node.args else None
    value = source.meta.get("val") if isinstance(source, Node) else None
    if not isinstance(value, Tensor) or value.dtype == torch.float64:
        return False
    return value.dtype.is_floating_point and value.numel() > 0
