"""Casts to a narrower float that something decides by: kernels would carry the unrounded value on."""

from __future__ import annotations

import torch
from torch.fx import Graph, Node

from tilesmith.models.planning.dtypes import is_real
from tilesmith.models.planning.exactness import COMPARISONS, ROUNDS_TO_INTEGER
from tilesmith.models.planning.op_tables import MOVES, VIEWS
from tilesmith.models.planning.pointwise import is_pointwise

aten = torch.ops.aten

DECIDES = "rounded by a cast"
"""In the meta of a node: a cast has rounded its value, and an integer, a comparison or an output shows it."""


def mark_narrow_casts(graph: Graph) -> None:
    """Mark narrowing casts, and what is made from them elementwise, up to where the rounding shows.

    >>> graph = Graph()
    >>> x = graph.placeholder("x")
    >>> y = graph.call_function(aten._to_copy.default, (x,), {"dtype": torch.bfloat16})
    >>> z = graph.call_function(aten.floor.default, (y,))
    >>> for node, dtype in ((x, torch.float32), (y, torch.bfloat16), (z, torch.bfloat16)):
    ...     node.meta["val"] = torch.zeros(2, dtype=dtype)
    >>> mark_narrow_casts(graph)
    >>> [bool(node.meta.get(DECIDES)) for node in (x, y, z)]
    [False, True, False]
    """
    rounded: set[Node] = set()
    for node in graph.nodes:
        passes = _carries(node) and any(source in rounded for source in node.all_input_nodes)
        if _narrows(node) or (passes and is_real(node)):
            rounded.add(node)
    for node in rounded & (_asked(graph) | _shown(graph)):
        node.meta[DECIDES] = True


def _asked(graph: Graph) -> set[Node]:
    """What integers are made from, and what is compared, through elementwise work."""
    asked: set[Node] = set()
    for node in reversed(list(graph.nodes)):
        if _decides(node) or (node in asked and _carries(node)):
            asked.update(node.all_input_nodes)
    return asked


def _shown(graph: Graph) -> set[Node]:
    """What an output of a wider type is a cast of."""
    shown: set[Node] = set()
    for node in reversed(list(graph.nodes)):
        is_cast = node.target is aten._to_copy.default
        is_output = is_cast and any(user.op == "output" for user in node.users)
        moves = is_cast or node.target in VIEWS or node.target in MOVES
        if moves and (is_output or node in shown):
            shown.update(node.all_input_nodes)
    return shown


def _carries(node: Node) -> bool:
    return is_pointwise(node) or node.target in VIEWS or node.target in MOVES


def _decides(node: Node) -> bool:
    if node.target in COMPARISONS:  # rounding moves nothing over zero
        return not (isinstance(node.args[1], int | float) and node.args[1] == 0)
    if node.target is aten._to_copy.default:
        dtype = node.meta["val"].dtype
        return not (dtype.is_floating_point or dtype.is_complex or dtype == torch.bool)
    return node.target in ROUNDS_TO_INTEGER


def _narrows(node: Node) -> bool:
    """Whether a node is a cast that drops bits of a real number."""
    source = node.args[0] if node.args else None
    if node.target is not aten._to_copy.default or not isinstance(source, Node):
        return False
    if not (is_real(node) and is_real(source)):
        return False
    before, after = (torch.finfo(one.meta["val"].dtype) for one in (source, node))
    return after.eps > before.eps or after.max < before.max
