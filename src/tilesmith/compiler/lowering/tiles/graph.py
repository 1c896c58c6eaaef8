"""The graph of a map: its inputs as they are loaded, its indices as counting tiles, its body as calls."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import SSAValue

from tilesmith.compiler.analysis.tile_geometry import TILE, TILE_ELEMENTS
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects import tt_compute as ttc
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.lowering.tiles.access import Access, out_axes
from tilesmith.compiler.lowering.tiles.approximate import approximated
from tilesmith.compiler.lowering.tiles.expression import (
    AddTile,
    Apply,
    Count,
    Eltwise,
    Load,
    Node,
    Origin,
    Spread,
    with_args,
)
from tilesmith.compiler.lowering.tiles.rounding import is_exact, is_rounded, rounded
from tilesmith.compiler.lowering.tiles.stage import Dst, buffer_of
from tilesmith.compiler.lowering.tiles.translate import Translator, quotient, remainder

_MATRIX_UNIT = ("add", "sub", "mul")
_EXACT_ON_MATRIX_UNIT = ("Float16_b", "Bfp8_b", "Bfp4_b")
_ROUNDED_ON_MATRIX_UNIT = (*_EXACT_ON_MATRIX_UNIT, "Float32")


def graph_of(
    op: tile.MapOp,
    accesses: Sequence[Access],
    dst: Dst,
    value: SSAValue | None = None,
    sums: SSAValue | None = None,
) -> Node:
    """The tile of the output as a graph, or of another value of the body; `sums` are products in DST."""
    block, out = op.body.block, buffer_of(op.out)
    arguments: dict[SSAValue, Node] = {}
    for number, arg in enumerate(block.args[: len(op.ins)]):
        arguments[arg] = _load(number, accesses[number])
    for dim, arg in enumerate(block.args[len(op.ins) :]):
        node = _index(dim, out)
        if node is not None:
            arguments[arg] = node
    last = block.last_op
    assert isinstance(last, tile.YieldOp)
    root = Translator(block, arguments).node(last.value if value is None else value)
    if dst.fast:
        root = approximated(root)
    if out.format.data == "Int32":
        return Apply("float_to_int", (root,))
    if out.format.data == "Float16_b" and isinstance(root, Apply) and root.fn == "to_bfloat16":
        (root,) = root.args  # packing rounds
    if is_rounded(out) and not is_exact(root, list(accesses), out.element_type):
        return rounded(root, out)
    if dst.wide:
        root = _added_on_matrix_unit(root, accesses, {}, sums)
    if dst.rounds:
        return _leaves_on_matrix_unit(root, accesses, dst, {})
    return _on_matrix_unit(root, accesses, out)


def _load(number: int, how: Access) -> Node:
    if how.spreads == ("column",):  # as a row, which the vector unit spreads without touching other elements
        return Apply("transpose", (Spread(_as_float(Load(number, not how.turned), how)),))
    node = _as_float(Load(number, how.turned), how)
    if "row" in how.spreads:
        node = Spread(node)
    if "column" in how.spreads:
        node = Spread(Apply("transpose", (node,)))
    return node


def _as_float(node: Node, how: Access) -> Node:
    return Apply("int_to_float", (node,)) if buffer_of(how.cb).format.data == "Int32" else node


def _index(dim: int, out: BufferType) -> Node | None:
    """The index along a dimension, where it differs over a tile."""
    if out.layout.data == "flat":
        element = _from(dim, Count("flat"), out.elements > TILE_ELEMENTS)
        place = quotient(element, float(prod(out.dims[dim + 1 :])))
        return place if dim == 0 else remainder(place, float(out.dims[dim]))
    axes = out_axes(out)
    along = {axes.row: "row", axes.col: "col"}.get(dim)
    return None if along is None else _from(dim, Count(along), out.dims[dim] > TILE)


def _from(dim: int, count: Count, many: bool) -> Node:
    """A counting tile, counting from where the current tile begins if there are many."""
    return Apply("add_number", (count,), (Origin(dim),)) if many else count


def _on_matrix_unit(root: Node, accesses: Sequence[Access], out: BufferType) -> Node:
    """A sum, difference or product of two 16-bit tiles at the root of the graph needs no vector unit."""
    if not isinstance(root, Apply) or root.fn not in _MATRIX_UNIT:
        return root
    left, right = root.args
    if not isinstance(left, Load) or not isinstance(right, Load) or left.turned or right.turned:
        return root
    buffer_types = [buffer_of(accesses[load.number].cb) for load in (left, right)]
    if root.fn != "mul":
        # Sums come out with eleven bits, which is enough for 16-bit results only.
        buffer_types.append(out)
    if any(buffer_type.format.data not in _EXACT_ON_MATRIX_UNIT for buffer_type in buffer_types):
        return root
    return Eltwise(root.fn, left, right)


def _added_on_matrix_unit(
    node: Node, accesses: Sequence[Access], done: dict[Node, Node], sums: SSAValue | None
) -> Node:
    """The graph with 16-bit tiles that are added to a sum of products added by the matrix unit too.

    The sum keeps all the bits of DST.
    """
    if node not in done:
        args = tuple(_added_on_matrix_unit(arg, accesses, done, sums) for arg in node.args)
        done[node] = with_args(node, args)
        if isinstance(node, Apply) and node.fn == "add":
            for held, tile_node in (args, args[::-1]):
                if _is_exact_tile(tile_node, accesses) and _is_sum_of_products(held, accesses, sums):
                    assert isinstance(tile_node, Load)
                    done[node] = AddTile(held, tile_node)
                    break
    return done[node]


def _is_sum_of_products(node: Node, accesses: Sequence[Access], sums: SSAValue | None) -> bool:
    """Whether a tile is a sum the matrix unit made, or one it has added to."""
    if isinstance(node, AddTile):
        return True
    if not isinstance(node, Load) or buffer_of(accesses[node.number].cb).format.data != "Float32":
        return False
    cb = accesses[node.number].cb
    if cb is sums:
        return True
    stages = (use.operation for use in cb.uses if isinstance(use.operation, tt.StageOp))
    return any(
        cb in stage.outs and any(isinstance(inner, ttc.MatmulBlockOp) for inner in stage.walk())
        for stage in stages
    )


def _is_exact_tile(node: Node, accesses: Sequence[Access]) -> bool:
    """Whether a tile comes as it lies in L1, with no more bits than the matrix unit reads."""
    if not isinstance(node, Load) or node.turned:
        return False
    return buffer_of(accesses[node.number].cb).format.data in _EXACT_ON_MATRIX_UNIT


def _leaves_on_matrix_unit(node: Node, accesses: Sequence[Access], dst: Dst, done: dict[Node, Node]) -> Node:
    """The graph with sums, differences and products of two tiles from L1 on the matrix unit.

    It takes eleven bits of each: more than bfloat16 has, and less than float32.
    """
    if node in done:
        return done[node]
    if isinstance(node, Apply) and node.fn in _MATRIX_UNIT and (node.fn != "mul" or dst.multiplies):
        left, right = node.args
        if _is_plain(left, accesses) and _is_plain(right, accesses):
            assert isinstance(left, Load)
            assert isinstance(right, Load)
            done[node] = Eltwise(node.fn, left, right)
            return done[node]
    args = tuple(_leaves_on_matrix_unit(arg, accesses, dst, done) for arg in node.args)
    done[node] = with_args(node, args)
    if dst.wide and isinstance(node, Apply) and node.fn == "add":
        for held, added in (args, args[::-1]):
            if isinstance(held, Eltwise | AddTile) and _is_exact_tile(added, accesses):
                assert isinstance(added, Load)
                done[node] = AddTile(held, added)
                break
    return done[node]


def _is_plain(node: Node, accesses: Sequence[Access]) -> bool:
    """Whether a tile comes as it lies in L1, in a format the matrix unit reads."""
    if not isinstance(node, Load) or node.turned:
        return False
    return buffer_of(accesses[node.number].cb).format.data in _ROUNDED_ON_MATRIX_UNIT
