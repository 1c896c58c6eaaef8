"""Who uses each buffer: by which operation and role, and in which format it is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from tilesmith.compiler.analysis.memory_effects import buffer_effects
from tilesmith.compiler.dialects import tile
from tilesmith.compiler.dialects.types import BufferType, TensorType


@dataclass(frozen=True)
class Access:
    """One use of a buffer: by which operation and role, and in which format the operation wants it."""

    op: Operation
    role: str
    reads: bool
    writes: bool
    buffer_type: BufferType


def needs_copies(accesses: list[Access]) -> bool:
    """Whether one circular buffer is not enough."""
    writers = {access.role for access in accesses if access.writes}
    readers = {access.role for access in accesses if access.reads}
    return len(writers) > 1 or len(readers) > 1 or len({access.buffer_type for access in accesses}) > 1


def accesses_by_buffer(roles: Mapping[Operation, str]) -> dict[SSAValue, list[Access]]:
    """All uses of every buffer, in program order."""
    found: dict[SSAValue, list[Access]] = {}
    for op, role in roles.items():
        effects = buffer_effects(op)
        for place in effects.touches:
            sides = place in effects.reads, place in effects.writes
            found.setdefault(place, []).append(Access(op, role, *sides, requested_type(op, place)))
    return found


def requested_type(op: Operation, buffer: SSAValue) -> BufferType:
    """The NoC moves tiles as they are: what is loaded or stored has the format of the tensor."""
    buffer_type = tile.place_of(buffer)
    assert isinstance(buffer_type, BufferType)
    if isinstance(op, tile.LoadOp | tile.StoreOp):
        tensor = tile.place_of(op.tensor)
        assert isinstance(tensor, TensorType)
        if tensor.layout.data == "tile" and tensor.format != buffer_type.format:
            return BufferType(
                buffer_type.shape, tensor.element_type, buffer_type.scope, buffer_type.layout, tensor.format
            )
    return buffer_type
