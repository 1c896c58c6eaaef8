"""Which real values keep the precision of their tensors, where the model's are stored as bfloat16.

A model is stored as bfloat16 because matrix products round to it anyway. What no product takes part in gains
nothing by that: it keeps the precision its tensors have. Beside products, the values that decide something
keep it: those that are compared, or made into integers, and those a loss or the angle of a sine is made from.
"""

from __future__ import annotations

import torch
from torch.fx import Graph, Node

from tilesmith.models.planning.dtypes import is_real
from tilesmith.models.planning.op_tables import (
    ATTENTION,
    CONVOLUTIONS,
    INTEGER_PRODUCTS,
    MOVES,
    NORMS,
    PRODUCTS,
    REDUCTIONS,
    VIEWS,
)
from tilesmith.models.planning.pointwise import is_pointwise

aten = torch.ops.aten

ROUNDS_TO_INTEGER = {aten.floor.default, aten.ceil.default, aten.round.default, aten.trunc.default}
_PERIODIC = {aten.sin.default, aten.cos.default, aten.tan.default}
COMPARISONS = {
    getattr(getattr(aten, name), form)
    for name in ("eq", "ne", "lt", "le", "gt", "ge")
    for form in ("Tensor", "Scalar")
}


def precision_of(graph: Graph, chosen: str) -> str:
    """The type that values of a graph are stored in, where a model is compiled for `chosen`.

    >>> graph = Graph()
    >>> x = graph.placeholder("x")
    >>> x.meta["val"] = torch.zeros(2)
    >>> precision_of(graph, "bfloat16")
    'float32'
    """
    products = {*PRODUCTS, *INTEGER_PRODUCTS, *CONVOLUTIONS, *ATTENTION}
    if any(node.target in products for node in graph.nodes):
        return chosen
    reals = {node.meta["val"].dtype for node in graph.nodes if is_real(node)}
    return chosen if reals <= {torch.bfloat16} else "float32"


def exact_values(graph: Graph) -> set[Node]:
    """Values that decide something, and what they are made from by elementwise work, moves and sums.

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
        asked = _decides(node) or node in found
        if asked and is_real(node):
            found.add(node)
        if asked and _passes_on(node):
            found |= {source for source in node.all_input_nodes if is_real(source)}
    return found | _scales(graph)


def _scales(graph: Graph) -> set[Node]:
    """What sums of quantised products are multiplied with."""
    sums: set[Node] = set()
    found: set[Node] = set()
    for node in graph.nodes:
        if node.target in INTEGER_PRODUCTS:
            sums.add(node)
        elif node.target is aten.mul.Tensor and node.args[0] in sums:
            sums.add(node)
            found |= {one for one in node.args[1:] if isinstance(one, Node) and is_real(one)}
    return found


def _decides(node: Node) -> bool:
    target = node.target
    if target in ROUNDS_TO_INTEGER or target in _PERIODIC or _is_loss(node):
        return True
    if target in COMPARISONS:  # rounding moves nothing over zero
        return not (isinstance(node.args[1], int | float) and node.args[1] == 0)
    return target is aten._to_copy.default and _is_exact(node.meta.get("val"))


def _is_exact(value: object) -> bool:
    """Whether a tensor has integers, or float64, which float32 stands for."""
    if not isinstance(value, torch.Tensor) or value.is_complex() or value.dtype == torch.bool:
        return False
    return value.dtype == torch.float64 or not value.dtype.is_floating_point


def _is_loss(node: Node) -> bool:
    """Whether a node gives one value, as losses and what scales them are."""
    computed = node.target in REDUCTIONS or is_pointwise(node)
    return computed and is_real(node) and node.meta["val"].numel() == 1


def _passes_on(node: Node) -> bool:
    """Whether a result is as exact as what it is made from: products round."""
    moved = node.target in VIEWS or node.target in MOVES or node.target is aten.embedding.default
    return is_pointwise(node) or moved or node.target in REDUCTIONS or node.target in NORMS
