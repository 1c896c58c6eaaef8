"""Conversions between element types in scalar code, where all floats are f32 and all integers i32."""

from __future__ import annotations

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    Float16Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    Signedness,
    f32,
    i1,
    i32,
)
from xdsl.ir import Attribute, SSAValue

from tilesmith.compiler.dialects.elements import bits_of, is_float
from tilesmith.compiler.dialects.float8 import float8_of

_SCALAR_BITS = 32
_HALF_BITS = 11


def is_unsigned(element: Attribute) -> bool:
    """Whether an element type has no negative numbers."""
    if not isinstance(element, IntegerType):
        return False
    return element.width.data == 1 or element.signedness.data is Signedness.UNSIGNED


def keeps_values(source: Attribute, dest: Attribute) -> bool:
    """Whether every value of one element type is a value of the other, an integer.

    >>> from xdsl.dialects.builtin import i8
    >>> keeps_values(i8, i32), keeps_values(i32, i8), keeps_values(f32, i32)
    (True, False, False)
    """
    if source == dest:
        return True
    if is_float(source) or is_float(dest) or bits_of(source) >= bits_of(dest):
        return False
    return is_unsigned(source) or not is_unsigned(dest)


def is_rounded_type(element: Attribute) -> bool:
    """Whether floats of a type are kept in words with more bits than they have, and rounded to them."""
    return isinstance(element, Float16Type) or float8_of(element) is not None


def fits(source: Attribute, dest: Attribute) -> bool:
    """Whether a float type that is rounded to has every value of an element type.

    >>> from xdsl.dialects.builtin import Float8E4M3FNType, f16, i8
    >>> fits(Float8E4M3FNType(), f16), fits(f16, Float8E4M3FNType()), fits(i8, f16)
    (True, False, True)
    """
    if source == dest:
        return True
    narrow = float8_of(dest)
    if narrow is not None:
        return not is_float(source) and 0 < bits_of(source) <= narrow.mantissa + 1
    if isinstance(source, AnyFloat):
        return source.bitwidth < Float16Type().bitwidth
    return 0 < bits_of(source) < _HALF_BITS


def converted(at: Builder, value: SSAValue, source: Attribute, dest: Attribute) -> SSAValue:
    """An element as one of another type: to bool by comparing with zero, to fewer bits by dropping bits."""
    if source == dest:
        return value
    if bits_of(dest) == 1:
        return _truth(at, value)
    if not is_float(dest):
        if is_float(source):
            wide = is_unsigned(dest) and bits_of(dest) >= _SCALAR_BITS
            value = at.insert((arith.FPToUIOp if wide else arith.FPToSIOp)(value, i32)).result
        return value if keeps_values(source, dest) else wrapped(at, value, dest)
    if is_float(source):
        return value
    wide = is_unsigned(source) and bits_of(source) >= _SCALAR_BITS
    return at.insert((arith.UIToFPOp if wide else arith.SIToFPOp)(value, f32)).result


def wrapped(at: Builder, value: SSAValue, element: Attribute) -> SSAValue:
    """The low bits of an integer, as the element type reads them."""
    width = bits_of(element)
    if not 1 < width < _SCALAR_BITS:
        return value
    low = at.insert(arith.TruncIOp(value, IntegerType(width))).result
    return at.insert((arith.ExtUIOp if is_unsigned(element) else arith.ExtSIOp)(low, i32)).result


def _truth(at: Builder, value: SSAValue) -> SSAValue:
    if is_float(value.type):
        zero = at.insert(arith.ConstantOp(FloatAttr(0.0, f32))).result
        true: SSAValue = at.insert(arith.CmpfOp(value, zero, "une")).result
    else:
        zero = at.insert(arith.ConstantOp(IntegerAttr(0, i32))).result
        true = at.insert(arith.CmpiOp(value, zero, "ne")).result
    assert true.type == i1
    return at.insert(arith.ExtUIOp(true, i32)).result
