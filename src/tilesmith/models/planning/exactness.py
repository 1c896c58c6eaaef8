"""Which real numbers are kept with all their bits: those that whole numbers and places are made from."""

from __future__ import annotations

import torch
from torch.fx import Graph, Node

from tilesmith.models.planning.dtypes import is_real
from tilesmith.models.planning.op_tables import MOVES, REDUCTIONS, VIEWS
from tilesmith.models.planning.pointwise import is_pointwise

aten = torch.ops.aten

_TO_WHOLE = {aten.floor.default, aten.ceil.default, aten.round.default, aten.trunc.default}


def exact_values(graph: Graph) -> set[Node]:
    """Values from which a step to whole numbers, or to float64, is made by elementwise work, moves and sums.

    >>> graph = Graph()
    >>> x = graph.placeholder("x")
    >>> y = graph.call_function(aten.mul.Tensor, (x, 3.0))
    >>> z = graph.call_function(aten.floor.default, (y,))
    >>> for node in (x, y, z): node.meta["val"] = torch.zeros(2)
    >>> exact_values(graph) == {x, y, z}
    True
    """
    found: set[Node] = set()
    for node in reversed(list(graph.nodes)):
        asked = _makes_places(node) or node in found
        if asked and is_real(node):
            found.add(node)
        if asked and _passes_on(node):
            found |= {source for source in node.all_input_nodes if is_real(source)}
    return found


def _makes_places(node: Node) -> bool:
    if node.target in _TO_WHOLE:
        return True
    value = node.meta.get("val")
    wide = isinstance(value, torch.Tensor) and (
        value.dtype == torch.float64 or not (value.dtype.is_floating_point or value.dtype == torch.bool)
    )
    return wide and node.target is aten._to_copy.default


def _passes_on(node: Node) -> bool:
    """Whether the bits of a result are those of what it is made from: products round."""
    return is_pointwise(node) or node.target in VIEWS or node.target in MOVES or node.target in REDUCTIONS
