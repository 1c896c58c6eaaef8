"""Results that leave after the first loads of the next block."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from typing import Any

import pytest
import tilelang.language as T
import torch

from tilesmith.compiler.compile import compile_kernel


def products(blocks: int = 2, in_place: bool = False, deep: int = 64, turns: int = 2) -> Any:
    """Each row of cores has several blocks of C = A B, and shares those of A."""
    rows = 64 * blocks

    @T.prim_func
    def products(
        A: T.Tensor((rows, turns * deep), "bfloat16"),
        B: T.Tensor((turns * deep, 64), "bfloat16"),
        C: T.Tensor((rows, 64), "bfloat16"),
    ):
        with T.Kernel(2, 2, threads=128) as (bx, by):
            left = T.alloc_shared((32, deep), "bfloat16")
            right = T.alloc_shared((deep, 32), "bfloat16")
            total = T.alloc_fragment((32, 32), "float32")
            for block in T.serial(blocks):
                T.clear(total)
                for ko in T.Pipelined(turns, num_stages=2):
                    T.copy(A[(by * blocks + block) * 32, ko * deep], left)
                    T.copy(B[ko * deep, bx * 32], right)
                    T.gemm(left, right, total)
                if in_place:
                    T.copy(total, A[(by * blocks + block) * 32, bx * 32])
                else:
                    T.copy(total, C[(by * blocks + block) * 32, bx * 32])

    return products


def kernels(kernel: Any) -> str:
    return compile_kernel(kernel, "n150", keeps_blocks=True).ir(after="pipeline-stores")


def test_a_store_follows_the_first_loads_of_the_next_block() -> None:
    text = kernels(products()).split("tt.kernel writer")[1]
    assert text.count("store total_out to C") == 2
    assert "scf.if" in text[: text.index("store total_out to C")]


def test_a_tensor_that_is_loaded_is_stored_before_the_next_load() -> None:
    assert kernels(products(in_place=True)).count("store total_out to A") == 1


def test_cores_store_in_different_turns_where_there_are_some() -> None:
    assert "store_turn" not in kernels(products())
    text = kernels(products(turns=4))
    assert "store_turn" in text[: text.index("store total_out to C")]


@pytest.mark.parametrize(("blocks", "turns"), [(1, 2), (2, 2), (3, 2), (3, 3), (2, 5)])
def test_results_are_those_of_torch(blocks: int, turns: int) -> None:
    torch.manual_seed(0)
    a, b = torch.randn(64 * blocks, 64 * turns).bfloat16(), torch.randn(64 * turns, 64).bfloat16()
    made = compile_kernel(products(blocks, turns=turns), "n150", keeps_blocks=True, out_idx=[2])(a, b)
    wanted = a.float() @ b.float()
    assert (torch.as_tensor(made).float() - wanted).abs().max() < 0.02 * wanted.abs().max()
