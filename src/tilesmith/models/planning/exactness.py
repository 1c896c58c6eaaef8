"""Which real values keep the precision of their tensors, where the model's are stored as bfloat16.

A model is stored as bfloat16 because matrix products round to it anyway. What no product takes part in gains
nothing by that: it keeps the precision its tensors have. Beside products, the values that decide something
keep it: those that are compared, ordered or made into integers, those a loss or the angle of a sine is made
from, and what is taken from every element of a larger tensor, as norms take a mean: of values far from zero
little but its rounding would be left. The same holds of a mean that became part of a convolution's bias.
"""

from __future__ import annotations

import torch
from torch.fx import Graph, Node

from tilesmith.models.planning.dtypes import is_real
from tilesmith.models.planning.op_tables import (
    ATTENTION,
    CONVOLUTIONS,
    GROUPED_PRODUCT,
    INTEGER_PRODUCTS,
    MOVES,
    NORMS,
    PRODUCTS,
    REDUCTIONS,
    VIEWS,
)
from tilesmith.models.planning.pointwise import is_pointwise

aten = torch.ops.aten

EXACT = "exact"
"""What marks constants whose rounding would show in what is made with them, as passes find that make them."""
ROUNDS_TO_INTEGER = {aten.floor.default, aten.ceil.default, aten.round.default, aten.trunc.default}
_WRAPS = {
    *(aten.remainder.Tensor, aten.remainder.Scalar, aten.fmod.Tensor, aten.fmod.Scalar, aten.frac.default),
    *(aten.div.Tensor_mode, aten.div.Scalar_mode, aten.floor_divide.default, aten.floor_divide.Scalar),
}
_ORDERS = {
    *(aten.median.default, aten.median.dim, aten.nanmedian.default, aten.nanmedian.dim),
    *(aten.kthvalue.default, aten.mode.default, aten.cummax.default, aten.cummin.default),
    *(aten.argmax.default, aten.argmin.default, aten.max.dim, aten.min.dim, aten.topk.default),
    *(aten.sort.default, aten.sort.stable, aten._unique2.default, aten.unique_consecutive.default),
    *(aten.unique_dim.default, aten.histc.default, aten.bucketize.Tensor, aten.searchsorted.Tensor),
}
"""What asks which of several values comes first, or whether two are the same."""
_PLACES = {aten.grid_sampler_2d.default, aten.grid_sampler_3d.default}
"""What takes places between pixels as its second argument."""
_ASKS_FOR_ZERO = {
    *(aten.sign.default, aten.sgn.default, aten.signbit.default, aten.nonzero.default),
    *(aten.logical_not.default, aten.logical_and.default, aten.logical_or.default, aten.logical_xor.default),
    *(aten.any.default, aten.any.dim, aten.any.dims, aten.all.default, aten.all.dim, aten.all.dims),
}
_SUMS = {
    *(aten.add.Tensor, aten.sub.Tensor, aten.rsub.Scalar, aten.add.Scalar, aten.sub.Scalar),
    *(aten.sum.dim_IntList, aten.sum.default, aten.mean.dim, aten.mean.default),
    *(aten.addcmul.default, aten.lerp.Scalar, aten.lerp.Tensor),
}
_PERIODIC = {aten.sin.default, aten.cos.default, aten.tan.default}
COMPARISONS = {
    getattr(getattr(aten, name), form)
    for name in ("eq", "ne", "lt", "le", "gt", "ge")
    for form in ("Tensor", "Scalar")
}


_KEEP = {aten.embedding.default, aten.cumsum.default}


def precision_of(graph: Graph, chosen: str) -> str:
    """The type that values of a graph are stored in, where a model is compiled for `chosen`.

    >>> graph = Graph()
    >>> x = graph.placeholder("x")
    >>> x.meta["val"] = torch.zeros(2)
    >>> precision_of(graph, "bfloat16")
    'float32'
    """
    products = {*PRODUCTS, GROUPED_PRODUCT, *INTEGER_PRODUCTS, *CONVOLUTIONS, *ATTENTION}
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
        decides = _decides(node)
        if (decides or node in found) and is_real(node):
            found.add(node)
        if node.target in _PLACES:
            found |= {source for source in node.args[1:2] if isinstance(source, Node)}
        elif decides or (node in found and _passes_on(node)):
            found |= {source for source in node.all_input_nodes if is_real(source)}
    marked = {node for node in graph.find_nodes(op="get_attr") if node.meta.get(EXACT)}
    return found | _scales(graph) | _centres(graph) | marked


