"""Which nodes of a graph run on the device. Views of host values, and integers made of them, do not."""

from __future__ import annotations

import operator
from collections.abc import Collection, Mapping
from math import inf, isnan

import torch
from torch._ops import HigherOrderOperator
from torch.fx import Graph, Node

from tilesmith.models.passes.inline import DECOMPOSED
from tilesmith.models.planning.dtypes import is_complex, is_real
from tilesmith.models.planning.exactness import COMPARISONS
from tilesmith.models.planning.integers import EXACT, Range, is_integer, ranges_of
from tilesmith.models.planning.narrow_casts import DECIDES, mark_narrow_casts
from tilesmith.models.planning.op_tables import ANCHORS, MOVES, REDUCTIONS, VIEWS
from tilesmith.models.planning.pointwise import is_pointwise

aten = torch.ops.aten

_PERIODIC = {aten.sin.default, aten.cos.default, aten.tan.default}
_SIGN_OF_ZERO = {aten.copysign.Tensor, aten.signbit.default, aten.atan2.default}
ZERO_HAS_SIGN = "zero has a sign"
IN_BOUNDS = "in bounds"
"""In the meta of an embedding: its numbers can name no row that is not there."""
_REMAINDERS = {
    *(aten.remainder.Scalar, aten.remainder.Tensor, aten.fmod.Scalar, aten.fmod.Tensor),
    *(aten.div.Tensor_mode, aten.div.Scalar_mode, aten.floor_divide.default),
}


def on_device(
    graph: Graph, constants: Mapping[Node, torch.Tensor], residents: Collection[Node] = ()
) -> set[Node]:
    """The nodes that kernels, or views of what kernels made or of what stays on the device, compute."""
    chosen: set[Node] = set(residents)
    ranges = ranges_of(graph, constants)
    _mark_signs_of_zero(graph)
    _mark_bounds(graph, ranges)
    mark_narrow_casts(graph)
    for node in graph.nodes:
        if node.op != "call_function" or node in constants:
            continue
        if divides_by_zero(node, constants) or reads_nan(node, constants):
            continue
        if _is_for_device(node, chosen, ranges):
            chosen.add(node)
    return chosen


def _mark_bounds(graph: Graph, ranges: Mapping[Node, Range]) -> None:
    for node in graph.find_nodes(op="call_function", target=aten.embedding.default):
        table, ids = node.args[:2]
        known = ranges.get(ids)
        node.meta[IN_BOUNDS] = known is not None and known[0] >= 0 and known[1] < table.meta["val"].shape[0]


def _mark_signs_of_zero(graph: Graph) -> None:
    """Mark elementwise nodes of whose zeros someone asks the sign: the vector unit has one zero."""
    asked: set[Node] = set()
    for node in reversed(list(graph.nodes)):
        if node.target in _SIGN_OF_ZERO:
            asked.update(one for one in node.args if isinstance(one, Node))
        elif node in asked and (is_pointwise(node) or node.target in VIEWS or node.target in MOVES):
            node.meta[ZERO_HAS_SIGN] = is_pointwise(node)
            asked.update(node.all_input_nodes)


def _is_for_device(node: Node, chosen: set[Node], ranges: Mapping[Node, Range]) -> bool:
    fed = any(source in chosen for source in node.all_input_nodes)
    if node.target in VIEWS or node.target is operator.getitem:
        source = node.args[0]
        return isinstance(source, Node) and source in chosen
    value = node.meta.get("val")
    if not isinstance(value, torch.Tensor) or _reads_nothing(node):
        return False
    if _needs_host(node, fed) or not _is_exact(node, ranges):
        return False
    if node.target is aten.clone.default and (not fed or all(user.op == "output" for user in node.users)):
        return False
    if is_pointwise(node):
        return fed or value.dtype.is_floating_point or any(map(is_real, node.all_input_nodes))
    return node.target in ANCHORS


def _needs_host(node: Node, fed: bool) -> bool:
    if any(_is_wide(one) or is_complex(one) for one in (node, *node.all_input_nodes)):
        return True
    if node.target in _REMAINDERS or node.meta.get(ZERO_HAS_SIGN) or node.meta.get(DECIDES):
        return True
    return not fed and (_sees_nan(node) or node.target in _PERIODIC)


def divides_by_zero(node: Node, constants: Mapping[Node, torch.Tensor]) -> bool:
    """Whether a divisor is the number 0: one element's variance, a loss that ignores every target."""
    if node.target not in (aten.div.Tensor, aten.div.Scalar):
        return False
    divisor = node.args[1]
    if isinstance(divisor, Node):
        known = constants.get(divisor)
        return known is not None and known.numel() == 1 and float(known) == 0
    return isinstance(divisor, int | float) and divisor == 0


