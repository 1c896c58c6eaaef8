"""tile.gemm of integers, exactly: sums of products that the matrix unit does not round, added up as int32.

The unit brings eight products to the largest exponent among them and keeps ten bits below it, so products of
8-bit integers lose low bits. Products of 4-bit and 8-bit integers do not: a is split into 16 high + low, and
the two sums of products are put together as integers.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.compiler.analysis.tile_geometry import tile_grid, tiles_of
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects import tt_compute as ttc
from tilesmith.compiler.dialects.elements import bits_of
from tilesmith.compiler.dialects.tile import location_of
from tilesmith.compiler.lowering.tiles.stage import Dst, Stage, buffer_of, name_of, temporary
from tilesmith.compiler.lowering.transfers.build import Index
from tilesmith.errors import UnsupportedKernelError

_OPERAND_BITS = 8
_PRODUCT_BITS = 12
_HIGH = 16
_INNER_TILES = 64
"""So many tiles along the inner dimension that sums stay below 2^23, even 2048 times 15 * 255."""
_SUM, _LOW, _OLD = 0, 1, 2


def is_integer_product(op: tile.GemmOp) -> bool:
    """Whether integers are added up."""
    return bits_of(buffer_of(op.c).element_type) > 0


def check_operands(op: tile.GemmOp) -> None:
    """Refuse integers that the matrix unit cannot take, and sums of floats in integers."""
    element_types = [buffer_of(cb).element_type for cb in (op.a, op.b)]
    if any(bits_of(element_type) > _OPERAND_BITS for element_type in element_types) or (
        is_integer_product(op) and not all(bits_of(element_type) for element_type in element_types)
    ):
        names = " and ".join(str(element_type) for element_type in element_types)
        raise UnsupportedKernelError(
            f"a product of {names} into {buffer_of(op.c).element_type} has no exact form on the matrix unit",
            where=location_of(op),
            remedy="multiply integers of at most 8 bits into int32, or floats into float32",
        )


def lower_integer_gemm(op: tile.GemmOp, a: SSAValue, dst: Dst, title: str) -> None:
    """c += a @ b, tile by tile, with c as Int32."""
    bits = sum(bits_of(buffer_of(cb).element_type) for cb in (a, op.b))
    parts = [a] if bits <= _PRODUCT_BITS else _split(op, a, dst)
    inner = tile_grid(buffer_of(a))[2]
    for first in range(0, inner, _INNER_TILES):
        stage = Stage(dst)
        _Products(op, parts, first, min(inner, first + _INNER_TILES)).emit(stage)
        stage.place_before(op, title, [*parts, op.b, op.c], [op.c], rotates=True)
    for part in parts:
        if part is not a:
            Rewriter.insert_op(tt.ReleaseOp(part), InsertPoint.before(op))


def _split(op: tile.GemmOp, a: SSAValue, dst: Dst) -> list[SSAValue]:
    """Circular buffers with a / 16, cut to an integer, and what is left of a: at most 15 from -255 to 255."""
    buffer_type = buffer_of(a)
    high, low = (temporary(op, f"{name_of(a)}_{part}", buffer_type) for part in ("high", "low"))
    stage = Stage(dst)
    with stage.loop(tiles_of(buffer_type), "tile") as number:
        scope = stage.dst_section(3)
        with stage.inside(scope.math.block):
            stage.move(a, number, 0)
            stage.vector("copy_slot", [0, 1])
            stage.vector("multiply_number", [1], [stage.number(1 / _HIGH)])
            stage.vector("trunc", [1])
            stage.vector("copy_slot", [1, 2])
            stage.vector("multiply_number", [2], [stage.number(float(_HIGH))])
            stage.vector("sub", [0, 2, 0])
        with stage.inside(scope.pack.block):
            stage.pack(1, high)
            stage.pack(0, low)
    title = f"{name_of(a)} = {_HIGH} {name_of(high)} + {name_of(low)}"
    stage.place_before(op, title, [a], [high, low])
    return [high, low]


@dataclass(frozen=True)
class _Products:
    """The products over some tiles of the inner dimension, added to all of c."""

    op: tile.GemmOp
    parts: list[SSAValue]
    first: int
    last: int

    def emit(self, stage: Stage) -> None:
        c = self.op.c
        batches, rows, columns = tile_grid(buffer_of(c))
        with (
            stage.loop(batches, "batch") as batch,
            stage.loop(rows, "row") as row,
            stage.loop(columns, "column") as column,
        ):
            scope = stage.dst_section(3)
            with stage.inside(scope.math.block):
                for slot, part in enumerate(self.parts):
                    self._multiply(stage, part, batch, row, column, slot)
                self._combine(stage)
                stage.op(tt.PopFrontOp(c, 1))
            with stage.inside(scope.pack.block):
                stage.op(tt.ReserveBackOp(c, 1))
                stage.pack(_SUM, c)
                stage.op(tt.PushBackOp(c, 1))

    def _multiply(
        self, stage: Stage, a: SSAValue, batch: Index, row: Index, column: Index, slot: int
    ) -> None:
        a_batches, rows, inner = tile_grid(buffer_of(a))
        b, transpose = self.op.b, bool(self.op.transpose_b)
        b_batches = tile_grid(buffer_of(b))[0]
        columns = tile_grid(buffer_of(self.op.c))[2]
        a_first = stage.mul(batch, rows * inner if a_batches > 1 else 0)
        b_first = stage.mul(batch, inner * columns if b_batches > 1 else 0)
        with stage.loop(self.last, "k", start=self.first) as k:
            a_tile = stage.add(stage.add(a_first, stage.mul(row, inner)), k)
            place = (
                stage.add(stage.mul(column, inner), k)
                if transpose
                else stage.add(stage.mul(k, columns), column)
            )
            b_tile = stage.value(stage.add(b_first, place))
            stage.op(
                ttc.MatmulBlockOp(
                    *(a, stage.value(a_tile), b, b_tile, stage.value(slot)),
                    rows=1,
                    columns=1,
                    stride=inner,
                    transpose=transpose,
                )
            )

    def _combine(self, stage: Stage) -> None:
        """The sums as integers, put together and added to what is there."""
        if len(self.parts) > 1:
            stage.vector("multiply_number", [_SUM], [stage.number(float(_HIGH))])
            stage.vector("float_to_int", [_LOW])
        stage.vector("float_to_int", [_SUM])
        if len(self.parts) > 1:
            stage.vector("add_int", [_SUM, _LOW, _SUM])
        stage.move(self.op.c, 0, _OLD)
        stage.vector("add_int", [_SUM, _OLD, _SUM])
