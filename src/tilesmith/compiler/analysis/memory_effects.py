"""What an operation does to buffers and tensors: which it reads, which it writes, and whether all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue

from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.types import BufferType


@dataclass(frozen=True)
class Effects:
    """`reads` are looked at, `writes` are changed. What is changed only in part is in both."""

    reads: tuple[SSAValue, ...] = ()
    writes: tuple[SSAValue, ...] = ()

    @property
    def touches(self) -> tuple[SSAValue, ...]:
        return tuple(dict.fromkeys((*self.reads, *self.writes)))

    @property
    def updates(self) -> tuple[SSAValue, ...]:
        return tuple(place for place in self.writes if place in self.reads)

    @property
    def defines(self) -> tuple[SSAValue, ...]:
        return tuple(place for place in self.writes if place not in self.reads)


NOTHING = Effects()


_EFFECTS: dict[type[Operation], Callable[[Any], Effects]] = {
    tile.LoadOp: lambda op: Effects((op.tensor,), (op.buffer,)),
    tile.StoreOp: lambda op: Effects((op.buffer,), (op.tensor,)),
    tile.CopyOp: lambda op: Effects((op.source,) if covers(op) else (op.source, op.dest), (op.dest,)),
    tile.FillOp: lambda op: Effects((), (op.buffer,)),
    tile.CleanOp: lambda op: Effects((op.buffer,), (op.buffer,)),
    tile.GemmOp: lambda op: Effects((op.a, op.b, op.c), (op.c,)),
    tile.MapOp: lambda op: Effects(tuple(op.ins), (op.out,)),
    tile.ReduceOp: lambda op: Effects((op.source,) if op.clear else (op.source, op.dest), (op.dest,)),
    tile.ScalarOp: lambda op: Effects(tuple(op.reads), tuple(op.writes)),
    tile.ReadOp: lambda op: Effects((op.source,)),
    tt.StageOp: lambda op: Effects(tuple(op.ins), tuple(op.outs)),
}


def effects_of(op: Operation) -> Effects:
    """The effects of one operation; control flow has none of its own."""
    effects = _EFFECTS.get(type(op))
    return NOTHING if effects is None else effects(op)


def buffer_effects(op: Operation) -> Effects:
    """The effects on buffers and circular buffers alone."""
    effects = effects_of(op)
    if effects is NOTHING:
        return NOTHING
    return Effects(
        tuple(place for place in effects.reads if is_buffer(place)),
        tuple(place for place in effects.writes if is_buffer(place)),
    )


def is_buffer(place: SSAValue) -> bool:
    return isinstance(tile.place_of(place), BufferType)


def tensor_of(place: SSAValue) -> SSAValue:
    """The parameter behind a tensor or a view of it."""
    while isinstance(place.owner, tile.ViewOp):
        place = place.owner.source
    return place


def covers(op: tile.CopyOp) -> bool:
    """Whether a copy overwrites every element of its destination."""
    dest = tile.place_of(op.dest)
    assert isinstance(dest, BufferType)
    if not all(_is_zero(offset) for offset in op.dest_offsets):
        return False
    given = dict(zip(op.dims.get_values(), op.sizes.get_values(), strict=True))
    return all(given.get(dim, 1) == size for dim, size in enumerate(dest.dims))


def _is_zero(value: SSAValue) -> bool:
    op = value.owner
    return isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr) and op.value.value.data == 0
