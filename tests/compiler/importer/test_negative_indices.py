"""Indices that are negative everywhere count from the end, as in TileLang's own compiler."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

import numpy as np
import tilelang.language as T

import tilesmith
from tilesmith.compiler.importer.tilelang import counted_from_the_end


def test_loads_stores_and_regions_count_from_the_end() -> None:
    @T.prim_func
    def main(
        A: T.Tensor((16, 32), "float32"),
        rows: T.Tensor((16, 32), "float32"),
        sums: T.Tensor((16, 32), "float32"),
        last: T.Tensor((8, 32), "float32"),
        columns: T.Tensor((16, 32), "float32"),
    ):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((16, 32), "float32")
            b = T.alloc_fragment((16, 32), "float32")
            c = T.alloc_fragment((16, 32), "float32")
            d = T.alloc_shared((8, 32), "float32")
            T.copy(A, a)
            for i, j in T.Parallel(16, 32):
                b[i, j] = a[-i - 1, j]
            for i, j in T.Parallel(16, 32):
                c[-1 - i, j] = a[-1, j] + A[i, -1]
            T.copy(b, rows)
            T.copy(c, sums)
            T.copy(A[-8:, :], d)
            T.copy(d, last)
            for i, j in T.Parallel(16, 32):
                columns[i, -1 - j] = a[i, j]

    a = np.random.default_rng(0).integers(-99, 99, (16, 32)).astype(np.float32)
    made = [np.zeros((rows, 32), np.float32) for rows in (16, 16, 8, 16)]
    tilesmith.compile(main)(a, *made)
    wanted = [a[::-1], (a[-1] + a[:, -1:])[::-1], a[-8:], a[:, ::-1]]
    assert all(map(np.array_equal, made, wanted))


def test_a_kernel_without_them_keeps_its_lines() -> None:
    @T.prim_func
    def main(A: T.Tensor((32, 32), "float32"), B: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=128):
            for i, j in T.Parallel(32, 32):
                B[i, j] = T.if_then_else(j >= 8, A[i, j - 8], 0.0)

    assert counted_from_the_end(main).same_as(main)
