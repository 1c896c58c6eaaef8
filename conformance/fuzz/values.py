"""Arrays with how far each element may be off, and the element types they are stored as."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

FLOATS = ("float32", "bfloat16", "float16")
INTEGERS = ("int8", "int16", "int32", "uint8", "uint16", "uint32")
DTYPES = (*FLOATS, *INTEGERS, "bool")

_MANTISSA = {"float32": 24, "bfloat16": 8, "float16": 11}
_SMALLEST = {"float32": -126, "bfloat16": -126, "float16": -14}
_LARGEST = {"float32": (2 - 2.0**-23) * 2.0**127, "bfloat16": (2 - 2.0**-7) * 2.0**127, "float16": 65504.0}
FLUSHED = 2.0**-126
"""The vector unit takes numbers below this for zero, and makes none."""


@dataclass(frozen=True)
class Value:
    """What an exact machine would hold (float64 or int64) and how far a right chip may be from it.

    An error of infinity: anything is right there.
    """

    data: Array
    error: Array

    @staticmethod
    def exact(data: Array) -> Value:
        return Value(data, np.zeros(data.shape))

    def at(self, position: Any) -> Value:
        return Value(self.data[position], self.error[position])


def is_float(dtype: str) -> bool:
    return dtype in FLOATS


def numpy_type(dtype: str) -> np.dtype[Any]:
    return np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def wide(array: Array, dtype: str) -> Array:
    """Stored elements as float64 or int64."""
    return array.astype(np.float64 if is_float(dtype) else np.int64)


def stored(data: Array, dtype: str) -> Array:
    """Rounded to nearest even, or wrapped, to what the type can hold; as float64 or int64."""
    if dtype == "bool":
        return np.asarray(data != 0, np.int64)
    if is_float(dtype):
        with np.errstate(all="ignore"):
            narrow: Array = data.astype(np.float32).astype(numpy_type(dtype))
            return narrow.astype(np.float64)
    return data.astype(np.int64).astype(numpy_type(dtype)).astype(np.int64)


def half_unit(data: Array, dtype: str) -> Array:
    """Half the distance between neighbours of the type at these values."""
    with np.errstate(all="ignore"):
        exponent = np.frexp(np.where(np.isfinite(data), data, 0.0))[1] - 1
    half: Array = np.ldexp(0.5, np.maximum(exponent, _SMALLEST[dtype]) - _MANTISSA[dtype] + 1)
    return half


def largest(dtype: str) -> float:
    return _LARGEST[dtype]


def settled(data: Array, error: Array, dtype: str) -> Value:
    """A float result as it is once written to a place of this type: rounded where it has to be."""
    result = stored(data, dtype)
    with np.errstate(all="ignore"):
        inexact = (result != data) | (error > 0)
        # Of two neighbours equally near a chip may take either.
        off = np.where(np.isfinite(result) & np.isfinite(data), np.abs(result - data), 0.0)
        error = error + np.where(inexact, half_unit(data, dtype) + off, 0.0)
        if dtype == "float16":
            # A buffer keeps eleven bits of what float16 has fewer of: it is rounded once more on the host.
            error = error + np.where(inexact & (np.abs(data) < 2.0**-14), np.abs(data) * 2.0**-11, 0.0)
        tiny = (np.abs(data) < 2 * FLUSHED) & (data != 0)
        error = error + np.where(tiny, FLUSHED, 0.0)
        edge = (error > 0) & (np.abs(np.abs(data) - largest(dtype)) <= 2 * error)
    error = np.where(edge, np.inf, error)
    error = np.where(np.isfinite(result), error, np.where(np.isinf(error), np.inf, 0.0))
    return Value(result, np.where(without_nan(dtype) & np.isnan(result), np.inf, error))


def without_nan(dtype: str) -> bool:
    """Units of the chip that pass bfloat16 on make infinity of NaN; so does the matrix unit with operands.

    Float32 that something else reads too is copied for it; float16 is not.
    """
    return dtype in ("bfloat16", "float16")


def drawn(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, special: bool) -> Array:
    """Elements of a tensor; with `special`, one in eight is a limit, a zero of either sign, inf or NaN."""
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(np.bool_)
    if is_float(dtype):
        values = (rng.standard_normal(shape) * 2.0 ** rng.integers(-3, 4)).astype(np.float32)
        if special:
            odd = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 2.0**-130, 65504.0, -3.0e38], np.float32)
            values = np.where(rng.random(shape) < 1 / 8, rng.choice(odd, shape), values)
        with np.errstate(all="ignore"):
            return values.astype(numpy_type(dtype))
    limits = np.iinfo(numpy_type(dtype))
    low, high = max(int(limits.min), -100), min(int(limits.max), 100)
    integers = rng.integers(low, high + 1, shape)
    if special:
        ends = np.array([limits.min, limits.max, limits.max - 1, 0, 1])
        integers = np.where(rng.random(shape) < 1 / 8, rng.choice(ends, shape), integers)
    return integers.astype(numpy_type(dtype))
