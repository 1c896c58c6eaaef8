"""A variable that a loop in order changes, looked at in every iteration: what it was, not what it became."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from itertools import accumulate
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import tilelang.language as T

import tilesmith

X = np.array([1, 2, 3, 2, 1, 3, 2, 1], np.float32)


def sums(dtype: str) -> Any:
    @T.prim_func
    def main(A: T.Tensor((8,), dtype), B: T.Tensor((8,), dtype)):
        with T.Kernel(1, threads=128):
            total = T.alloc_var(dtype)
            total = 0
            for i in T.serial(8):
                total = total + A[i]
                B[i] = total

    return main


def before(dtype: str) -> Any:
    @T.prim_func
    def main(A: T.Tensor((8,), dtype), B: T.Tensor((8,), dtype)):
        with T.Kernel(1, threads=128):
            total = T.alloc_var(dtype)
            total = 0
            for i in T.serial(8):
                B[i] = total
                total = total + A[i]

    return main


def largest(dtype: str) -> Any:
    @T.prim_func
    def main(A: T.Tensor((8,), dtype), B: T.Tensor((8,), dtype)):
        with T.Kernel(1, threads=128):
            most = T.alloc_fragment((1,), dtype)
            most[0] = 0
            for i in T.serial(8):
                most[0] = T.max(most[0], A[i])
                B[i] = most[0] + most[0]

    return main


def row_sums(dtype: str) -> Any:
    @T.prim_func
    def main(A: T.Tensor((8,), dtype), B: T.Tensor((8,), dtype)):
        with T.Kernel(1, threads=128):
            total = T.alloc_var(dtype)
            for i in T.serial(8):
                total = 0
                for k in T.serial(8):
                    total = total + A[i] * A[k]
                B[i] = total

    return main


WANTED = {
    sums: list(accumulate(X)),
    before: [0, *accumulate(X[:-1])],
    largest: [2 * x for x in accumulate(X, max)],
    row_sums: list(X * X.sum()),
}


TYPES = {"float32": np.float32, "bfloat16": ml_dtypes.bfloat16, "int32": np.int32}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("kernel", WANTED, ids=lambda kernel: kernel.__name__)
def test_every_iteration_sees_the_variable_as_it_was(kernel: Any, dtype: str) -> None:
    given, found = X.astype(TYPES[dtype]), np.zeros(8, TYPES[dtype])
    tilesmith.compile(kernel(dtype))(given, found)
    assert np.array_equal(found.astype(np.float32), np.array(WANTED[kernel], np.float32))
