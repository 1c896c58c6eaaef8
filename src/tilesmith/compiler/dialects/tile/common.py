"""What the operations of the tile dialect share: lists of numbers, the places behind operands, locations."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, FileLineColLoc, i64
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from tilesmith.compiler.dialects.types import BufferType, TensorType


def ints(values: Sequence[int]) -> DenseArrayBase:
    return DenseArrayBase.from_list(i64, list(values))


def numbers(values: DenseArrayBase) -> tuple[int, ...]:
    """What `ints` holds.

    >>> numbers(ints([1, 2]))
    (1, 2)
    """
    return tuple(int(value) for value in values.get_values())  # type: ignore[misc]


def place_of(value: SSAValue) -> BufferType | TensorType | None:
    """The buffer or tensor type behind an operand; a circular buffer stands for the buffer it holds."""
    place_type = getattr(value.type, "buffer", value.type)
    return place_type if isinstance(place_type, BufferType | TensorType) else None


def buffer_of(value: SSAValue, name: str) -> BufferType:
    """The buffer type behind an operand of the operation called `name`."""
    buffer_type = place_of(value)
    if not isinstance(buffer_type, BufferType):
        raise VerifyException(f"{name} works on buffers, got {value.type}")
    return buffer_type


def location_of(op: Operation) -> str:
    """The user's "file:line" behind an operation, or behind the nearest one around it that has one."""
    at: Operation | None = op
    while at is not None:
        if isinstance(at.location, FileLineColLoc):
            return f"{at.location.filename.data}:{at.location.line.data}"
        at = at.parent_op()
    return ""
