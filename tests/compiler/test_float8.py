"""Values of float8 buffers are float8 numbers: rounded to nearest even, at most their largest, NaN kept."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
import tilelang.language as T
from numpy.typing import NDArray

import tilesmith

SIZE = 64
SHAPE = (SIZE, SIZE)
TYPES = {"float8_e4m3fn": ml_dtypes.float8_e4m3fn, "float8_e5m2": ml_dtypes.float8_e5m2}
Array = NDArray[Any]


def copied(dtype: str) -> Any:
    """What a quantised value leaves behind."""

    @T.prim_func
    def main(A: T.Tensor(SHAPE, "float32"), B: T.Tensor(SHAPE, "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared(SHAPE, "float32")
            narrow = T.alloc_fragment(SHAPE, dtype)
            b = T.alloc_fragment(SHAPE, "float32")
            T.copy(A, a)
            T.copy(a, narrow)
            for i, j in T.Parallel(SIZE, SIZE):
                b[i, j] = T.cast(narrow[i, j], "float32")
            T.copy(b, B)

    return main


def mapped(dtype: str) -> Any:
    @T.prim_func
    def main(A: T.Tensor(SHAPE, "float32"), B: T.Tensor(SHAPE, "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared(SHAPE, "float32")
            narrow = T.alloc_fragment(SHAPE, dtype)
            b = T.alloc_fragment(SHAPE, "float32")
            T.copy(A, a)
            for i, j in T.Parallel(SIZE, SIZE):
                narrow[i, j] = a[i, j] + 0.0
            T.copy(narrow, b)
            T.copy(b, B)

    return main


def cast(dtype: str) -> Any:
    @T.prim_func
    def main(A: T.Tensor(SHAPE, "float32"), B: T.Tensor(SHAPE, "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared(SHAPE, "float32")
            T.copy(A, a)
            for i, j in T.Parallel(SIZE, SIZE):
                a[i, j] = T.cast(T.cast(a[i, j], dtype), "float32")
            T.copy(a, B)

    return main


def loaded(dtype: str) -> Any:
    @T.prim_func
    def main(A: T.Tensor(SHAPE, "float32"), B: T.Tensor(SHAPE, "float32")):
        with T.Kernel(1, threads=128) as _:
            narrow = T.alloc_shared(SHAPE, dtype)
            T.copy(A, narrow)
            T.copy(narrow, B)

    return main


def element_by_element(dtype: str) -> Any:
    """Scalar code: an index that only data decide."""

    @T.prim_func
    def main(A: T.Tensor(SHAPE, "float32"), B: T.Tensor(SHAPE, "float32"), index: T.Tensor((SIZE,), "int32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared(SHAPE, "float32")
            narrow = T.alloc_shared(SHAPE, dtype)
            b = T.alloc_shared(SHAPE, "float32")
            T.copy(A, a)
            for i, j in T.Parallel(SIZE, SIZE):
                narrow[index[i], j] = T.cast(a[i, j], dtype)
            for i, j in T.Parallel(SIZE, SIZE):
                b[i, j] = T.cast(narrow[i, j], "float32")
            T.copy(b, B)

    return main


def numbers(dtype: str) -> Array:
    """Every number of the type, what lies halfway between two, a little beside it, and what is too large."""
    codes = np.arange(256, dtype=np.uint8).view(TYPES[dtype]).astype(np.float32)
    known = np.unique(codes[np.isfinite(codes)])
    halves = (known[1:] + known[:-1]) / 2
    beside = [np.nextafter(halves, np.float32(side)) for side in (-np.inf, np.inf)]
    large = np.array([500.0, -464.0, 465.0, 6e4, -1e6, 3e38, -np.inf, np.inf, np.nan, 2.0**-40], np.float32)
    every = np.concatenate([known, halves, *beside, large]).astype(np.float32)
    values = np.random.default_rng(0).standard_normal(SIZE * SIZE).astype(np.float32) * 20
    values[: every.size] = every
    return values.reshape(SHAPE)


def rounded(values: Array, dtype: str) -> Array:
    largest = float(ml_dtypes.finfo(TYPES[dtype]).max)
    result: Array = np.clip(values, -largest, largest).astype(TYPES[dtype]).astype(np.float32)
    return result


@pytest.mark.parametrize("target", ["wormhole", "blackhole"])
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("kernel", [copied, mapped, cast, loaded])
def test_what_a_float8_buffer_holds(kernel: Any, dtype: str, target: str) -> None:
    values, found = numbers(dtype), np.zeros(SHAPE, np.float32)
    tilesmith.compile(kernel(dtype), target)(values, found)
    np.testing.assert_array_equal(found, rounded(values, dtype))


@pytest.mark.parametrize("dtype", TYPES)
def test_scalar_code_rounds_too(dtype: str) -> None:
    values, found = numbers(dtype), np.zeros(SHAPE, np.float32)
    order = np.random.default_rng(1).permutation(SIZE).astype(np.int32)
    tilesmith.compile(element_by_element(dtype))(values, found, order)
    wanted = np.zeros(SHAPE, np.float32)
    wanted[order] = rounded(values, dtype)
    np.testing.assert_array_equal(found, wanted)
