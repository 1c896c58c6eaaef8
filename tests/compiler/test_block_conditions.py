"""Conditions of a whole block that look at elements: what may not be read is not read, in any kernel."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tilelang.language as T

import tilesmith

A = np.random.default_rng(0).standard_normal((64, 32)).astype(np.float32)
BLOCKS = A.reshape(4, 16, 32)


def next_or_last() -> Any:
    @T.prim_func
    def main(A: T.Tensor((64, 32), "float32"), N: T.Tensor((4,), "int32"), B: T.Tensor((64, 32), "float32")):
        with T.Kernel(4, threads=128) as bx:
            a = T.alloc_fragment((16, 32), "float32")
            T.copy(A[bx * 16, 0], a)
            if bx == 3 or N[bx + 1] > 1:
                for i, j in T.Parallel(16, 32):
                    a[i, j] = a[i, j] * 2.0
            T.copy(a, B[bx * 16, 0])

    return main


def table_too_short() -> Any:
    @T.prim_func
    def main(A: T.Tensor((64, 32), "float32"), N: T.Tensor((3,), "int32"), B: T.Tensor((64, 32), "float32")):
        with T.Kernel(4, threads=128) as bx:
            a = T.alloc_fragment((16, 32), "float32")
            T.copy(A[N[bx], 0], a)
            T.copy(a, B[bx * 16, 0])

    return main


def left_at_the_end() -> Any:
    @T.prim_func
    def main(A: T.Tensor((64, 32), "float32"), N: T.Tensor((4,), "int32"), B: T.Tensor((16, 32), "float32")):
        with T.Kernel(1, threads=128):
            total = T.alloc_fragment((16, 32), "float32")
            a = T.alloc_shared((16, 32), "float32")
            k = T.alloc_var("int32", init=0)
            T.clear(total)
            while N[k] > 0:
                T.copy(A[k * 16, 0], a)
                for i, j in T.Parallel(16, 32):
                    total[i, j] += a[i, j]
                k = k + 1
                if k == 4:
                    break
            T.copy(total, B)

    return main


def halved_until_small() -> Any:
    @T.prim_func
    def main(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64, 32), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((64, 32), "float32")
            rows = T.alloc_fragment((64,), "float32")
            largest = T.alloc_shared((1,), "float32")
            T.copy(A, a)
            T.fill(largest, 99.0)
            while largest[0] > 0.25:
                for i, j in T.Parallel(64, 32):
                    a[i, j] = a[i, j] * 0.5
                T.reduce_absmax(a, rows, dim=1)
                T.reduce_max(rows, largest, dim=0)
            T.copy(a, B)

    return main


def halved() -> Any:
    a = A * np.float32(0.5)
    while np.abs(a).max() > 0.25:
        a = a * np.float32(0.5)
    return a


CASES = {
    next_or_last: ([2, 0, 3, 1], np.concatenate([b * s for b, s in zip(BLOCKS, (1, 2, 1, 2), strict=True)])),
    table_too_short: ([16, 48, 32], np.concatenate([BLOCKS[1], BLOCKS[3], BLOCKS[2], BLOCKS[0]])),
    left_at_the_end: ([3, 1, 2, 5], BLOCKS[0] + BLOCKS[1] + BLOCKS[2] + BLOCKS[3]),
    halved_until_small: (None, halved()),
}


@pytest.mark.parametrize("arch", ["wormhole", "blackhole"])
@pytest.mark.parametrize("kernel", CASES, ids=lambda kernel: kernel.__name__)
def test_only_what_is_asked_for_is_read(kernel: Any, arch: str) -> None:
    numbers, wanted = CASES[kernel]
    found = np.zeros(wanted.shape, np.float32)
    given = [A] if numbers is None else [A, np.array(numbers, np.int32)]
    tilesmith.compile(kernel(), target=arch)(*given, found)
    assert np.array_equal(found, wanted)
