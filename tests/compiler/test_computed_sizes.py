"""Tensors whose sizes are computed from symbols: a call finds the symbols, and is checked against them."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

import numpy as np
import pytest
import tilelang.language as T

import tilesmith
from tilesmith.errors import BadCallError

n = T.dynamic("n")


@T.prim_func
def twice(A: T.Tensor((n,), "int32"), B: T.Tensor((2 * n,), "int32")):
    with T.Kernel(1) as _:
        for i in range(n):
            B[2 * i] = A[i]
            B[2 * i + 1] = A[i]


@T.prim_func
def counted(A: T.Tensor((n * 4 + 1,), "int32")):
    with T.Kernel(1) as _:
        for i in range(n * 4 + 1):
            A[i] = n


def test_a_size_that_a_call_leaves_out_is_computed() -> None:
    a = np.arange(5, dtype=np.int32)
    np.testing.assert_array_equal(tilesmith.compile(twice)(a), np.repeat(a, 2))


def test_sizes_that_do_not_fit_together_are_refused() -> None:
    with pytest.raises(BadCallError, match=r"dimension 0 of argument B is 12, and should be \(2 \* n\)"):
        tilesmith.compile(twice)(np.zeros(8, np.int32), np.zeros(12, np.int32))


def test_a_symbol_is_found_from_the_size_it_is_part_of() -> None:
    found = np.zeros(9, np.int32)
    tilesmith.compile(counted)(found)
    np.testing.assert_array_equal(found, np.full(9, 2))
    with pytest.raises(BadCallError, match="dimension 0 of argument A is 10"):
        tilesmith.compile(counted)(np.zeros(10, np.int32))
