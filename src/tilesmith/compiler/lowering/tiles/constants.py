"""Tiles a kernel makes once and keeps: counting tiles, from which indices are built, and ones, for sums."""

from __future__ import annotations

from xdsl.dialects.builtin import bf16, f32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.compiler.analysis.tile_geometry import FACE, TILE
from tilesmith.compiler.dialects import tt
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.lowering.tiles.stage import Dst, Stage, kernel_block, temporary
from tilesmith.errors import InternalFault

_NAMES = {
    "row": "row_numbers",
    "col": "column_numbers",
    "flat": "element_numbers",
    "ones": "ones",
    "zeros": "zeros",
}


def counting(op: Operation, along: str, dst: Dst) -> SSAValue:
    """A circular buffer with the tile that counts rows, columns or elements, made where the kernel starts."""
    block = kernel_block(op)
    for inner in block.ops:
        if isinstance(inner, tt.CBOp) and inner.cb_name.data == _NAMES[along]:
            return inner.cb
    rows = counting(op, "row", dst) if along != "row" else None
    columns = counting(op, "col", dst) if along == "flat" else None
    buffer_type = BufferType.of((TILE, TILE), f32, "local", "tiled", "Float32")
    cb = temporary(op, _NAMES[along], buffer_type)
    stage = Stage(dst)
    scope = stage.dst_section(3 if along == "flat" else 1)
    with stage.inside(scope.math.block):
        if rows is None:
            _count_rows(stage)
        elif columns is None:
            stage.move(rows, 0, 0, "transpose")
        else:
            _count_elements(stage, rows, columns)
    with stage.inside(scope.pack.block):
        stage.pack(0, cb)
    title = f"{_NAMES[along]}: 0, 1, 2 .."
    stage.place_before(_top(block), title, [one for one in (rows, columns) if one is not None], [cb])
    Rewriter.insert_op(tt.ReleaseOp(cb), InsertPoint.at_end(block))
    return cb


def ones(op: Operation, dst: Dst) -> SSAValue:
    """A circular buffer with a tile of ones, made at the start: products with it are sums of rows."""
    return _same_all_over(op, dst, "ones", 1)


def zeros(op: Operation, dst: Dst) -> SSAValue:
    """The same of zeros: the matrix unit adds two tiles to a slot, and often there is only one to add."""
    return _same_all_over(op, dst, "zeros", 0)


def _same_all_over(op: Operation, dst: Dst, name: str, value: int) -> SSAValue:
    block = kernel_block(op)
    for declared in block.ops:
        if isinstance(declared, tt.CBOp) and declared.cb_name.data == _NAMES[name]:
            return declared.cb
    cb = temporary(op, _NAMES[name], BufferType.of((TILE, TILE), bf16, "local", "tiled", "Float16_b"))
    stage = Stage(dst)
    scope = stage.dst_section(1)
    with stage.inside(scope.math.block):
        stage.vector("fill", [0], [stage.number(float(value))])
    with stage.inside(scope.pack.block):
        stage.pack(0, cb)
    stage.place_before(_top(block), f"{name}: {value} all over", [], [cb])
    Rewriter.insert_op(tt.ReleaseOp(cb), InsertPoint.at_end(block))
    return cb


def _count_rows(stage: Stage) -> None:
    stage.vector("fill", [0], [stage.number(1.0)])
    stage.vector("running_sum", [0])
    stage.vector("add_number", [0], [stage.number(-1.0)])


def _count_elements(stage: Stage, rows: SSAValue, columns: SSAValue) -> None:
    """Four faces, each row by row: 16 row + column, and what lower and right faces start with beyond that."""
    stage.move(rows, 0, 0)
    stage.move(rows, 0, 1)
    stage.vector("ge_number", [1], [stage.number(float(FACE))])
    stage.vector("multiply_number", [1], [stage.number(float(FACE * FACE))])
    stage.vector("multiply_number", [0], [stage.number(float(FACE))])
    stage.vector("add", [0, 1, 0])
    stage.move(columns, 0, 1)
    stage.move(columns, 0, 2)
    stage.vector("ge_number", [2], [stage.number(float(FACE))])
    stage.vector("multiply_number", [2], [stage.number(float(FACE * FACE - FACE))])
    stage.vector("add", [0, 1, 0])
    stage.vector("add", [0, 2, 0])


def _top(block: Block) -> Operation:
    """The first operation that does something: constants are made before it, one after the other."""
    op: Operation
    for op in block.ops:
        if not isinstance(op, tt.CBOp | tt.ArgOp | tt.AccessorOp) and not _is_constant_stage(op):
            return op
    raise InternalFault("a kernel that does nothing needs no constants")


def _is_constant_stage(op: Operation) -> bool:
    return isinstance(op, tt.StageOp) and op.title.data.startswith(tuple(_NAMES.values()))
