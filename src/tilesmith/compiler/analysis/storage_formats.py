"""The format that carries each element type, and the formats a user asks for instead."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import AnyFloat, Float16Type, Float32Type, Float64Type, IntegerType
from xdsl.ir import Attribute, SSAValue

from tilesmith.compiler.analysis.memory_effects import effects_of
from tilesmith.compiler.dialects.conversions import is_unsigned
from tilesmith.compiler.dialects.elements import bits_of, is_float
from tilesmith.compiler.dialects.tile import (
    CopyOp,
    FuncOp,
    GemmOp,
    LoadOp,
    MapOp,
    ReduceOp,
    ScalarOp,
    location_of,
    place_of,
)
from tilesmith.compiler.dialects.types import BufferType, TensorType
from tilesmith.errors import LayoutError
from tilesmith.formats import DataFormat

CHOICES = ("Float32", "Float16_b", "Bfp8_b", "Bfp4_b")
_SMALL_INTEGERS = ("Float16_b", "Bfp8_b")
_WIDE_FLOATS = (Float16Type, Float32Type, Float64Type)


def tensor_format(element: Attribute) -> str:
    """The format of a tensor in DRAM, unless the user asks for another.

    >>> from xdsl.dialects.builtin import bf16, f16, i1
    >>> tensor_format(bf16), tensor_format(f16), tensor_format(i1)
    ('Float16_b', 'Float32', 'UInt8')
    """
    if isinstance(element, IntegerType):
        return "UInt8" if element.width.data <= 8 else "Int32"
    return "Float32" if isinstance(element, _WIDE_FLOATS) else "Float16_b"


def buffer_format(element: Attribute, used_by_compute: bool) -> str:
    """The format of a buffer on a core; integers that compute touches become floats that hold them exactly.

    >>> from xdsl.dialects.builtin import i8, i32
    >>> buffer_format(i32, used_by_compute=True), buffer_format(i8, used_by_compute=True)
    ('Float32', 'Float16_b')
    """
    if not isinstance(element, IntegerType):
        return tensor_format(element)
    if not used_by_compute:
        return "Int32"
    return "Float16_b" if element.width.data <= 8 else "Float32"


def is_narrow_result(place: SSAValue) -> bool:
    """Whether floats of 8 bits are computed into the buffer or tensor, and not only loaded.

    They are kept as Float32: rounded to bfloat16 first and to 8 bits when they are read back, some would end
    up one step off.
    """
    buffer_type = place_of(place)
    assert buffer_type is not None
    if not isinstance(buffer_type.element_type, AnyFloat) or buffer_type.element_type.bitwidth != 8:
        return False
    writers = [use.operation for use in place.uses if place in effects_of(use.operation).writes]
    return any(not isinstance(op, LoadOp) for op in writers)


def is_used_by_compute(buffer: SSAValue) -> bool:
    """Whether compute works on the buffer, and not only transfers and scalar code."""
    users = [use.operation for use in buffer.uses]
    if any(
        isinstance(op, MapOp | GemmOp) or (isinstance(op, ReduceOp) and not is_of_integers(op))
        for op in users
    ):
        return True
    # Integers that are only widened to floats may as well arrive as floats.
    widened = any(isinstance(op, CopyOp) and _widens(op, buffer) for op in users)
    return widened and not any(isinstance(op, ScalarOp) for op in users)


def is_sum_of_integers(buffer: SSAValue) -> bool:
    """Whether products of integers are added up in the buffer; int32 keeps sums that floats would round."""
    buffer_type = place_of(buffer)
    assert buffer_type is not None
    added_to = any(isinstance(use.operation, GemmOp) and use.operation.c is buffer for use in buffer.uses)
    return added_to and not is_float(buffer_type.element_type)


def is_of_integers(op: ReduceOp) -> bool:
    """Whether a reduction reads or writes integers: the vector unit's floats would round them."""
    places = (place_of(op.source), place_of(op.dest))
    return any(place is not None and not is_float(place.element_type) for place in places)


def _widens(op: CopyOp, buffer: SSAValue) -> bool:
    source, dest = place_of(op.source), place_of(op.dest)
    assert source is not None
    assert dest is not None
    # The words of uint32 are converted as signed ones where they arrive.
    signed = not (is_unsigned(source.element_type) and bits_of(source.element_type) == 32)
    return op.source is buffer and is_float(dest.element_type) and signed


def is_integer_buffer(buffer: SSAValue) -> bool:
    """Whether a buffer holds integers as integers: only scalar code and transfers may touch it."""
    buffer_type = place_of(buffer)
    assert isinstance(buffer_type, BufferType)
    return isinstance(buffer_type.element_type, IntegerType) and not is_used_by_compute(buffer)


def requested_formats(text: str, func: FuncOp) -> dict[str, str]:
    """The formats a user wrote as "B=Bfp8_b,bias=Float32", by parameter, checked against the kernel."""
    requested: dict[str, str] = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        name, _, wanted = (word.strip() for word in item.partition("="))
        requested[name] = _checked(name, wanted, func)
    return requested


def format_of_loaded(buffer: SSAValue, default: str) -> str:
    """The format of a buffer that is loaded from tensors of one format; that of its elements otherwise."""
    sources = {tensor_of.format.data for tensor_of in _tensors_loaded(buffer)}
    if len(sources) != 1:
        return default
    (loaded,) = sources
    by_element = any(isinstance(use.operation, ScalarOp) for use in buffer.uses)
    if DataFormat[loaded].is_integer or (by_element and DataFormat[loaded].is_block_float):
        return default
    return loaded


def _tensors_loaded(buffer: SSAValue) -> Iterable[TensorType]:
    for use in buffer.uses:
        if isinstance(use.operation, LoadOp):
            tensor_type = place_of(use.operation.tensor)
            assert isinstance(tensor_type, TensorType)
            yield tensor_type


def _checked(name: str, format: str, func: FuncOp) -> str:
    where, tensors = location_of(func), func.tensors
    if name not in tensors:
        raise LayoutError(
            f"a format is given for {name!r}, which is no parameter of {func.sym_name.data}",
            where=where,
            remedy=f"the parameters are {', '.join(tensors)}",
        )
    if format not in CHOICES:
        raise LayoutError(
            f"parameter {name} cannot have the format {format!r}",
            where=where,
            remedy=f"choose one of {', '.join(CHOICES)}",
        )
    tensor_type = tensors[name].type
    assert isinstance(tensor_type, TensorType)
    if not is_float(tensor_type.element_type) and not (
        0 < bits_of(tensor_type.element_type) <= 8 and format in _SMALL_INTEGERS
    ):
        raise LayoutError(
            f"parameter {name} holds integers ({tensor_type.element_type})"
            f" and cannot have the format {format}",
            where=where,
            remedy="leave the format of integer parameters out",
        )
    return format
