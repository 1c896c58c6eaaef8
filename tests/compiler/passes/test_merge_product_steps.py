"""Steps along the inner dimension of a product that become one."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from typing import Any

import pytest
import tilelang.language as T
import torch

import tilesmith
from tilesmith.compiler.compile import compile_kernel


def gemm(k: int, deep: int = 32, dtype: str = "float32", scaled: bool = False, turned: bool = False) -> Any:
    @T.prim_func
    def main(
        A: T.Tensor((k, 64) if turned else (64, k), "bfloat16"),
        B: T.Tensor((k, 64), "bfloat16"),
        C: T.Tensor((64, 64), "bfloat16"),
    ):
        with T.Kernel(2, 2, threads=128) as (bx, by):
            left = T.alloc_shared((deep, 32) if turned else (32, deep), "bfloat16")
            right = T.alloc_shared((deep, 32), "bfloat16")
            total = T.alloc_fragment((32, 32), dtype)
            T.clear(total)
            for ko in T.Pipelined(T.ceildiv(k, deep), num_stages=3):
                if turned:
                    T.copy(A[ko * deep, by * 32], left)
                else:
                    T.copy(A[by * 32, ko * deep], left)
                T.copy(B[ko * deep, bx * 32], right)
                if scaled:
                    for i, j in T.Parallel(deep, 32):
                        right[i, j] = right[i, j] * 2.0
                T.gemm(left, right, total, transpose_A=turned)
            T.copy(total, C[by * 32, bx * 32])

    return main


def depth(kernel: Any, arch: str = "n150") -> int:
    compiled = compile_kernel(kernel, arch)
    shapes = [
        line for line in compiled.ir(after="merge-product-steps").splitlines() if 'alloc "right"' in line
    ]
    return int(shapes[0].split("[")[1].split(",")[0])


@pytest.mark.parametrize(("k", "wanted"), [(128, 128), (256, 128), (96, 96), (160, 32), (320, 64), (32, 32)])
def test_as_many_steps_become_one_as_divide_them(k: int, wanted: int) -> None:
    assert depth(gemm(k)) == wanted


def test_a_loop_that_does_more_than_multiply_stays() -> None:
    assert depth(gemm(128, scaled=True)) == 32


def test_sums_that_round_every_step_stay() -> None:
    assert depth(gemm(128, dtype="float16")) == 32


def test_blocks_that_are_cut_for_the_chip_stay() -> None:
    kept = compile_kernel(gemm(128), "n150", keeps_blocks=True)
    assert "[32, 128]" not in kept.ir(after="infer-tt-layout")


@pytest.mark.parametrize("arch", ["n150", "p150"])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("k", [128, 100])
def test_merged_steps_give_the_same_product(arch: str, turned: bool, k: int) -> None:
    torch.manual_seed(0)
    a, b = torch.randn(64, k).bfloat16(), torch.randn(k, 64).bfloat16()
    made = tilesmith.compile(gemm(k, turned=turned), arch)(a.T.contiguous() if turned else a, b)
    wanted = a.float() @ b.float()
    assert (made.float() - wanted).abs().max() / wanted.abs().max() < 2**-7
