"""Neutral padding where it counts: what lies beyond a buffer's shape must not change a sum or a maximum."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import FloatAttr, f32
from xdsl.ir import Operation, SSAValue

from tilesmith.compiler.analysis.memory_effects import effects_of
from tilesmith.compiler.analysis.tile_geometry import is_padded
from tilesmith.compiler.dialects.tile import (
    CleanOp,
    CopyOp,
    FillOp,
    FuncOp,
    GemmOp,
    LoadOp,
    ReduceOp,
    ScalarOp,
    place_of,
)
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.dialects.walk import walk
from tilesmith.compiler.pass_group import FunctionPass

_NEUTRAL = {"max": -inf, "min": inf}
Need = tuple[Operation, SSAValue, float]


@dataclass(frozen=True)
class CleanPadding(FunctionPass):
    """Give padding a neutral value before every operation that would see it."""

    name = "clean-padding"

    def rewrite(self, func: FuncOp) -> None:
        clean_padding(func)


def clean_padding(root: Operation) -> None:
    """Insert a `tile.clean` before every operation that would otherwise see beyond a buffer's shape."""
    needs = [need for op in walk(root) for need in _needs_of(op)]
    dirty = {buffer for _, buffer, value in needs if value != 0}
    for op, buffer, value in needs:
        if value != 0 or not _is_zero(buffer, dirty, set()):
            block = op.parent_block()
            assert block is not None
            constant = ConstantOp(FloatAttr(value, f32))
            clean = CleanOp(buffer, constant.result)
            constant.location = clean.location = op.location
            block.insert_ops_before([constant, clean], op)


def _needs_of(op: Operation) -> list[Need]:
    if isinstance(op, ReduceOp) and _padded(op.source, op.dim.value.data):
        return [(op, op.source, _NEUTRAL.get(op.reduction.data, 0.0))]
    if isinstance(op, GemmOp):
        inner = ((op.a, -2 if op.transpose_a else -1), (op.b, -1 if op.transpose_b else -2))
        return [(op, buffer, 0.0) for buffer in dict.fromkeys(one for one, dim in inner if _padded(one, dim))]
    return []


def _padded(buffer: SSAValue, dim: int) -> bool:
    buffer_type = place_of(buffer)
    assert isinstance(buffer_type, BufferType)
    return is_padded(buffer_type, dim % len(buffer_type.dims))


def _is_zero(buffer: SSAValue, dirty: set[SSAValue], seen: set[SSAValue]) -> bool:
    """Whether everything that writes a buffer leaves zeros in its padding. Loads and scalar code do."""
    if buffer in dirty:
        return False
    if buffer in seen:
        return True
    seen.add(buffer)
    writers = [use.operation for use in buffer.uses if buffer in effects_of(use.operation).writes]
    return all(_leaves_zero(op, dirty, seen) for op in writers)


def _leaves_zero(op: Operation, dirty: set[SSAValue], seen: set[SSAValue]) -> bool:
    if isinstance(op, LoadOp | ScalarOp):
        return True
    if isinstance(op, FillOp):
        value = op.value.owner
        return (
            isinstance(value, ConstantOp)
            and isinstance(value.value, FloatAttr)
            and value.value.value.data == 0
        )
    if isinstance(op, CopyOp):
        return op.is_whole and op.source.type == op.dest.type and _is_zero(op.source, dirty, seen)
    return isinstance(op, CleanOp)
