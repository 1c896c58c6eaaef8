"""Products of quantised values -> launches whose operands are int8 and whose sums are int32.

The matrix unit takes integers of up to nine bits as bfloat16, which holds them exactly. Weights between -127
and 127 lie in memory as bfloat8_b, a byte each: seven bits below a common exponent hold them exactly too.
"""

from __future__ import annotations

from collections.abc import Iterable

from torch.fx import Graph, Node

from tilesmith.kernels.expression import Input
from tilesmith.kernels.linear import Linear
from tilesmith.models.custom_ops.integer_products import MOST_DEPTH
from tilesmith.models.planning.epilogue import finish
from tilesmith.models.planning.fusion import Group, describe, shape_of
from tilesmith.models.planning.iteration_space import block_rows
from tilesmith.models.planning.lowering import Lowering, NoKernel, size_numbers
from tilesmith.models.planning.op_tables import INTEGER_PRODUCTS, VIEWS
from tilesmith.models.planning.views import TILE, View, padded

QUANTISED = "int8"
"""The dtype of templates over quantised values."""
HELD = "bfloat16"
"""How quantised activations lie in memory."""


def lower_integer_linear(lowering: Lowering, group: Group) -> View:
    node = group.anchors[0]
    x, weight = node.args
    assert isinstance(x, Node)
    assert isinstance(weight, Node)
    shape, inner = shape_of(node), shape_of(x)[-1]
    check_quantised(lowering, inner)
    if len(shape) < 2:
        raise NoKernel("a quantised product with a vector")
    operands = {"x": lowering.placed(x, (*shape[:-1], inner), "block", rows_too=False, dtype=HELD)}
    held = weight_type(lowering, weight)
    operands["w0"] = lowering.placed(
        weight, (*shape[:-2], shape[-1], inner), "block", rows_too=False, dtype=held
    )
    done = finish(lowering, group, {node: Input("acc0")})
    operands |= done.operands
    room = lowering.space(shape, operands)
    block = (block_rows(room, 64, (1, *shape)[-2]), _whole(room.cols), _whole(inner))
    template = Linear(done.epilogue, block=block, dtype=QUANTISED, weight_dtype=QUANTISED)
    numbers = {**size_numbers(room), "k": padded(inner), **room.numbers}
    storages = {name: one.view.storage for name, one in operands.items()}
    lowering.launch(template, storages, numbers, describe(group), done.out)
    return done.out


def _whole(size: int) -> int:
    return 2 * TILE if padded(size) % (2 * TILE) == 0 else TILE


def check_quantised(lowering: Lowering, depth: int) -> None:
    if not lowering.formats:
        raise NoKernel("products of quantised values have kernels for Tenstorrent chips only")
    if depth >= MOST_DEPTH:
        raise NoKernel(f"sums of {depth} products of int8 may leave int32")


def weight_type(lowering: Lowering, weight: Node) -> str:
    """The dtype that holds a weight of int8 exactly in the fewest bytes."""
    value = lowering.constants.get(weight)
    return "bfloat8_b" if value is not None and int(value.min()) > -128 else HELD


def narrowest(lowering: Lowering, weight: Node) -> str:
    """The dtype of a weight of integers of seven bits, as weight-only int8 has them; "" for others."""
    value = lowering.constants.get(weight)
    if value is None or lowering.dtype != "bfloat16" or not lowering.formats or value.dim() != 2:
        return ""
    few = value[:4, :64]
    whole = bool((few == few.round()).all()) and bool((value == value.round()).all())
    return "bfloat8_b" if whole and float(value.abs().max()) < 128 else ""


def computed(dtype: str) -> str:
    """What a kernel computes with, of tensors that lie in a dtype."""
    return "bfloat16" if dtype in ("bfloat8_b", "bfloat4_b") else dtype


def quantised_values(graph: Graph) -> set[Node]:
    """What products of quantised values read, and the views on the way: integers that bfloat16 holds.

    >>> import torch
    >>> graph = Graph()
    >>> rows = graph.call_function(torch.ops.aten.round.default, (graph.placeholder("x"),))
    >>> seen = graph.call_function(torch.ops.aten.view.default, (rows, [2, 4]))
    >>> _ = graph.call_function(INTEGER_PRODUCTS[0], (seen, graph.placeholder("w")))
    >>> quantised_values(graph) == {rows, seen}
    True
    """
    return {
        value for node in graph.nodes if node.target in INTEGER_PRODUCTS for value in _origins(node.args[0])
    }


def _origins(value: object) -> Iterable[Node]:
    while isinstance(value, Node):
        yield value
        value = value.args[0] if value.target in VIEWS else None