def reads_nan(node: Node, constants: Mapping[Node, torch.Tensor]) -> bool:
    """Whether a number that a node is told is NaN, which kernels would make infinity of.

    >>> node = Graph().call_function(aten.clamp.default, (1.0, float("nan")))
    >>> reads_nan(node, {})
    True
    """
    known = [constants[one] for one in node.all_input_nodes if one in constants]
    numbers = [float(one) for one in known if one.numel() == 1 and one.is_floating_point()]
    return any(isinstance(one, float) and isnan(one) for one in (*node.args, *node.kwargs.values(), *numbers))


def _reads_nothing(node: Node) -> bool:
    """Whether a tensor is empty, other than one that is joined with others."""
    return _is_empty(node) or (
        node.target is not aten.cat.default and any(map(_is_empty, node.all_input_nodes))
    )


def _is_empty(node: Node) -> bool:
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and value.numel() == 0


def _is_wide(node: Node) -> bool:
    """Whether a node gives float64. A number that comes with a call does too, but widens no tensor."""
    value = node.meta.get("val")
    if not isinstance(value, torch.Tensor) or value.dtype != torch.float64 or node.meta.get(DECOMPOSED):
        return False
    return node.op != "get_attr" and (value.dim() > 0 or any(map(_is_narrow, node.all_input_nodes)))


def _is_narrow(node: Node) -> bool:
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and value.dtype.is_floating_point and value.dtype != torch.float64


def _is_exact(node: Node, ranges: Mapping[Node, Range]) -> bool:
    """Whether float32 holds the integers that a node reads and makes. Those it turns into reals may round."""
    source = node.args[0] if node.args else None
    cast = node.target is aten._to_copy.default and isinstance(source, Node) and is_real(source)
    if is_integer(node):
        kernel = is_pointwise(node) or node.target in MOVES or node.target in REDUCTIONS
        return cast or (kernel and node in ranges)
    if node.target in COMPARISONS or node.target is torch.ops.tilesmith.equality.default:
        return _compares_exactly(node, ranges)
    return is_real(node) or all(one in ranges for one in node.all_input_nodes if is_integer(one))


def _compares_exactly(node: Node, ranges: Mapping[Node, Range]) -> bool:
    """If one side has a known range, what the other loses is beyond it; reals are compared as reals."""
    sides = node.all_input_nodes
    known = any(one in ranges or is_real(one) for one in sides)
    return known or any(isinstance(arg, int | float) and abs(arg) < EXACT for arg in node.args)


def _sees_nan(node: Node) -> bool:
    """Whether a comparison tells NaN from infinity. Kernels that sum with 32 bits copy one as the other."""
    if node.target in (aten.eq.Tensor, aten.ne.Tensor):
        return node.args[0] is node.args[1]
    to_infinity = node.target in (aten.eq.Scalar, aten.ne.Scalar) and node.args[1] in (inf, -inf)
    return to_infinity or node.target is aten.isnan.default


def is_collective(node: Node) -> bool:
    """Whether a node talks to other processes, or waits for them."""
    return getattr(node.target, "namespace", "") in ("_c10d_functional", "c10d_functional", "c10d")


def why_on_host(node: Node, constants: Mapping[Node, torch.Tensor]) -> str:
    """Why a node that computes something is left to the host."""
    every = (node, *node.all_input_nodes)
    if isinstance(node.target, HigherOrderOperator):
        return "control flow, and what it chooses between, is torch's"
    if is_collective(node):
        return "between processes data travels through torch's process group"
    if any(map(is_complex, every)):
        return "complex numbers"
    if node.target is aten.clone.default:
        return "a copy of what is on the host"
    if any(map(_is_wide, every)):
        return "the chip has no float64"
    if not any(map(is_real, every)):
        return "whole numbers and truth values made from the model's inputs"
    if any(map(_is_empty, every)):
        return "an empty tensor"
    if node.target in _REMAINDERS:
        return "the chip's division would round before the remainder is taken"
    if divides_by_zero(node, constants):
        return "a division by zero"
    if reads_nan(node, constants):
        return "it is told NaN, and kernels make infinity of it"
    if node.meta.get(DECIDES):
        return "a cast has rounded it, and what follows decides by that"
    if node.meta.get(ZERO_HAS_SIGN):
        return "what follows asks for the sign of zero, and the vector unit has none"
    if node.target in _PERIODIC:
        return "the angles come with the call, and may be beyond what the chip reduces exactly"
    if _sees_nan(node):
        return "inputs lose NaN on their way through the matrix unit"
    if any(map(is_integer, every)):
        return "float32 might not hold these integers"
    return "no kernel does this operator"
