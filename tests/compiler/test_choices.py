"""Branches and choices over elements: all paths overwrite, or the side not taken has no value."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import tilelang.language as T
import torch
from tests.compiler.importer.importing import operations

import tilesmith


def either(dtype: str) -> Any:
    @T.prim_func
    def main(A: T.Tensor((32, 64), dtype), B: T.Tensor((32, 64), dtype)):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32, 64), dtype)
            b = T.alloc_fragment((32, 64), dtype)
            T.copy(A, a)
            for i, j in T.Parallel(32, 64):
                if a[i, j] > 0:
                    b[i, j] = a[i, j] + a[i, j]
                else:
                    b[i, j] = -a[i, j]
            T.copy(b, B)

    return main


def three_ways() -> Any:
    @T.prim_func
    def main(A: T.Tensor((32, 64), "float32"), B: T.Tensor((32, 64), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32, 64), "float32")
            b = T.alloc_fragment((32, 64), "float32")
            T.copy(A, a)
            for i, j in T.Parallel(32, 64):
                if a[i, j] > 1.0:
                    b[i, j] = 3.0
                elif a[i, j] > 0.0:
                    b[i, j] = a[i, j]
                else:
                    b[i, j] = -4.0
            T.copy(b, B)

    return main


def two_buffers() -> Any:
    """The second store of each side reads what the first wrote."""

    @T.prim_func
    def main(A: T.Tensor((32, 64), "float32"), B: T.Tensor((32, 64), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32, 64), "float32")
            b = T.alloc_fragment((32, 64), "float32")
            c = T.alloc_fragment((32, 64), "float32")
            T.copy(A, a)
            for i, j in T.Parallel(32, 64):
                if a[i, j] > 0:
                    b[i, j] = a[i, j] * 2.0
                    c[i, j] = b[i, j] + 1.0
                else:
                    b[i, j] = a[i, j] * 4.0
                    c[i, j] = b[i, j] - 1.0
            for i, j in T.Parallel(32, 64):
                b[i, j] = b[i, j] + c[i, j]
            T.copy(b, B)

    return main


def one_side() -> Any:
    """Nothing reads what the branch does not write."""

    @T.prim_func
    def main(A: T.Tensor((32, 64), "float32"), B: T.Tensor((32, 64), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32, 64), "float32")
            b = T.alloc_fragment((32, 64), "float32")
            T.copy(A, a)
            for i, j in T.Parallel(32, 64):
                if a[i, j] > 0:
                    b[i, j] = a[i, j] * 2.0
            for i, j in T.Parallel(32, 64):
                a[i, j] = T.if_then_else(a[i, j] > 0, b[i, j], 0.0)
            T.copy(a, B)

    return main


def condition_changes() -> Any:
    """The second branch tests what the first has changed."""

    @T.prim_func
    def main(A: T.Tensor((32, 64), "float32"), B: T.Tensor((32, 64), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32, 64), "float32")
            b = T.alloc_fragment((32, 64), "float32")
            T.copy(A, a)
            T.clear(b)
            for i, j in T.Parallel(32, 64):
                if a[i, j] > 0:
                    b[i, j] = 1.0
                    a[i, j] = -a[i, j]
                if a[i, j] > 0:
                    b[i, j] = 7.0
                else:
                    b[i, j] = b[i, j] + 2.0
            T.copy(b, B)

    return main


def shifted(by: int, used_before: bool) -> Any:
    """Rotate: each side of the choice is outside the buffer where the other is taken."""

    @T.prim_func
    def main(A: T.Tensor((32, 64), "float32"), B: T.Tensor((32, 64), "float32")):
        with T.Kernel(1, threads=128):
            x = T.alloc_shared((32, 64), "float32")
            y = T.alloc_fragment((32, 64), "float32")
            T.copy(A, x)
            T.clear(y)
            if used_before:
                for i, j in T.Parallel(32, 64):
                    y[i, j] = x[i, j] * 2.0
            for i, j in T.Parallel(32, 64):
                y[i, j] = y[i, j] + T.if_then_else(j < 64 - by, -x[i, j + by], x[i, j + by - 64])
            T.copy(y, B)

    return main


def shifted_by_block() -> Any:
    """The distance is only known when the kernel runs."""

    @T.prim_func
    def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
        with T.Kernel(2, threads=128) as bx:
            x = T.alloc_shared((32, 64), "float32")
            y = T.alloc_fragment((32, 64), "float32")
            T.copy(A[bx * 32, 0], x)
            for i, j in T.Parallel(32, 64):
                y[i, j] = T.if_then_else(j >= bx * 32, x[i, j - bx * 32], 0.0)
            T.copy(y, B[bx * 32, 0])

    return main


def stored_before_the_start() -> Any:
    @T.prim_func
    def main(A: T.Tensor((32, 64), "float32"), B: T.Tensor((32, 64), "float32")):
        with T.Kernel(1, threads=128):
            x = T.alloc_shared((32, 64), "float32")
            y = T.alloc_fragment((32, 64), "float32")
            T.copy(A, x)
            T.clear(y)
            for i, j in T.Parallel(32, 64):
                if j >= 32:
                    y[i, j - 32] = x[i, j]
            T.copy(y, B)

    return main


def short_circuit() -> Any:
    """`and` and `or` decide before their second side would leave the buffer."""

    @T.prim_func
    def main(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64,), "int32")
            b = T.alloc_shared((64,), "int32")
            T.copy(A, a)
            for i in T.Parallel(64):
                b[i] = a[i]
                if i > 0 and a[i - 1] > 0:
                    b[i] = 100
                if i == 63 or a[i + 1] > 2:
                    b[i] = b[i] + 1000
            T.copy(b, B)

    return main


def check(kernel: Any, expected: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> None:
    assert torch.equal(tilesmith.compile(kernel)(x), expected(x))


def values(rows: int = 32) -> torch.Tensor:
    return torch.randn(rows, 64, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", "int32", "int16", "int8"])
def test_both_sides_of_a_branch_into_a_fresh_buffer(dtype: str) -> None:
    x = (values() * 30).to(getattr(torch, dtype))
    check(either(dtype), lambda x: torch.where(x > 0, x + x, -x), x)


def test_a_branch_is_one_map() -> None:
    found = operations(either("float32"))
    assert (found["tile.map"], found["tile.scalar"]) == (1, 0)
    assert operations(three_ways())["tile.map"] == 1


def test_three_ways() -> None:
    check(three_ways(), lambda x: torch.where(x > 1, 3.0, torch.where(x > 0, x, -4.0)), values())


def test_stores_of_both_sides_in_order() -> None:
    check(two_buffers(), lambda x: torch.where(x > 0, x * 2 + (x * 2 + 1), x * 4 + (x * 4 - 1)), values())


def test_what_a_branch_leaves_alone_is_not_looked_at() -> None:
    check(one_side(), lambda x: torch.where(x > 0, x * 2, 0.0), values())


def test_branches_of_a_condition_that_changes_stay_apart() -> None:
    check(condition_changes(), lambda x: torch.where(x > 0, 3.0, 2.0), values())


@pytest.mark.parametrize("used_before", [False, True])
@pytest.mark.parametrize("by", [32, 16, 1])
def test_rotate(by: int, used_before: bool) -> None:
    def expected(x: torch.Tensor) -> torch.Tensor:
        turned = torch.cat([-x[:, by:], x[:, :by]], 1)
        return 2 * x + turned if used_before else turned

    check(shifted(by, used_before), expected, values())


def test_rotate_half_moves_tiles() -> None:
    assert operations(shifted(32, used_before=True))["tile.scalar"] == 0


def test_a_distance_known_at_run_time() -> None:
    def expected(x: torch.Tensor) -> torch.Tensor:
        moved = torch.nn.functional.pad(x[32:, :32], (32, 0))
        return torch.cat([x[:32], moved])

    check(shifted_by_block(), expected, values(64))


def test_a_store_under_a_condition_that_keeps_it_inside() -> None:
    check(stored_before_the_start(), lambda x: torch.nn.functional.pad(x[:, 32:], (0, 32)), values())


def test_and_and_or_stop_at_their_first_side() -> None:
    x = torch.randint(-3, 4, (64,), dtype=torch.int32, generator=torch.Generator().manual_seed(0))
    after = torch.cat([torch.tensor([0], dtype=torch.int32), x[:-1]]) > 0
    before = torch.cat([x[1:], torch.tensor([9], dtype=torch.int32)]) > 2
    check(short_circuit(), lambda x: torch.where(after, 100, x) + 1000 * before.int(), x)
