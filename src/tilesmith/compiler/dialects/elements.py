"""Element types as numpy types: how arrays of them are kept, widened when read and rounded when written."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float8E4M3FNType,
    Float8E4M3FNUZType,
    Float8E5M2FNUZType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    Signedness,
)
from xdsl.ir import Attribute

Array = NDArray[Any]

_FLOATS: dict[type[Attribute], Any] = {
    Float32Type: np.float32,
    Float64Type: np.float64,
    Float16Type: np.float16,
    BFloat16Type: ml_dtypes.bfloat16,
    Float8E4M3FNType: ml_dtypes.float8_e4m3fn,
    Float8E5M2Type: ml_dtypes.float8_e5m2,
    Float8E4M3FNUZType: ml_dtypes.float8_e4m3fnuz,
    Float8E5M2FNUZType: ml_dtypes.float8_e5m2fnuz,
    Float8E8M0FNUType: ml_dtypes.float8_e8m0fnu,
}


def is_float(element: Attribute) -> bool:
    return isinstance(element, AnyFloat)


def bits_of(element: Attribute) -> int:
    """How many bits an integer has; 0 for everything else."""
    return element.width.data if isinstance(element, IntegerType) else 0


def numpy_type(element: Attribute) -> np.dtype[Any]:
    """The numpy type of a tensor's elements.

    >>> from xdsl.dialects.builtin import bf16, i1
    >>> numpy_type(bf16).name, numpy_type(i1).name
    ('bfloat16', 'bool')
    """
    if isinstance(element, IndexType):
        return np.dtype(np.int64)
    if isinstance(element, IntegerType):
        if element.width.data == 1:
            return np.dtype(np.bool_)
        sign = "u" if element.signedness.data is Signedness.UNSIGNED else ""
        return np.dtype(f"{sign}int{max(element.width.data, 8)}")
    known: np.dtype[Any] = np.dtype(_FLOATS[type(element)])
    return known


def held_type(element: Attribute) -> np.dtype[Any]:
    """How a buffer of these elements is kept: floats as float32, already rounded."""
    return np.dtype(np.float32) if is_float(element) else numpy_type(element)


def rounded(values: Any, element: Attribute) -> Array:
    """The values as they are once written to a place with this element type, in `held_type`.

    >>> from xdsl.dialects.builtin import bf16
    >>> rounded(np.float32(1.001), bf16).item()
    1.0
    """
    return stored(values, element).astype(held_type(element))


def stored(values: Any, element: Attribute) -> Array:
    """The same in `numpy_type`. Floats of 8 bits saturate, as conversions on chips do; integers wrap."""
    target = numpy_type(element)
    array = np.asarray(values)
    if not is_float(element):
        # Through int64: numpy leaves the conversion of a negative float to an unsigned type open.
        return (array.astype(np.int64) if array.dtype.kind == "f" and target.kind == "u" else array).astype(
            target
        )
    if target.itemsize == 1:
        largest = float(ml_dtypes.finfo(target).max)  # type: ignore[no-untyped-call]
        array = np.clip(array.astype(np.float32), -largest, largest)
    with np.errstate(over="ignore"):  # what is too large for the type is infinite
        return array.astype(target)
