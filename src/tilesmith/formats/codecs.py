"""Which conversion serves which format, and which numpy array each side of it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import ml_dtypes
import numpy as np
import numpy.typing as npt

from tilesmith.errors import FormatError
from tilesmith.formats.data_format import DataFormat

Array = npt.NDArray[Any]
Rounding = Literal["host", "device"]


@dataclass(frozen=True)
class Codec:
    """How a format is converted: the native source, its bits, the numpy type of values, the rounding."""

    source: str
    bits: int
    values: np.dtype[Any]
    rounds: bool = True

    def stored_with(self, rounding: Rounding) -> str:
        """The ending of the native functions that store values."""
        return f"_{rounding}" if self.rounds else ""


_FLOAT = np.dtype(np.float32)
_RAW_16 = Codec("raw.cpp", 16, np.dtype(np.uint16), rounds=False)
CODECS = {
    DataFormat.Float32: Codec("raw.cpp", 32, _FLOAT, rounds=False),
    DataFormat.Float16_b: Codec("bf16.cpp", 16, _FLOAT),
    DataFormat.Float16: Codec("fp16.cpp", 16, _FLOAT),
    DataFormat.Bfp8_b: Codec("block.cpp", 8, _FLOAT),
    DataFormat.Bfp4_b: Codec("block.cpp", 4, _FLOAT),
    DataFormat.Bfp2_b: Codec("block.cpp", 2, _FLOAT),
    DataFormat.Int32: Codec("raw.cpp", 32, np.dtype(np.int32), rounds=False),
    DataFormat.UInt32: Codec("raw.cpp", 32, np.dtype(np.uint32), rounds=False),
    DataFormat.UInt16: _RAW_16,
    DataFormat.UInt8: Codec("raw.cpp", 8, np.dtype(np.uint8), rounds=False),
    DataFormat.Int8: Codec("raw.cpp", 8, np.dtype(np.int8), rounds=False),
}
# Arrays that already are what the format stores: their bits are only moved.
_STORED = {DataFormat.Float16_b: np.dtype(ml_dtypes.bfloat16), DataFormat.Float16: np.dtype(np.float16)}


def codec_of(format: DataFormat) -> Codec:
    codec = CODECS.get(format)
    if codec is None:
        raise FormatError(
            f"there is no conversion for {format.name}",
            remedy=f"use one of {', '.join(known.name for known in CODECS)}",
        )
    return codec


def check_rounding(rounding: str) -> None:
    if rounding not in ("host", "device"):
        raise FormatError(f"rounding is {rounding!r}", remedy='use "host" or "device"')


def prepare(array: Array, format: DataFormat, rounding: Rounding) -> tuple[Array, Codec]:
    """The contiguous array native code can read, and how it must be converted."""
    codec = codec_of(format)
    check_rounding(rounding)
    stored = _STORED.get(format)
    # Numpy takes None for float64: without the first test an array of doubles would pass for stored bits.
    if stored is not None and rounding == "host" and array.dtype == stored:
        return np.ascontiguousarray(array).view(np.uint16), _RAW_16
    return np.ascontiguousarray(_as_values(array, codec, format)), codec


def _as_values(array: Array, codec: Codec, format: DataFormat) -> Array:
    if array.dtype == codec.values:
        return array
    if not format.is_integer:
        return _as_float32(array, format)
    if not (np.issubdtype(array.dtype, np.integer) or array.dtype == np.bool_):
        raise FormatError(
            f"{array.dtype} values cannot be stored as {format.name}",
            remedy=f"round them first: array.astype(np.{codec.values})",
        )
    limits = np.iinfo(codec.values)
    if array.size and (int(array.min()) < limits.min or int(array.max()) > limits.max):
        raise FormatError(
            f"values from {array.min()} to {array.max()} do not fit {format.name}",
            remedy=f"it holds {limits.min} to {limits.max}",
        )
    return array.astype(codec.values)


def _as_float32(array: Array, format: DataFormat) -> Array:
    try:
        if np.iscomplexobj(array):
            raise TypeError("complex")
        with np.errstate(over="ignore", invalid="ignore"):
            return array.astype(np.float32)
    except (TypeError, ValueError) as error:
        raise FormatError(
            f"{array.dtype} values cannot be stored as {format.name}", remedy="give real numbers"
        ) from error
