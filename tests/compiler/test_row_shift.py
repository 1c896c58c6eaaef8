"""Rows of a buffer that are moved, with zeros where a guard leaves one out."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from typing import Any

import pytest
import tilelang.language as T
import torch

from tilesmith.compiler.compile import CompiledKernel, compile_kernel

ROWS, COLUMNS = 64, 32


def moved(step: int) -> Any:
    @T.prim_func
    def main(
        x: T.Tensor((ROWS, COLUMNS), "bfloat16"),
        y: T.Tensor((ROWS, COLUMNS), "bfloat16"),
        by: T.int32,
        period: T.int32,
    ):
        with T.Kernel(1, threads=128):
            held = T.alloc_shared((ROWS, COLUMNS), "bfloat16")
            here = T.alloc_shared((ROWS, COLUMNS), "bfloat16")
            T.copy(x, held)
            for i, j in T.Parallel(ROWS, COLUMNS):
                row = i * step + by
                inside = (row >= 0) & (row < ROWS) & (i % period != 0)
                here[i, j] = T.if_then_else(inside, held[row, j], 0)
            T.copy(here, y)

    return main


@pytest.fixture(scope="module", params=[1, 2])
def kernel(request: pytest.FixtureRequest) -> tuple[int, CompiledKernel]:
    return request.param, compile_kernel(moved(request.param), "wormhole", out_idx=[1])


@pytest.mark.parametrize(("by", "period"), [(0, 100), (5, 7), (-9, 16), (16, 3), (40, 100), (-70, 2)])
def test_rows_come_from_where_they_lie(kernel: tuple[int, CompiledKernel], by: int, period: int) -> None:
    step, run = kernel
    x = torch.randn(ROWS, COLUMNS).to(torch.bfloat16)
    wanted = torch.zeros_like(x)
    for i in range(ROWS):
        if 0 <= i * step + by < ROWS and i % period:
            wanted[i] = x[i * step + by]
    assert torch.equal(run(x, by, period), wanted)


def test_a_move_is_one_copy_for_the_rows_of_a_face(kernel: tuple[int, CompiledKernel]) -> None:
    step, run = kernel
    reader = next(text for name, text in run.sources().items() if name.endswith("reader"))
    assert "gather rows of held to here" in reader
    assert ("ahead = 16" in reader) == (step == 1)