def is_decisive(node: Node) -> bool:
    """Whether elementwise work, moves and sums make something from a value that decides.

    >>> graph = Graph()
    >>> x = graph.placeholder("x")
    >>> y = graph.call_function(aten.neg.default, (x,))
    >>> is_decisive(x)
    False
    >>> less = graph.call_function(aten.lt.Scalar, (y, 3.0))
    >>> is_decisive(x)
    True
    """
    seen, left = {node}, [node]
    while left:
        for user in left.pop().users:
            if _decides(user):
                return True
            if user not in seen and _passes_on(user):
                seen.add(user)
                left.append(user)
    return False


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


def _centres(graph: Graph) -> set[Node]:
    """What is subtracted from larger tensors, or they from it, up to the sums it is made of.

    >>> graph = Graph()
    >>> x = graph.placeholder("x")
    >>> mean = graph.call_function(aten.mean.dim, (x, [-1], True))
    >>> away = graph.call_function(aten.sub.Tensor, (x, mean))
    >>> for node in (x, mean, away): node.meta["val"] = torch.zeros(4, 1 if node is mean else 32)
    >>> _centres(graph) == {mean}
    True
    """
    found: set[Node] = set()
    for node in graph.nodes:
        if node.target is aten.sub.Tensor and is_real(node):
            left = [one for one in node.all_input_nodes if _is_smaller(one, node)]
            while left:
                source = left.pop()
                found.add(source)
                if is_pointwise(source) or source.target in VIEWS:
                    made_of = source.all_input_nodes
                    left += [one for one in made_of if _is_smaller(one, node) and one not in found]
    return found


def _is_smaller(node: Node, other: Node) -> bool:
    return is_real(node) and bool(node.meta["val"].numel() < other.meta["val"].numel())


def _decides(node: Node) -> bool:
    target = node.target
    if target in ROUNDS_TO_INTEGER or target in _PERIODIC or _is_loss(node):
        return True
    if target in _ORDERS or target in _WRAPS:
        return True
    if target in _ASKS_FOR_ZERO or _compares_with_zero(node) or _is_cast_to_truth(node):
        # Rounding moves nothing over zero but what is left of two numbers that were rounded.
        return any(_may_cancel(source) for source in node.all_input_nodes)
    return target in COMPARISONS or (target is aten._to_copy.default and _is_exact(node.meta.get("val")))


def _compares_with_zero(node: Node) -> bool:
    return node.target in COMPARISONS and isinstance(node.args[1], int | float) and node.args[1] == 0


def _is_cast_to_truth(node: Node) -> bool:
    value = node.meta.get("val")
    is_truth = isinstance(value, torch.Tensor) and value.dtype == torch.bool
    return is_truth and node.target is aten._to_copy.default


def _may_cancel(node: Node) -> bool:
    """Whether elementwise work makes a value from a sum or a difference.

    >>> graph = Graph()
    >>> x, y = graph.placeholder("x"), graph.placeholder("y")
    >>> difference = graph.call_function(aten.sub.Tensor, (x, y))
    >>> _may_cancel(graph.call_function(aten.relu.default, (difference,))), _may_cancel(x)
    (True, False)
    """
    seen, left = {node}, [node]
    while left:
        value = left.pop()
        if value.target in _SUMS or value.target in NORMS:
            return True
        if is_pointwise(value) or value.target in VIEWS or value.target in MOVES:
            left += [source for source in value.all_input_nodes if source not in seen]
            seen.update(left)
    return False


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
    moved = node.target in VIEWS or node.target in MOVES or node.target in _KEEP
    return is_pointwise(node) or moved or node.target in REDUCTIONS or node.target in NORMS
