"""Values of a kernel's element type as the format that carries them on the device, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Attribute

from tilesmith.compiler.dialects.elements import is_float, numpy_type, stored
from tilesmith.errors import BadCallError
from tilesmith.formats import DataFormat

Array = NDArray[Any]

_INTEGERS = {
    DataFormat.Int32: np.int32,
    DataFormat.UInt32: np.uint32,
    DataFormat.UInt16: np.uint16,
    DataFormat.UInt8: np.uint8,
}


def to_storage(values: Array, format: DataFormat, name: str) -> Array:
    """What to upload: floats as float32, integers in the format's own width, with the same bits.

    >>> to_storage(np.array([-1], np.int8), DataFormat.UInt8, "A")
    array([255], dtype=uint8)
    """
    if format not in _INTEGERS:
        return values if values.dtype.name in ("float32", "bfloat16") else values.astype(np.float32)
    target = np.dtype(_INTEGERS[format])
    if values.dtype == target:
        return values
    if values.dtype.itemsize > target.itemsize:
        _check_range(values, target, name)
    return values.astype(target)


def from_storage(values: Array, element: Attribute) -> Array:
    """What was downloaded, in the element type of the parameter."""
    target = numpy_type(element)
    if values.dtype == target:
        return values
    if values.dtype.kind == "f" and not is_float(element):
        values = np.rint(values)
    return stored(values, element)


def _check_range(values: Array, target: np.dtype[Any], name: str) -> None:
    bounds = np.iinfo(target)
    if values.size and (values.min() < bounds.min or values.max() > bounds.max):
        raise BadCallError(
            f"{name} holds {values.min()} to {values.max()}, beyond {bounds.min} to {bounds.max}",
            where=f"argument {name}",
            remedy="scale or split the values; 64-bit integers travel as 32-bit ones",
        )
