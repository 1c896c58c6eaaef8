"""Buffers of three dimensions and more lose those of size 1: tiles are made of the last two that are left.

A buffer of shape (64, 1, 128) would otherwise be 64 rows of tiles with one row of elements each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import ArrayAttr, IndexType, IntegerAttr, i64
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from tilesmith.compiler.analysis.layout_constraints import dims_of
from tilesmith.compiler.dialects.tile import (
    AllocOp,
    CopyOp,
    FuncOp,
    GemmOp,
    LoadOp,
    MapOp,
    ReadOp,
    ReduceOp,
    StoreOp,
    WriteOp,
    ints,
    numbers,
)
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.dialects.walk import operations_of, walk
from tilesmith.compiler.pass_group import FunctionPass

T = TypeVar("T")
Drops = dict[SSAValue, set[int]]


@dataclass(frozen=True)
class FoldUnitDims(FunctionPass):
    """Drop dimensions of size 1 from buffers of three dimensions and more."""

    name = "fold-unit-dims"

    def rewrite(self, func: FuncOp) -> None:
        drop_unit_dims(func)


def drop_unit_dims(func: FuncOp) -> None:
    """Rewrite every such buffer, and every operation that names one of its dimensions."""
    buffers = [op.buffer for op in operations_of(func, AllocOp)]
    drops: Drops = {buffer: _droppable(buffer) for buffer in buffers}
    if not any(drops.values()):
        return
    reductions = operations_of(func, ReduceOp)
    while any(_agree(op, drops) for op in reductions):
        pass
    for op in list(walk(func)):
        _rewrite(op, drops)
    for buffer, dropped in drops.items():
        if dropped:
            buffer_type = buffer.type
            assert isinstance(buffer_type, BufferType)
            dims = _kept(buffer_type.dims, dropped)
            Rewriter.replace_value_with_new_type(
                buffer, BufferType.of(dims, buffer_type.element_type, buffer_type.scope.data)
            )


def _droppable(buffer: SSAValue) -> set[int]:
    """Dimensions of size 1, the first ones first, as long as two are left. A product needs its last two."""
    dims = dims_of(buffer)
    in_product = any(isinstance(use.operation, GemmOp) for use in buffer.uses)
    units = [dim for dim, size in enumerate(dims) if size == 1 and (dim < len(dims) - 2 or not in_product)]
    reduced = {
        op.dim.value.data
        for op in (use.operation for use in buffer.uses)
        if isinstance(op, ReduceOp) and op.source is buffer
    }
    return set([dim for dim in units if dim not in reduced][: max(len(dims) - 2, 0)])


def _agree(op: ReduceOp, drops: Drops) -> bool:
    """Source and destination of a reduction lose the same dimensions; whether that changed anything."""
    dim = op.dim.value.data
    same_rank = len(dims_of(op.dest)) == len(dims_of(op.source))
    before = len(drops[op.source]) + len(drops[op.dest])
    for at in range(len(dims_of(op.source))):
        at_dest = at if same_rank or at < dim else at - 1
        if at != dim and (at in drops[op.source] or at_dest in drops[op.dest]):
            drops[op.source].add(at)
            drops[op.dest].add(at_dest)
    return len(drops[op.source]) + len(drops[op.dest]) != before


def _rewrite(op: Operation, drops: Drops) -> None:
    if isinstance(op, LoadOp | StoreOp):
        op.dims = ints(_renumbered(numbers(op.dims), drops[op.buffer]))
    elif isinstance(op, CopyOp):
        _rewrite_copy(op, drops[op.source], drops[op.dest])
    elif isinstance(op, MapOp):
        _rewrite_map(op, drops)
    elif isinstance(op, ReduceOp):
        dim = op.dim.value.data
        op.dim = IntegerAttr(dim - sum(at < dim for at in drops[op.source]), i64)
    elif isinstance(op, ReadOp | WriteOp):
        place = op.source if isinstance(op, ReadOp) else op.dest
        if drops.get(place):
            _rewrite_element(op, _kept(op.indices, drops[place]))


def _rewrite_copy(op: CopyOp, from_source: set[int], from_dest: set[int]) -> None:
    source_offsets, dest_offsets = _kept(op.source_offsets, from_source), _kept(op.dest_offsets, from_dest)
    follows = _kept(_renumbered(numbers(op.dims), from_dest), from_source)
    new = CopyOp(
        op.source, op.dest, source_offsets, dest_offsets, _kept(numbers(op.sizes), from_source), follows
    )
    _put_in_place(op, new)


def _rewrite_map(op: MapOp, drops: Drops) -> None:
    gone = drops[op.out]
    entries = [
        _kept(_renumbered(numbers(entry), gone), drops[buffer])
        for buffer, entry in zip(op.ins, op.dims, strict=True)
    ]
    op.dims = ArrayAttr([ints(entry) for entry in entries])
    body = op.body.block
    for dim in sorted(gone, reverse=True):
        index = body.args[len(op.ins) + dim]
        if index.first_use is not None:
            zero = ConstantOp.from_int_and_width(0, IndexType())
            assert body.first_op is not None
            body.insert_op_before(zero, body.first_op)
            index.replace_all_uses_with(zero.result)
        body.erase_arg(index)


def _rewrite_element(op: ReadOp | WriteOp, indices: Sequence[SSAValue]) -> None:
    if isinstance(op, ReadOp):
        _put_in_place(op, ReadOp(op.source, indices, op.value.type))
    else:
        _put_in_place(op, WriteOp(op.dest, indices, op.value, op.accumulate.data))


def _put_in_place(op: Operation, new: Operation) -> None:
    new.location = op.location
    Rewriter.replace_op(op, new)


def _renumbered(follows: Sequence[int], gone: set[int]) -> list[int]:
    """Dimension numbers after some are gone; -1 for those."""
    return [-1 if dim in gone or dim < 0 else dim - sum(at < dim for at in gone) for dim in follows]


def _kept(items: Sequence[T], gone: set[int]) -> list[T]:
    return [item for at, item in enumerate(items) if at not in gone]
