"""Infinities in rows: what a reduction makes of them, and what elementwise code does with the result."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from collections.abc import Callable
from typing import Any

import pytest
import tilelang.language as T
import torch

import tilesmith

ROWS = 32
INF = float("inf")
EXPECTED: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "max": lambda x: x.amax(1),
    "min": lambda x: x.amin(1),
    "sum": lambda x: x.sum(1),
    "absmax": lambda x: x.abs().amax(1),
}


def row_reduction(kind: str, columns: int, dtype: str) -> Any:
    call = getattr(T, f"reduce_{kind}")

    @T.prim_func
    def main(A: T.Tensor((ROWS, columns), dtype), B: T.Tensor((ROWS,), dtype)):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_fragment((ROWS, columns), dtype)
            b = T.alloc_fragment((ROWS,), dtype)
            T.copy(A, a)
            call(a, b, dim=1)
            T.copy(b, B)

    return main


def broadcast_column(columns: int) -> Any:
    @T.prim_func
    def main(
        A: T.Tensor((ROWS, columns), "float32"),
        B: T.Tensor((ROWS, 1), "float32"),
        C: T.Tensor((ROWS, columns), "float32"),
    ):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_fragment((ROWS, columns), "float32")
            b = T.alloc_fragment((ROWS, 1), "float32")
            T.copy(A, a)
            T.copy(B, b)
            for i, j in T.Parallel(ROWS, columns):
                a[i, j] = T.max(a[i, j], b[i, 0])
            T.copy(a, C)

    return main


def masked_softmax(columns: int) -> Any:
    @T.prim_func
    def main(
        A: T.Tensor((ROWS, columns), "float32"),
        M: T.Tensor((ROWS, columns), "float32"),
        C: T.Tensor((ROWS, columns), "float32"),
    ):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_fragment((ROWS, columns), "float32")
            mask = T.alloc_fragment((ROWS, columns), "float32")
            largest = T.alloc_fragment((ROWS,), "float32")
            shift = T.alloc_fragment((ROWS,), "float32")
            total = T.alloc_fragment((ROWS,), "float32")
            T.copy(A, a)
            T.copy(M, mask)
            for i, j in T.Parallel(ROWS, columns):
                a[i, j] = a[i, j] + mask[i, j]
            T.reduce_max(a, largest, dim=1)
            for i in T.Parallel(ROWS):
                shift[i] = T.if_then_else(largest[i] == -T.infinity("float32"), 0.0, largest[i])
            for i, j in T.Parallel(ROWS, columns):
                a[i, j] = T.exp(a[i, j] - shift[i])
            T.reduce_sum(a, total, dim=1)
            for i, j in T.Parallel(ROWS, columns):
                a[i, j] = a[i, j] / T.max(total[i], 1e-30)
            T.copy(a, C)

    return main


def with_infinities(columns: int) -> torch.Tensor:
    values = torch.randn(ROWS, columns, generator=torch.Generator().manual_seed(5))
    values[3], values[4], values[5, 7], values[6, columns - 1], values[7, 0] = -INF, INF, INF, -INF, -INF
    return values


@pytest.mark.parametrize("target", ["wormhole", "blackhole"])
@pytest.mark.parametrize("kind", EXPECTED)
def test_rows_with_infinities(kind: str, target: str) -> None:
    values, out = with_infinities(64), torch.zeros(ROWS)
    tilesmith.compile(row_reduction(kind, 64, "float32"), target=target)(values, out)
    torch.testing.assert_close(out, EXPECTED[kind](values), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("columns", "dtype"), [(40, "float32"), (64, "bfloat16"), (20, "float16")])
def test_other_sizes_and_types(columns: int, dtype: str) -> None:
    values = with_infinities(columns).to(getattr(torch, dtype))
    out = torch.zeros(ROWS, dtype=values.dtype)
    tilesmith.compile(row_reduction("max", columns, dtype))(values, out)
    assert torch.equal(out, values.amax(1))


def test_column_broadcast_over_a_block() -> None:
    values, out = torch.randn(ROWS, 64), torch.zeros(ROWS, 64)
    column = with_infinities(64)[:, :1].contiguous()
    tilesmith.compile(broadcast_column(64))(values, column, out)
    assert torch.equal(out, torch.maximum(values, column))


def test_masked_softmax() -> None:
    generator = torch.Generator().manual_seed(2)
    values = torch.randn(ROWS, 64, generator=generator)
    mask = torch.where(torch.rand(ROWS, 64, generator=generator) < 0.5, 0.0, -INF)
    mask[3], mask[8, 5:] = -INF, -INF
    out = torch.zeros(ROWS, 64)
    tilesmith.compile(masked_softmax(64))(values, mask, out)
    expected = torch.softmax(values + mask, 1).nan_to_num(0.0)
    torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-6)
