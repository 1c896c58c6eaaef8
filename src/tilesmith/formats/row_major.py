"""Arrays to bytes and back where datums lie in the order of the array."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tilesmith.errors import FormatError
from tilesmith.formats import bindings
from tilesmith.formats.codecs import Rounding, codec_of, prepare
from tilesmith.formats.data_format import DataFormat

Array = npt.NDArray[Any]
Bytes = npt.NDArray[np.uint8]


def to_row_major_bytes(array: Array, format: DataFormat, rounding: Rounding = "host") -> Bytes:
    """The array's datums one after another, as flat bytes."""
    size = format.datum_bytes  # refuses block floats
    source, codec = prepare(array, format, rounding)
    if not codec.rounds:
        return source.reshape(-1).view(np.uint8).copy()
    target = np.empty(array.size * size, np.uint8)
    store = bindings.function(codec, f"ts_row{codec.stored_with(rounding)}")
    store(array.size, source.ctypes.data, target.ctypes.data)
    return target


def from_row_major_bytes(data: Bytes, format: DataFormat, shape: Sequence[int]) -> Array:
    """The array of `shape` that `data` hold: float32, or the integer type of the format."""
    size, count = format.datum_bytes, math.prod(shape)
    codec = codec_of(format)
    flat = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
    if flat.size != count * size:
        raise FormatError(
            f"{flat.size} bytes are not {count} datums of {format.name}",
            where=f"shape {tuple(shape)}",
            remedy=f"{count} datums of {size} bytes are {count * size} bytes",
        )
    if not codec.rounds:
        return flat.view(codec.values).reshape(shape).copy()
    array = np.empty(shape, codec.values)
    bindings.function(codec, "ts_unrow")(count, flat.ctypes.data, array.ctypes.data)
    return array
