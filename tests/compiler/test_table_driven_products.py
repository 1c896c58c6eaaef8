"""Products whose blocks a table chooses: cores share a load only where all of them would load the same."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
import tilelang.language as T

import tilesmith

ROUNDS, TURNS, DEEP = 2, 4, 32
GENERATOR = np.random.default_rng(0)
A = GENERATOR.standard_normal((64, TURNS * DEEP)).astype(ml_dtypes.bfloat16)
B = GENERATOR.standard_normal((TURNS * DEEP, 64)).astype(ml_dtypes.bfloat16)
TABLE = np.array([[3, 1, 0, 2], [0, 0, 2, 1]], np.int32)


def from_the_tensor() -> Any:
    @T.prim_func
    def main(
        A: T.Tensor((64, TURNS * DEEP), "bfloat16"),
        N: T.Tensor((2, TURNS), "int32"),
        B: T.Tensor((TURNS * DEEP, 64), "bfloat16"),
        C: T.Tensor((64, 64), "float32"),
    ):
        with T.Kernel(2, 2, threads=128) as (bx, by):
            left = T.alloc_shared((32, DEEP), "bfloat16")
            right = T.alloc_shared((DEEP, 32), "bfloat16")
            total = T.alloc_fragment((32, 32), "float32")
            T.clear(total)
            for ko in T.Pipelined(TURNS, num_stages=2):
                T.copy(A[by * 32, N[bx, ko] * DEEP], left)
                T.copy(B[N[bx, ko] * DEEP, bx * 32], right)
                T.gemm(left, right, total)
            T.copy(total, C[by * 32, bx * 32])

    return main


def from_a_buffer() -> Any:
    @T.prim_func
    def main(
        A: T.Tensor((64, TURNS * DEEP), "bfloat16"),
        N: T.Tensor((2, TURNS), "int32"),
        B: T.Tensor((TURNS * DEEP, 64), "bfloat16"),
        C: T.Tensor((64, 64), "float32"),
    ):
        with T.Kernel(2, 2, threads=128) as (bx, by):
            left = T.alloc_shared((32, DEEP), "bfloat16")
            right = T.alloc_shared((DEEP, 32), "bfloat16")
            table = T.alloc_shared((TURNS,), "int32")
            total = T.alloc_fragment((32, 32), "float32")
            T.copy(N[bx, 0], table)
            T.clear(total)
            for ko in T.serial(TURNS):
                T.copy(A[by * 32, table[ko] * DEEP], left)
                T.copy(B[table[ko] * DEEP, bx * 32], right)
                T.gemm(left, right, total)
            T.copy(total, C[by * 32, bx * 32])

    return main


def from_a_buffer_of_each_round() -> Any:
    @T.prim_func
    def main(
        A: T.Tensor((64, TURNS * DEEP), "bfloat16"),
        N: T.Tensor((2, TURNS), "int32"),
        B: T.Tensor((TURNS * DEEP, 64), "bfloat16"),
        C: T.Tensor((64, 64), "float32"),
    ):
        with T.Kernel(2, 2, threads=128) as (bx, by):
            left = T.alloc_shared((32, DEEP), "bfloat16")
            right = T.alloc_shared((DEEP, 32), "bfloat16")
            table = T.alloc_shared((TURNS,), "int32")
            total = T.alloc_fragment((32, 32), "float32")
            T.clear(total)
            for turn in T.serial(ROUNDS):
                T.copy(N[turn, 0], table)
                for ko in T.Pipelined(TURNS, num_stages=2):
                    T.copy(A[by * 32, table[ko] * DEEP], left)
                    T.copy(B[table[ko] * DEEP, bx * 32], right)
                    T.gemm(left, right, total)
            T.copy(total, C[by * 32, bx * 32])

    return main


def while_a_table_says_so() -> Any:
    @T.prim_func
    def main(
        A: T.Tensor((64, TURNS * DEEP), "bfloat16"),
        N: T.Tensor((2, TURNS), "int32"),
        B: T.Tensor((TURNS * DEEP, 64), "bfloat16"),
        C: T.Tensor((64, 64), "float32"),
    ):
        with T.Kernel(2, 2, threads=128) as (bx, by):
            left = T.alloc_shared((32, DEEP), "bfloat16")
            right = T.alloc_shared((DEEP, 32), "bfloat16")
            total = T.alloc_fragment((32, 32), "float32")
            T.clear(total)
            for ko in T.serial(TURNS):
                if N[by, ko] > 0:
                    T.copy(A[by * 32, ko * DEEP], left)
                    T.copy(B[ko * DEEP, bx * 32], right)
                    T.gemm(left, right, total)
            T.copy(total, C[by * 32, bx * 32])

    return main


def from_one_element_of_a_buffer() -> Any:
    @T.prim_func
    def main(
        A: T.Tensor((64, TURNS * DEEP), "bfloat16"),
        N: T.Tensor((2, TURNS), "int32"),
        B: T.Tensor((TURNS * DEEP, 64), "bfloat16"),
        C: T.Tensor((64, 64), "float32"),
    ):
        with T.Kernel(2, 2, threads=128) as (bx, by):
            left = T.alloc_shared((32, DEEP), "bfloat16")
            right = T.alloc_shared((DEEP, 32), "bfloat16")
            table = T.alloc_shared((TURNS,), "int32")
            total = T.alloc_fragment((32, 32), "float32")
            T.copy(N[bx, 0], table)
            T.clear(total)
            T.copy(A[by * 32, table[0] * DEEP], left)
            T.copy(B[table[0] * DEEP, bx * 32], right)
            T.gemm(left, right, total)
            T.copy(total, C[by * 32, bx * 32])

    return main


def chosen(by: int, bx: int, kernel: Any) -> list[int]:
    if kernel is from_a_buffer_of_each_round:
        return [int(number) for number in TABLE.ravel()]
    if kernel is while_a_table_says_so:
        return [turn for turn in range(TURNS) if TABLE[by, turn] > 0]
    if kernel is from_one_element_of_a_buffer:
        return [int(TABLE[bx, 0])]
    return [int(number) for number in TABLE[bx]]


def wanted(kernel: Any) -> Any:
    left, right = (
        A.astype(np.float32).reshape(2, 32, TURNS, DEEP),
        B.astype(np.float32).reshape(TURNS, DEEP, 2, 32),
    )
    made = np.zeros((2, 32, 2, 32), np.float32)
    for by, bx in np.ndindex(2, 2):
        for turn in chosen(by, bx, kernel):
            made[by, :, bx] += left[by, :, turn] @ right[turn, :, bx]
    return made.reshape(64, 64)


@pytest.mark.parametrize("arch", ["wormhole", "blackhole"])
@pytest.mark.parametrize(
    "kernel",
    [
        from_the_tensor,
        from_a_buffer,
        from_a_buffer_of_each_round,
        from_one_element_of_a_buffer,
        while_a_table_says_so,
    ],
    ids=lambda kernel: kernel.__name__,
)
def test_a_table_chooses_the_blocks_of_a_product(kernel: Any, arch: str) -> None:
    made = np.zeros((64, 64), np.float32)
    tilesmith.compile(kernel(), target=arch)(A, TABLE, B, made)
    np.testing.assert_allclose(made, wanted(kernel), atol=2e-2, rtol=2e-2)


def test_loads_that_a_row_of_cores_has_in_common_are_still_shared() -> None:
    """Those under a condition that is the same for the row, too."""
    sources = tilesmith.compile(while_a_table_says_so(), target="wormhole").sources()
    assert any("for the row of cores" in text for text in sources.values())
    assert not any("for the column of cores" in text for text in sources.values())
