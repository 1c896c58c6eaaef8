"""Masks by an index: tiles that lie inside are not compared, and every element is what it should be."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from functools import cache

import pytest
import tilelang.language as T
import torch

from tilesmith.compiler.compile import CompiledKernel, compile_kernel

ROWS, COLUMNS = 96, 128


@cache
def masked(rows: bool, columns: bool, in_place: bool = False) -> CompiledKernel:
    """x + 1 where the row is below m and the column below n, and -2 elsewhere."""
    m, n = T.dynamic("m"), T.dynamic("n")

    @T.prim_func
    def main(
        sizes: T.Tensor((m, n), "float32"),
        x: T.Tensor((ROWS, COLUMNS), "float32"),
        y: T.Tensor((ROWS, COLUMNS), "float32"),
    ):
        with T.Kernel(1, threads=128):
            here = T.alloc_shared((ROWS, COLUMNS), "float32")
            corner = T.alloc_shared((32, 32), "float32")
            made = T.alloc_fragment((ROWS, COLUMNS), "float32")
            T.copy(sizes[0, 0], corner)
            T.copy(x, here)
            if in_place:
                T.copy(here, made)
                for i, j in T.Parallel(ROWS, COLUMNS):
                    made[i, j] = T.if_then_else(j < n, made[i, j] + 1, -2.0)
            else:
                for i, j in T.Parallel(ROWS, COLUMNS):
                    value = here[i, j] + 1
                    value = T.if_then_else(i < m, value, -2.0) if rows else value
                    made[i, j] = T.if_then_else(j < n, value, -2.0) if columns else value
            T.copy(made, y)

    return compile_kernel(main, "wormhole", out_idx=[2])


def wanted(x: torch.Tensor, m: int, n: int) -> torch.Tensor:
    result = torch.full_like(x, -2.0)
    result[:m, :n] = x[:m, :n] + 1
    return result


@pytest.mark.parametrize("m", [1, 31, 32, 33, 64, 95, 96, 200])
def test_rows_beyond_the_last_are_hidden(m: int) -> None:
    x = torch.randn(ROWS, COLUMNS)
    assert torch.equal(masked(True, False)(torch.zeros(m, 64), x), wanted(x, m, COLUMNS))


@pytest.mark.parametrize(("m", "n"), [(1, 1), (32, 33), (40, 128), (64, 64), (95, 127), (96, 128), (500, 7)])
def test_rows_and_columns_beyond_the_last_are_hidden(m: int, n: int) -> None:
    x = torch.randn(ROWS, COLUMNS)
    assert torch.equal(masked(True, True)(torch.zeros(m, n), x), wanted(x, m, n))


@pytest.mark.parametrize("n", [1, 32, 70, 128, 300])
def test_a_buffer_is_masked_in_place(n: int) -> None:
    x = torch.randn(ROWS, COLUMNS)
    made = masked(False, True, in_place=True)(torch.zeros(40, n), x)
    assert torch.equal(made, wanted(x, ROWS, n))


@pytest.mark.parametrize("n", [1, 32, 40, 64, 100, 128])
def test_columns_known_when_it_is_compiled_are_hidden(n: int) -> None:
    @T.prim_func
    def main(x: T.Tensor((ROWS, COLUMNS), "float32"), y: T.Tensor((ROWS, COLUMNS), "float32")):
        with T.Kernel(1, threads=128):
            here = T.alloc_shared((ROWS, COLUMNS), "float32")
            made = T.alloc_fragment((ROWS, COLUMNS), "float32")
            T.copy(x, here)
            for i, j in T.Parallel(ROWS, COLUMNS):
                made[i, j] = T.if_then_else(j < n, here[i, j] + 1, -2.0)
            T.copy(made, y)

    x = torch.randn(ROWS, COLUMNS)
    assert torch.equal(compile_kernel(main, "wormhole", out_idx=[1])(x), wanted(x, ROWS, n))


def test_tiles_inside_are_not_compared() -> None:
    compute = next(text for name, text in masked(True, True).sources().items() if name.endswith("compute"))
    assert "row < inside" in compute
    assert "unary_lt_tile" not in compute  # whole numbers: the difference says it
    plain = compute[compute.index("row < inside") :]
    assert plain.index("pack_tile") < plain.index("where_tile")
