"""T.Parallel -> tile.map: which operands follow which dimension, and what a body may say."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

import numpy as np
import pytest
import tilelang.language as T
from tests.compiler.importer.importing import imported, integers, noise, operations, run


def test_vectors_follow_one_dimension() -> None:
    @T.prim_func
    def scale(
        A: T.Tensor((32, 64), "float32"),
        rows: T.Tensor((32,), "float32"),
        columns: T.Tensor((64,), "float32"),
        B: T.Tensor((32, 64), "float32"),
    ):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_fragment((32, 64), "float32")
            r = T.alloc_fragment((32,), "float32")
            c = T.alloc_fragment((64,), "float32")
            T.copy(A, a)
            T.copy(rows, r)
            T.copy(columns, c)
            for i, j in T.Parallel(32, 64):
                a[i, j] = a[i, j] * r[i] + c[j]
            T.copy(a, B)

    assert "dims [[0, 1], [0], [1]]" in str(imported(scale))
    a, r, c, b = noise(32, 64), noise(32, seed=1), noise(64, seed=2), np.zeros((32, 64), np.float32)
    run(scale, A=a, rows=r, columns=c, B=b)
    np.testing.assert_allclose(b, a * r[:, None] + c, rtol=1e-6)


def test_a_transposed_operand_swaps_dimensions() -> None:
    @T.prim_func
    def plus_transposed(A: T.Tensor((32, 32), "float32"), B: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((32, 32), "float32")
            b = T.alloc_fragment((32, 32), "float32")
            T.copy(A, a)
            for i, j in T.Parallel(32, 32):
                b[i, j] = a[i, j] + a[j, i]
            T.copy(b, B)

    assert "dims [[0, 1], [1, 0]]" in str(imported(plus_transposed))
    a, b = noise(32, 32), np.zeros((32, 32), np.float32)
    run(plus_transposed, A=a, B=b)
    np.testing.assert_array_equal(b, a + a.T)


def test_tensors_in_a_body_are_loaded_and_stored() -> None:
    @T.prim_func
    def add(
        A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32"), C: T.Tensor((64, 64), "float32")
    ):
        with T.Kernel(2, 2, threads=128) as (bx, by):
            for i, j in T.Parallel(32, 32):
                y, x = by * 32 + i, bx * 32 + j
                C[y, x] = A[y, x] + B[y, x]

    found = operations(add)
    assert (found["tile.load"], found["tile.map"], found["tile.store"], found["tile.scalar"]) == (2, 1, 1, 0)
    a, b, c = noise(64, 64), noise(64, 64, seed=1), np.zeros((64, 64), np.float32)
    run(add, A=a, B=b, C=c)
    np.testing.assert_array_equal(c, a + b)


def test_guards_on_a_store_become_limits() -> None:
    @T.prim_func
    def first(
        A: T.Tensor((64, 64), "float32"), lengths: T.Tensor((2,), "int32"), B: T.Tensor((64, 64), "float32")
    ):
        with T.Kernel(2, threads=128) as bx:
            block = T.alloc_fragment((32, 64), "float32")
            T.copy(A[bx * 32, 0], block)
            rows = lengths[bx]
            for i, j in T.Parallel(32, 64):
                if i < rows:
                    B[bx * 32 + i, j] = block[i, j] * 2

    module = imported(first)
    assert "limits" in str(module)
    assert "tile.scalar" not in str(module)
    a, b = noise(64, 64), np.zeros((64, 64), np.float32)
    run(first, A=a, lengths=np.array([5, 31], np.int32), B=b)
    expected = np.zeros_like(a)
    expected[:5], expected[32:63] = a[:5] * 2, a[32:63] * 2
    np.testing.assert_array_equal(b, expected)


def test_a_guarded_load_becomes_a_load_with_limits() -> None:
    @T.prim_func
    def masked(A: T.Tensor((64, 64), "float32"), n: T.int32, B: T.Tensor((64, 64), "float32")):
        with T.Kernel(2, threads=128) as bx:
            block = T.alloc_shared((32, 64), "float32")
            for i, j in T.Parallel(32, 64):
                block[i, j] = T.if_then_else(bx * 32 + i < n, A[bx * 32 + i, j], 0.0)
            T.copy(block, B[bx * 32, 0])

    found = operations(masked)
    assert (found["tile.map"], found["tile.scalar"], found["tile.load"]) == (0, 0, 1)
    a, b = noise(64, 64), np.zeros((64, 64), np.float32)
    run(masked, {"n": 40}, A=a, B=b)
    np.testing.assert_array_equal(b, np.where(np.arange(64)[:, None] < 40, a, 0))


def test_the_parameters_order_is_kept_when_numbers_are_among_them() -> None:
    @T.prim_func
    def scaled(A: T.Tensor((32, 32), "float32"), n: T.int32, s: T.float32, B: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_fragment((32, 32), "float32")
            T.copy(A, a)
            for i, j in T.Parallel(32, 32):
                a[i, j] = a[i, j] * s + T.cast(n, "float32")
            T.copy(a, B)

    assert '["A", "n", "s", "B"]' in str(imported(scaled))
    a, b = noise(32, 32), np.zeros((32, 32), np.float32)
    run(scaled, {"n": 3}, A=a, s=np.array([0.5], np.float32), B=b)
    np.testing.assert_allclose(b, a * 0.5 + 3, rtol=1e-6)


def test_offsets_into_a_buffer_go_through_a_copy() -> None:
    @T.prim_func
    def shifted(A: T.Tensor((32, 96), "float32"), B: T.Tensor((32, 64), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((32, 96), "float32")
            b = T.alloc_fragment((32, 64), "float32")
            T.copy(A, a)
            for i, j in T.Parallel(32, 64):
                b[i, j] = a[i, j] - a[i, j + 32]
            T.copy(b, B)

    found = operations(shifted)
    assert (found["tile.copy"], found["tile.map"], found["tile.scalar"]) == (1, 1, 0)
    a, b = noise(32, 96), np.zeros((32, 64), np.float32)
    run(shifted, A=a, B=b)
    np.testing.assert_array_equal(b, a[:, :64] - a[:, 32:])


def test_statements_of_one_loop_become_maps_in_order() -> None:
    @T.prim_func
    def chain(A: T.Tensor((32, 32), "float32"), B: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_fragment((32, 32), "float32")
            b = T.alloc_fragment((32, 32), "float32")
            T.copy(A, a)
            for i, j in T.Parallel(32, 32):
                a[i, j] = a[i, j] + 1
                b[i, j] = a[i, j] * a[i, j]
                if i >= j:
                    b[i, j] = -b[i, j]
            T.copy(b, B)

    assert operations(chain)["tile.map"] == 3
    a, b = noise(32, 32), np.zeros((32, 32), np.float32)
    run(chain, A=a, B=b)
    squares = (a + 1) ** 2
    np.testing.assert_allclose(b, np.where(np.tri(32, dtype=bool), -squares, squares), rtol=1e-6)


def test_a_body_may_use_functions_choices_and_indices() -> None:
    @T.prim_func
    def many(A: T.Tensor((32, 32), "float32"), B: T.Tensor((32, 32), "float32")):
        with T.Kernel(2, threads=128) as bx:
            a = T.alloc_fragment((32, 32), "float32")
            T.copy(A, a)
            for i, j in T.Parallel(32, 32):
                x = T.if_then_else(bx * 32 + i >= j and a[i, j] > 0, T.exp(a[i, j]), T.sigmoid(a[i, j]))
                a[i, j] = T.max(x, T.tanh(a[i, j])) + T.cast(i % 3, "float32") + T.abs(a[i, j])
            T.copy(a, B)

    assert operations(many)["tile.scalar"] == 0
    a, b = noise(32, 32), np.zeros((32, 32), np.float32)
    run(many, A=a, B=b)
    i, j = np.ogrid[:32, :32]
    x = np.where((32 + i >= j) & (a > 0), np.exp(a), 1 / (1 + np.exp(-a)))
    np.testing.assert_allclose(b, np.maximum(x, np.tanh(a)) + i % 3 + np.abs(a), rtol=1e-5)


def test_a_sum_over_a_loop_in_the_body_becomes_a_reduction() -> None:
    @T.prim_func
    def products(
        A: T.Tensor((32, 64), "float32"), x: T.Tensor((64,), "float32"), B: T.Tensor((32,), "float32")
    ):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_fragment((32, 64), "float32")
            v = T.alloc_fragment((64,), "float32")
            total = T.alloc_fragment((32,), "float32")
            T.copy(A, a)
            T.copy(x, v)
            T.clear(total)
            for i in T.Parallel(32):
                for k in T.serial(64):
                    total[i] += a[i, k] * v[k]
            T.copy(total, B)

    found = operations(products)
    assert (found["tile.reduce"], found["tile.scalar"]) == (1, 0)
    a, x, b = noise(32, 64), noise(64, seed=1), np.zeros(32, np.float32)
    run(products, A=a, x=x, B=b)
    np.testing.assert_allclose(b, a @ x, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", ["int32", "uint8", "bool"])
def test_integers_may_choose_between_floats(dtype: str) -> None:
    @T.prim_func
    def choose(
        A: T.Tensor((32, 32), "float32"), mask: T.Tensor((32, 32), dtype), B: T.Tensor((32, 32), "float32")
    ):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_fragment((32, 32), "float32")
            m = T.alloc_fragment((32, 32), dtype)
            T.copy(A, a)
            T.copy(mask, m)
            for i, j in T.Parallel(32, 32):
                a[i, j] = T.if_then_else(m[i, j] != 0, a[i, j], -1.0)
            T.copy(a, B)

    assert operations(choose)["tile.map"] == 1
    a, b = noise(32, 32), np.zeros((32, 32), np.float32)
    mask = integers(32, 32, below=2, dtype=dtype)
    run(choose, A=a, mask=mask, B=b)
    np.testing.assert_array_equal(b, np.where(mask != 0, a, -1))


def test_a_plain_loop_over_independent_elements_is_a_map_too() -> None:
    @T.prim_func
    def double(A: T.Tensor((32, 32), "float32"), B: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_fragment((32, 32), "float32")
            T.copy(A, a)
            for i in T.serial(32):
                for j in T.serial(32):
                    a[i, j] = a[i, j] * 2
            T.copy(a, B)

    found = operations(double)
    assert (found["tile.map"], found["tile.scalar"]) == (1, 0)
    a, b = noise(32, 32), np.zeros((32, 32), np.float32)
    run(double, A=a, B=b)
    np.testing.assert_array_equal(b, a * 2)


def test_a_loop_of_rows_keeps_its_tile_operations() -> None:
    @T.prim_func
    def rows(A: T.Tensor((8, 64), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((8, 64), "float32")
            total = T.alloc_fragment((64,), "float32")
            T.copy(A, a)
            T.clear(total)
            for r in T.serial(8):
                for j in T.Parallel(64):
                    total[j] = total[j] * 0.5 + a[r, j]
            T.copy(total, B)

    found = operations(rows)
    assert (found["scf.for"], found["tile.map"], found["tile.scalar"]) == (1, 1, 0)
    a, b = noise(8, 64), np.zeros(64, np.float32)
    run(rows, A=a, B=b)
    expected = np.zeros(64, np.float32)
    for row in a:
        expected = expected * np.float32(0.5) + row
    np.testing.assert_allclose(b, expected, rtol=1e-6)


def test_two_variables_may_count_through_one_dimension() -> None:
    @T.prim_func
    def double(A: T.Tensor((32, 64), "float32"), B: T.Tensor((32, 64), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_fragment((32, 64), "float32")
            T.copy(A, a)
            for i, j in T.Parallel(32, 8):
                for v in T.vectorized(8):
                    a[i, j * 8 + v] = a[i, j * 8 + v] * 2 + T.cast(j, "float32")
            T.copy(a, B)

    found = operations(double)
    assert (found["tile.map"], found["tile.scalar"], found["tile.copy"]) == (1, 0, 0)
    a, b = noise(32, 64), np.zeros((32, 64), np.float32)
    run(double, A=a, B=b)
    np.testing.assert_allclose(b, a * 2 + np.arange(64) // 8, rtol=1e-6)


def test_groups_of_columns() -> None:
    @T.prim_func
    def normalise(
        A: T.Tensor((32, 64), "float32"), scale: T.Tensor((4, 16), "float32"), B: T.Tensor((32, 4), "float32")
    ):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_fragment((32, 64), "float32")
            s = T.alloc_fragment((4, 16), "float32")
            b = T.alloc_fragment((32, 4), "float32")
            T.copy(A, a)
            T.copy(scale, s)
            groups = T.reshape(a, (32, 4, 16))
            for i, g, j in T.Parallel(32, 4, 16):
                groups[i, g, j] = groups[i, g, j] * s[g, j]
            T.reduce_max(groups, b, dim=2)
            T.copy(b, B)

    a, scale, b = noise(32, 64), noise(4, 16, seed=1), np.zeros((32, 4), np.float32)
    run(normalise, A=a, scale=scale, B=b)
    np.testing.assert_array_equal(b, (a.reshape(32, 4, 16) * scale).max(2))
