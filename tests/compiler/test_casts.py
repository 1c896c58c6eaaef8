"""A cast inside an expression rounds, and so does a cast of what was computed as a narrow float."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
import tilelang.language as T
from numpy.typing import NDArray

import tilesmith

SHAPE = (32, 32)
TYPES = {
    "bfloat16": ml_dtypes.bfloat16,
    "float16": np.float16,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
}
Array = NDArray[Any]


def residual(dtype: str, by_element: bool) -> Any:
    """What a value split into a narrow one leaves; scalar code where data decide the index."""

    @T.prim_func
    def main(A: T.Tensor(SHAPE, "float32"), B: T.Tensor(SHAPE, "float32"), index: T.Tensor((32,), "int32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared(SHAPE, "float32")
            b = T.alloc_shared(SHAPE, "float32")
            T.copy(A, a)
            for i, j in T.Parallel(*SHAPE):
                if by_element:
                    b[index[i], j] = a[i, j] - T.cast(T.cast(a[i, j], dtype), "float32")
                else:
                    b[i, j] = a[i, j] - T.cast(T.cast(a[i, j], dtype), "float32")
            T.copy(b, B)

    return main


def square(dtype: str) -> Any:
    @T.prim_func
    def main(A: T.Tensor(SHAPE, dtype), B: T.Tensor(SHAPE, "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared(SHAPE, dtype)
            b = T.alloc_fragment(SHAPE, "float32")
            T.copy(A, a)
            for i, j in T.Parallel(*SHAPE):
                b[i, j] = T.cast(a[i, j] * a[i, j], "float32")
            T.copy(b, B)

    return main


def values() -> Array:
    """Random numbers whose squares float16 has eleven bits of, some halfway between two of bfloat16."""
    made = np.random.default_rng(0).uniform(0.03, 4.0, SHAPE).astype(np.float32)
    made[:4] = 1 + np.arange(1, 257, 2).reshape(4, 32) * 2.0**-8
    return made


@pytest.mark.parametrize("by_element", [False, True])
@pytest.mark.parametrize("dtype", TYPES)
def test_a_cast_inside_an_expression_rounds(dtype: str, by_element: bool) -> None:
    a, found, index = values(), np.zeros(SHAPE, np.float32), np.arange(32, dtype=np.int32)
    tilesmith.compile(residual(dtype, by_element))(a, found, index)
    np.testing.assert_array_equal(found, a - a.astype(TYPES[dtype]).astype(np.float32))


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_a_product_is_rounded_before_it_is_cast(dtype: str) -> None:
    a, found = values().astype(TYPES[dtype]), np.zeros(SHAPE, np.float32)
    tilesmith.compile(square(dtype))(a, found)
    np.testing.assert_array_equal(found, (a * a).astype(np.float32))


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_a_variable_holds_what_its_type_can(dtype: str) -> None:
    @T.prim_func
    def main(A: T.Tensor((128, 8), "float32"), B: T.Tensor((128, 2), "float32")):
        with T.Kernel(1, threads=128):
            row = T.get_thread_binding(0)
            narrow = T.alloc_var(dtype)
            narrow = A[row, 3]
            B[row, 0] = T.cast(narrow, "float32")
            B[row, 1] = T.Select(T.cast(A[row, 3], dtype) == narrow, 1.0, 0.0)

    given = np.random.default_rng(0).standard_normal((128, 8)).astype(np.float32)
    found = np.zeros((128, 2), np.float32)
    tilesmith.compile(main)(given, found)
    assert np.array_equal(found[:, 0], given[:, 3].astype(TYPES[dtype]).astype(np.float32))
    assert (found[:, 1] == 1).all()


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_a_variable_that_is_only_stored_is_rounded(dtype: str) -> None:
    """Nothing else looks at it: a cast on the way to its place would be the last that rounds."""

    @T.prim_func
    def main(A: T.Tensor((128, 8), "float32"), B: T.Tensor((128, 2), "float32")):
        with T.Kernel(1, threads=128):
            row = T.get_thread_binding(0)
            narrow = T.alloc_var(dtype)
            narrow = A[row, 3]
            B[row, 0] = T.cast(narrow, "float32")

    given = np.random.default_rng(0).standard_normal((128, 8)).astype(np.float32)
    found = np.zeros((128, 2), np.float32)
    tilesmith.compile(main)(given, found)
    assert np.array_equal(found[:, 0], given[:, 3].astype(TYPES[dtype]).astype(np.float32))


@pytest.mark.parametrize("source", ["bool", "int8", "uint8"])
@pytest.mark.parametrize("between", ["uint16", "uint32", "int16"])
def test_a_small_integer_wraps_on_its_way_to_a_float(source: str, between: str) -> None:
    @T.prim_func
    def main(A: T.Tensor((32,), source), B: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32,), source)
            b = T.alloc_fragment((32,), "float32")
            T.copy(A, a)
            for i in T.Parallel(32):
                b[i] = T.cast(T.cast(a[i // 2], between), "float32") * 0.5
            T.copy(b, B)

    given = (np.arange(32) * 7 - 100).astype(np.int8).astype(source)
    found = np.zeros(32, np.float32)
    tilesmith.compile(main)(given, found)
    assert np.array_equal(found, given[np.arange(32) // 2].astype(between).astype(np.float32) * 0.5)


@pytest.mark.parametrize("by", ["cast", "sum"])
def test_a_division_rounds_down_after_a_narrow_type_wrapped(by: str) -> None:
    @T.prim_func
    def main(A: T.Tensor((32,), "uint8"), B: T.Tensor((32,), "int8")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32,), "uint8")
            b = T.alloc_fragment((32,), "int8")
            T.copy(A, a)
            for i in T.Parallel(32):
                if by == "cast":
                    b[i] = T.cast(a[i], "int8") // T.cast(2, "int8")
                else:
                    b[i] = (T.cast(a[i] // T.cast(2, "uint8"), "int8") + T.cast(101, "int8")) // T.cast(
                        2, "int8"
                    )
            T.copy(b, B)

    given, found = np.arange(130, 162, dtype=np.uint8), np.zeros(32, np.int8)
    tilesmith.compile(main)(given, found)
    narrow = given.astype(np.int8) if by == "cast" else (given // 2).astype(np.int8) + np.int8(101)
    assert np.array_equal(found, narrow // 2)
