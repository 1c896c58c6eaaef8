"""What is added to a sum of products: the matrix unit adds it, and no bit of the sum is lost."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

import re

import pytest
import tilelang.language as T
import torch

from tilesmith.compiler.compile import CompiledKernel, compile_kernel


def sums(approximate: str = "none") -> CompiledKernel:
    @T.prim_func
    def main(
        x: T.Tensor((64, 64), "bfloat16"),
        bias: T.Tensor((64,), "bfloat16"),
        residual: T.Tensor((64, 64), "bfloat16"),
        y: T.Tensor((64, 64), "float32"),
    ):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, 64), "bfloat16")
            total = T.alloc_fragment((64, 64), "float32")
            row = T.alloc_shared((64,), "bfloat16")
            old = T.alloc_shared((64, 64), "bfloat16")
            T.copy(x, a)
            T.copy(bias, row)
            T.copy(residual, old)
            T.clear(total)
            T.gemm(a, a, total)
            for i, j in T.Parallel(64, 64):
                total[i, j] = T.max(total[i, j] + row[j] + old[i, j], 0)
            T.copy(total, y)

    return compile_kernel(main, "wormhole", out_idx=[3], approximate=approximate)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("rows", [160, 224])
def test_rows_of_tiles_that_four_does_not_divide_are_multiplied_as_torch_does(
    rows: int, transposed: bool
) -> None:
    """A block of five or seven rows of tiles: three or four at once, then the rest."""
    shape = (96, 64) if transposed else (64, 96)

    @T.prim_func
    def main(
        x: T.Tensor((rows, 64), "bfloat16"),
        w: T.Tensor(shape, "bfloat16"),
        y: T.Tensor((rows, 96), "float32"),
    ):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((rows, 64), "bfloat16")
            b = T.alloc_shared(shape, "bfloat16")
            total = T.alloc_fragment((rows, 96), "float32")
            T.copy(x, a)
            T.copy(w, b)
            T.clear(total)
            T.gemm(a, b, total, transpose_B=transposed)
            T.copy(total, y)

    x = torch.randint(-9, 9, (rows, 64)).to(torch.bfloat16)
    w = torch.randint(-9, 9, shape).to(torch.bfloat16)
    right = w.T if transposed else w
    run = compile_kernel(main, "wormhole", out_idx=[2])
    assert torch.equal(run(x, w), x.float() @ right.float())
    compute = next(text for name, text in run.sources().items() if name.endswith("compute"))
    assert (", 1, 4, 2);" if rows == 224 else ", 1, 3, 2);") in compute  # a tall block


def test_biases_and_residuals_are_added_by_the_matrix_unit() -> None:
    run = sums()
    compute = next(text for name, text in run.sources().items() if name.endswith("compute"))
    assert "cb_zeros, true);" in compute
    assert compute.count("add_tiles(") == 2
    assert "add_binary_tile" not in compute


def test_sums_that_one_map_reads_are_finished_in_dst() -> None:
    run = sums()
    compute = next(text for name, text in run.sources().items() if name.endswith("compute"))
    assert re.search(r"cb_total\b", compute) is None
    assert compute.count("tile_regs_acquire") == 2  # zeros, and all else


def read_twice(function: str) -> CompiledKernel:
    """Sums that leave as they are, and changed; or changed by what needs a second tile of DST."""

    @T.prim_func
    def main(
        x: T.Tensor((96, 64), "bfloat16"),
        w: T.Tensor((64, 64), "bfloat16"),
        plain: T.Tensor((96, 64), "float32"),
        y: T.Tensor((96, 64), "float32"),
    ):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((96, 64), "bfloat16")
            b = T.alloc_shared((64, 64), "bfloat16")
            total = T.alloc_fragment((96, 64), "float32")
            made = T.alloc_fragment((96, 64), "float32")
            T.copy(x, a)
            T.copy(w, b)
            T.clear(total)
            T.gemm(a, b, total)
            for i, j in T.Parallel(96, 64):
                made[i, j] = total[i, j] * total[i, j] if function == "square" else T.max(total[i, j], 0)
            T.copy(total, plain)
            T.copy(made, y)

    return compile_kernel(main, "wormhole", out_idx=[2, 3])


@pytest.mark.parametrize("function", ["square", "relu"])
def test_sums_that_others_read_too_go_to_l1(function: str) -> None:
    x = torch.randint(-3, 4, (96, 64)).to(torch.bfloat16)
    w = torch.randint(-3, 4, (64, 64)).to(torch.bfloat16)
    plain, made = read_twice(function)(x, w)
    wanted = x.float() @ w.float()
    assert torch.equal(plain, wanted)
    assert torch.equal(made, wanted * wanted if function == "square" else torch.relu(wanted))


def test_sums_keep_their_bits() -> None:
    x = torch.zeros(64, 64)
    x.fill_diagonal_(256.0)
    x[:, 0] = 3.0
    x = x.to(torch.bfloat16)
    bias = (torch.arange(64) / 64 - 0.5).to(torch.bfloat16)
    residual = (torch.randint(-99, 99, (64, 64)) / 128).to(torch.bfloat16)
    wanted = torch.relu(x.float() @ x.float() + bias.float() + residual.float())
    assert torch.equal(sums()(x, bias, residual), wanted)


def test_sums_of_products_keep_their_bits_where_others_may_be_rounded() -> None:
    exact, rounding = sums(), sums(approximate="bfloat16")
    x, bias = torch.randn(64, 64).to(torch.bfloat16), torch.randn(64).to(torch.bfloat16)
    residual = torch.randn(64, 64).to(torch.bfloat16)
    assert torch.equal(exact(x, bias, residual), rounding(x, bias, residual))
