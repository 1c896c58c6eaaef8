"""Rows of a buffer that are moved, with zeros where a guard leaves one out."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from typing import Any

import pytest
import tilelang.language as T
import torch

from tilesmith.compiler.compile import CompiledKernel, compile_kernel

ROWS, COLUMNS = 64, 32


def moved(step: int, dtype: str) -> Any:
    @T.prim_func
    def main(
        x: T.Tensor((ROWS, COLUMNS), dtype),
        y: T.Tensor((ROWS, COLUMNS), dtype),
        by: T.int32,
        period: T.int32,
    ):
        with T.Kernel(1, threads=128):
            held = T.alloc_shared((ROWS, COLUMNS), dtype)
            here = T.alloc_shared((ROWS, COLUMNS), dtype)
            T.copy(x, held)
            for i, j in T.Parallel(ROWS, COLUMNS):
                row = i * step + by
                inside = (row >= 0) & (row < ROWS) & (i % period != 0)
                here[i, j] = T.if_then_else(inside, held[row, j], 0)
            T.copy(here, y)

    return main


Case = tuple[int, str, CompiledKernel]


@pytest.fixture(scope="module", params=[(1, "bfloat16"), (2, "bfloat16"), (1, "float32"), (2, "float32")])
def kernel(request: pytest.FixtureRequest) -> Case:
    step, dtype = request.param
    return step, dtype, compile_kernel(moved(step, dtype), "wormhole", out_idx=[1])


@pytest.mark.parametrize(("by", "period"), [(0, 100), (5, 7), (-9, 16), (16, 3), (40, 100), (-70, 2)])
def test_rows_come_from_where_they_lie(kernel: Case, by: int, period: int) -> None:
    step, dtype, run = kernel
    x = torch.randn(ROWS, COLUMNS).to(getattr(torch, dtype))
    wanted = torch.zeros_like(x)
    for i in range(ROWS):
        if 0 <= i * step + by < ROWS and i % period:
            wanted[i] = x[i * step + by]
    assert torch.equal(run(x, by, period), wanted)


def test_rows_of_bfloat16_are_gathered_in_row_major_order(kernel: Case) -> None:
    step, dtype, run = kernel
    sources = run.sources()
    reader, compute = (
        next(text for name, text in sources.items() if name.endswith(role)) for role in ("reader", "compute")
    )
    row_major = dtype == "bfloat16"
    assert ("gather rows of held_rows to here_rows" in reader) == row_major
    assert ("pack_untilize_dest" in compute and "tilize_block" in compute) == row_major
    assert ("ahead = 16" in reader) == (step == 1 and not row_major)


def test_block_floats_are_gathered_too() -> None:
    run = compile_kernel(moved(2, "bfloat16"), "wormhole", out_idx=[1], formats={"x": "Bfp8_b"})
    x = torch.randint(-8, 8, (ROWS, COLUMNS)).to(torch.bfloat16)
    wanted = torch.zeros_like(x)
    wanted[: ROWS // 2] = x[::2]
    wanted[0] = 0
    assert torch.equal(run(x, 0, 100), wanted)


def test_products_one_after_the_other_are_added_up_before_they_are_packed() -> None:
    @T.prim_func
    def main(x: T.Tensor((64, 64), "bfloat16"), y: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32, 32), "bfloat16")
            b = T.alloc_shared((32, 32), "bfloat16")
            c = T.alloc_shared((32, 32), "bfloat16")
            d = T.alloc_shared((32, 32), "bfloat16")
            total = T.alloc_fragment((32, 32), "float32")
            T.clear(total)
            T.copy(x[0, 0], a)
            T.copy(x[32, 0], b)
            T.copy(x[0, 32], c)
            T.copy(x[32, 32], d)
            T.gemm(a, b, total)
            T.gemm(c, d, total)
            T.copy(total, y)

    run = compile_kernel(main, "wormhole", out_idx=[1])
    x = torch.randint(-8, 8, (64, 64)).to(torch.bfloat16)
    wide = x.float()
    wanted = wide[:32, :32] @ wide[32:, :32] + wide[:32, 32:] @ wide[32:, 32:]
    assert torch.equal(run(x), wanted)
    compute = next(text for name, text in run.sources().items() if name.endswith("compute"))
    assert "total = a @ b + c @ d" in compute
