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
    """`name` of the native functions, the numpy type of values, and whether storing them can round."""

    name: str
    values: np.dtype[Any]
    rounds: bool = False

    def pack_name(self, rounding: Rounding) -> str:
        return f"{self.name}_{rounding}" if self.rounds else self.name


_FLOAT = np.dtype(np.float32)
_CODECS = {
    DataFormat.Float32: Codec("raw32", _FLOAT),
    DataFormat.Float16_b: Codec("bf16", _FLOAT, rounds=True),
    DataFormat.Float16: Codec("fp16", _FLOAT, rounds=True),
    DataFormat.Bfp8_b: Codec("bfp8", _FLOAT, rounds=True),
    DataFormat.Bfp4_b: Codec("bfp4", _FLOAT, rounds=True),
    DataFormat.Bfp2_b: Codec("bfp2", _FLOAT, rounds=True),
    DataFormat.Int32: Codec("raw32", np.dtype(np.int32)),
    DataFormat.UInt32: Codec("raw32", np.dtype(np.uint32)),
    DataFormat.UInt16: Codec("raw16", np.dtype(np.uint16)),
    DataFormat.UInt8: Codec("raw8", np.dtype(np.uint8)),
}
# Arrays that already are what the format stores: their bits are only moved.
_STORED = {DataFormat.Float16_b: np.dtype(ml_dtypes.bfloat16), DataFormat.Float16: np.dtype(np.float16)}


def codec_of(format: DataFormat) -> Codec:
    codec = _CODECS.get(format)
    if codec is None:
        raise FormatError(
            f"there is no conversion for {format.name}",
            remedy=f"use one of {', '.join(known.name for known in _CODECS)}",
        )
    return codec


def check_rounding(rounding: str) -> None:
    if rounding not in ("host", "device"):
        raise FormatError(f"rounding is {rounding!r}", remedy='use "host" or "device"')


def prepare(array: Array, format: DataFormat, rounding: Rounding) -> tuple[Array, str]:
    """The contiguous array a native function can read, and that function's name."""
    codec = codec_of(format)
    check_rounding(rounding)
    if rounding == "host" and array.dtype == _STORED.get(format):
        return np.ascontiguousarray(array).view(np.uint16), "raw16"
    return np.ascontiguousarray(_as_values(array, codec, format)), codec.pack_name(rounding)


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
