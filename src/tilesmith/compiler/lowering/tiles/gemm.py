"""tile.gemm: sub-blocks of the result pass through DST; packing adds them to the result in L1."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.compiler.analysis.tile_geometry import tile_grid, tiles_of
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects import tt_compute as ttc
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.lowering.tiles.finish import Finish, finish_of
from tilesmith.compiler.lowering.tiles.first_product import OVERWRITES
from tilesmith.compiler.lowering.tiles.integer_gemm import (
    check_operands,
    is_integer_product,
    lower_integer_gemm,
)
from tilesmith.compiler.lowering.tiles.rounding import is_rounded, round_slot
from tilesmith.compiler.lowering.tiles.stage import Dst, Stage, buffer_of, name_of, temporary
from tilesmith.compiler.lowering.transfers.build import Index
from tilesmith.schedules.sub_blocks import runs_of, sub_block

Pairs = list[tuple[SSAValue, SSAValue]]
"""The operands of products that are added up together."""


def lower_gemm(op: tile.GemmOp, dst: Dst) -> None:
    if op.parent is None:  # it was added to the one before
        return
    check_operands(op)
    a = _transposed(op, dst) if op.transpose_a else op.a
    product = f"{_side(op.a, bool(op.transpose_a))} @ {_side(op.b, bool(op.transpose_b))}"
    finish = None
    if is_integer_product(op):
        lower_integer_gemm(op, a, dst, f"{name_of(op.c)} += {product}")
    else:
        finish = _lower_float_gemm(op, a, dst, product)
    if a is not op.a:
        Rewriter.insert_op(tt.ReleaseOp(a), InsertPoint.before(finish.op if finish else op))
    sums = op.c
    Rewriter.erase_op(op)
    if finish is not None:
        finish.end(sums)


def _lower_float_gemm(op: tile.GemmOp, a: SSAValue, dst: Dst, product: str) -> Finish | None:
    """Put the stage of a product in its place; what it finishes in DST, if anything."""
    overwrites = op.attributes.get(OVERWRITES)
    stage = Stage(dst)
    more = [] if op.transpose_a or is_rounded(buffer_of(op.c)) else _products_after(op)
    pairs = [(a, op.b), *((one.a, one.b) for one in more)]
    read = [cb for pair in pairs for cb in pair]
    product = " + ".join(
        (product, *(f"{name_of(one.a)} @ {_side(one.b, bool(one.transpose_b))}" for one in more))
    )
    finish = None
    if overwrites == StringAttr("always") and not is_rounded(buffer_of(op.c)):
        finish = finish_of(more[-1] if more else op, [op, *more], dst)
    for merged in more:
        Rewriter.erase_op(merged)
    if finish is not None:
        _products(stage, pairs, op.c, bool(op.transpose_b), finish)
        title = f"{name_of(op.c)} = {product}; {finish.title}"
        stage.place_before(finish.op, title, [*read, *finish.ins], [finish.op.out])
        return finish
    if overwrites == StringAttr("always"):
        _products(stage, pairs, op.c, bool(op.transpose_b))
        sign, ins = "=", read
    else:
        _accumulate(stage, op, pairs, first_overwrites=overwrites is not None)
        sign, ins = "+=", [*read, op.c]
    stage.place_before(op, f"{name_of(op.c)} {sign} {product}", ins, [op.c], rotates=op.c in ins)
    if is_rounded(buffer_of(op.c)):
        _round_sums(op, dst)
    return None


def _products_after(op: tile.GemmOp) -> list[tile.GemmOp]:
    """The products right after one that are added to the same sum: DST adds them up before it is packed."""
    found: list[tile.GemmOp] = []
    shapes = [buffer_of(op.a).dims, buffer_of(op.b).dims]
    at = op.next_op
    while isinstance(at, tile.GemmOp | tt.ReleaseOp):
        if isinstance(at, tile.GemmOp):
            alike = [buffer_of(at.a).dims, buffer_of(at.b).dims] == shapes and at.c is op.c
            if not alike or at.transpose_a or at.transpose_b != op.transpose_b or OVERWRITES in at.attributes:
                break
            found.append(at)
        at = at.next_op
    return found


def _round_sums(op: tile.GemmOp, dst: Dst) -> None:
    """The sums of a buffer of float16 or float8, each rounded in place."""
    stage = Stage(dst)
    with stage.loop(tiles_of(buffer_of(op.c)), "tile"):
        scope = stage.dst_section(2)
        with stage.inside(scope.math.block):
            stage.move(op.c, 0, 0)
            round_slot(stage, 0, 1, buffer_of(op.c))
            stage.op(tt.PopFrontOp(op.c, 1))
        with stage.inside(scope.pack.block):
            stage.op(tt.ReserveBackOp(op.c, 1))
            stage.pack(0, op.c)
            stage.op(tt.PushBackOp(op.c, 1))
    stage.place_before(op, f"{name_of(op.c)} rounded to its type", [op.c], [op.c], rotates=True)


def _accumulate(stage: Stage, op: tile.GemmOp, pairs: Pairs, first_overwrites: bool) -> None:
    """The result stays where it is: what is popped here is reserved again, at the same place."""
    pages = tiles_of(buffer_of(op.c))
    stage.op(tt.PopFrontOp(op.c, pages))
    stage.op(tt.ReserveBackOp(op.c, pages))
    if first_overwrites:
        loop = op.parent_op()
        assert isinstance(loop, scf.ForOp)
        later = stage.op(arith.CmpiOp(loop.body.block.args[0], loop.lb, "ne")).results[0]
        stage.op(ttc.AccumulateOp(later))
    else:
        stage.op(ttc.AccumulateOp(stage.flag(True)))
    _products(stage, pairs, op.c, bool(op.transpose_b))
    stage.op(ttc.AccumulateOp(stage.flag(False)))
    stage.op(tt.PushBackOp(op.c, pages))


def _side(cb: SSAValue, transposed: bool) -> str:
    return f"{name_of(cb)}^T" if transposed else name_of(cb)


def _products(
    stage: Stage, pairs: Pairs, c: SSAValue, transpose_b: bool, finish: Finish | None = None
) -> None:
    batches, rows, columns = tile_grid(buffer_of(c))
    height, width = sub_block(rows, columns, stage.dst.capacity, transpose_b)
    with stage.loop(batches, "batch") as batch:
        first = 0
        for high, count in runs_of(rows, height):
            last = first + high * count
            with (
                stage.loop(last, "row", first, high) as row,
                stage.loop(columns, "column", step=width) as column,
            ):
                _sub_block(stage, pairs, c, transpose_b, (batch, row, column), (high, width), finish)
            first = last


def _sub_block(
    stage: Stage,
    pairs: Pairs,
    c: SSAValue,
    transpose_b: bool,
    place: tuple[Index, Index, Index],
    size: tuple[int, int],
    finish: Finish | None = None,
) -> None:
    """One section of DST: all products of some rows and columns of tiles, and what finishes them."""
    _, rows, columns = tile_grid(buffer_of(c))
    a_batches, _, inner = tile_grid(buffer_of(pairs[0][0]))
    b_batches = tile_grid(buffer_of(pairs[0][1]))[0]
    (batch, row, column), (height, width) = place, size
    a_grid = stage.mul(batch, rows * inner if a_batches > 1 else 0)
    b_grid = stage.mul(batch, inner * columns if b_batches > 1 else 0)
    a_first = stage.add(a_grid, stage.mul(row, inner))
    scope = stage.dst_section(height * width)
    for a, b in pairs:
        with stage.inside(scope.math.block), stage.loop(inner, "k") as k:
            a_tile = stage.add(a_first, k)
            if not transpose_b:
                b_tile = stage.add(b_grid, stage.add(stage.mul(k, columns), column))
                _multiply(stage, a, a_tile, b, b_tile, 0, height, width, inner, False)
                continue
            # The columns of the block lie `inner` tiles apart in b, so each is a product of its own.
            for offset in range(width):
                b_row = stage.mul(stage.add(column, offset), inner)
                b_tile = stage.add(b_grid, stage.add(b_row, k))
                _multiply(stage, a, a_tile, b, b_tile, offset * height, height, 1, inner, True)
    slots = {
        (i, j): j * height + i if transpose_b else i * width + j for i in range(height) for j in range(width)
    }
    if finish is not None:
        with stage.inside(scope.math.block):
            finish.emit(stage, (row, column), size, slots)
    with stage.inside(scope.pack.block):
        c_grid = stage.mul(batch, rows * columns)
        for (i, j), slot in slots.items():
            c_row = stage.mul(stage.add(row, i), columns)
            at = stage.add(c_grid, stage.add(c_row, stage.add(column, j)))
            stage.pack(slot, c if finish is None else finish.op.out, at)


def _multiply(
    stage: Stage,
    a: SSAValue,
    a_tile: int | SSAValue,
    b: SSAValue,
    b_tile: int | SSAValue,
    slot: int,
    rows: int,
    columns: int,
    stride: int,
    transpose: bool,
) -> None:
    stage.op(
        ttc.MatmulBlockOp(
            a,
            stage.value(a_tile),
            b,
            stage.value(b_tile),
            stage.value(slot),
            rows=rows,
            columns=columns,
            stride=stride,
            transpose=transpose,
        )
    )


def _transposed(op: tile.GemmOp, dst: Dst) -> SSAValue:
    """a the other way round: the matrix unit turns tiles of b only."""
    buffer_type = buffer_of(op.a)
    turned = BufferType.of(
        (*buffer_type.dims[:-2], buffer_type.dims[-1], buffer_type.dims[-2]),
        buffer_type.element_type,
        buffer_type.scope.data,
        buffer_type.layout.data,
        buffer_type.format.data,
    )
    target = temporary(op, f"{name_of(op.a)}_transposed", turned)
    stage = Stage(dst)
    batches, rows, columns = tile_grid(turned)
    with (
        stage.loop(batches, "batch") as batch,
        stage.loop(rows, "row") as row,
        stage.loop(columns, "column") as column,
    ):
        source = stage.add(stage.mul(batch, rows * columns), stage.add(stage.mul(column, rows), row))
        scope = stage.dst_section(1)
        with stage.inside(scope.math.block):
            stage.move(op.a, source, 0, "transpose")
        with stage.inside(scope.pack.block):
            stage.pack(0, target)
    stage.place_before(op, f"{name_of(target)} = {name_of(op.a)}^T", [op.a], [target])
    return target
