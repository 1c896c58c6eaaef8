"""T.copy in every direction, with regions of other ranks and other sizes."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

import numpy as np
import tilelang.language as T
from tests.compiler.importer.importing import imported, noise, operations, run


def test_a_block_of_a_tensor_becomes_a_load_and_a_store() -> None:
    @T.prim_func
    def copy(A: T.Tensor((64, 96), "float32"), B: T.Tensor((64, 96), "float32")):
        with T.Kernel(3, 2, threads=128) as (bx, by):
            block = T.alloc_shared((32, 32), "float32")
            T.copy(A[by * 32, bx * 32], block)
            T.copy(block, B[by * 32, bx * 32])

    found = operations(copy)
    assert (found["tile.load"], found["tile.store"], found["tile.copy"]) == (1, 1, 0)
    a, b = noise(64, 96), np.zeros((64, 96), np.float32)
    run(copy, A=a, B=b)
    np.testing.assert_array_equal(b, a)


def test_dimensions_of_size_one_come_and_go() -> None:
    @T.prim_func
    def pick(A: T.Tensor((2, 32, 4, 64), "float32"), B: T.Tensor((4, 2, 32, 64), "float32")):
        with T.Kernel(4, 2, threads=128) as (head, batch):
            block = T.alloc_shared((32, 64), "float32")
            T.copy(A[batch, 0:32, head, 0:64], block)
            T.copy(block, B[head, batch, :, :])

    a, b = noise(2, 32, 4, 64), np.zeros((4, 2, 32, 64), np.float32)
    run(pick, A=a, B=b)
    np.testing.assert_array_equal(b, a.transpose(2, 0, 1, 3))


def test_what_lies_beyond_a_tensor_reads_as_zero_and_is_not_written() -> None:
    @T.prim_func
    def double(A: T.Tensor((40, 50), "float32"), B: T.Tensor((40, 50), "float32")):
        with T.Kernel(2, 2, threads=128) as (bx, by):
            block = T.alloc_fragment((32, 32), "float32")
            T.copy(A[by * 32, bx * 32], block)
            for i, j in T.Parallel(32, 32):
                block[i, j] = block[i, j] * 2 + 1
            T.copy(block, B[by * 32, bx * 32])

    a, b = noise(40, 50), np.zeros((40, 50), np.float32)
    run(double, A=a, B=b)
    np.testing.assert_array_equal(b, a * 2 + 1)


def test_parts_of_buffers_go_through_a_buffer_of_their_own() -> None:
    @T.prim_func
    def halves(A: T.Tensor((32, 64), "float32"), B: T.Tensor((32, 64), "float32")):
        with T.Kernel(1, threads=128) as _:
            block = T.alloc_shared((32, 64), "float32")
            T.copy(A[0:32, 0:32], block[0:32, 32:64])
            T.copy(A[0:32, 32:64], block[0:32, 0:32])
            T.copy(block[0:16, 0:64], B[16:32, 0:64])
            T.copy(block[16:32, 0:64], B[0:16, 0:64])

    a, b = noise(32, 64), np.zeros((32, 64), np.float32)
    run(halves, A=a, B=b)
    swapped = np.concatenate([a[:, 32:], a[:, :32]], axis=1)
    np.testing.assert_array_equal(b, np.concatenate([swapped[16:], swapped[:16]]))


def test_a_copy_between_tensors_stops_over_on_the_core() -> None:
    @T.prim_func
    def through(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
        with T.Kernel(2, threads=128) as bx:
            T.copy(A[bx * 32 : bx * 32 + 32, 0:64], B[bx * 32 : bx * 32 + 32, 0:64])

    found = operations(through)
    assert (found["tile.alloc"], found["tile.load"], found["tile.store"]) == (1, 1, 1)
    a, b = noise(64, 64), np.zeros((64, 64), np.float32)
    run(through, A=a, B=b)
    np.testing.assert_array_equal(b, a)


def test_another_shape_of_a_tensor_is_a_view() -> None:
    @T.prim_func
    def flat(A: T.Tensor((4, 8, 64), "float32"), B: T.Tensor((32, 64), "float32")):
        with T.Kernel(1, threads=128) as _:
            rows = T.Tensor((32, 64), "float32", A.data)
            block = T.alloc_shared((32, 64), "float32")
            T.copy(rows[0:32, 0:64], block)
            T.copy(block, B)

    assert operations(flat)["tile.view"] == 1
    a, b = noise(4, 8, 64), np.zeros((32, 64), np.float32)
    run(flat, A=a, B=b)
    np.testing.assert_array_equal(b, a.reshape(32, 64))


def test_atomic_adds_of_blocks_accumulate() -> None:
    @T.prim_func
    def total(A: T.Tensor((4, 32, 32), "float32"), B: T.Tensor((32, 32), "float32")):
        with T.Kernel(4, threads=128) as bx:
            block = T.alloc_shared((32, 32), "float32")
            T.copy(A[bx, 0:32, 0:32], block)
            T.atomic_add(B[0:32, 0:32], block)

    assert 'accumulate "add"' in str(imported(total))
    a, b = noise(4, 32, 32), noise(32, 32, seed=1)
    before = b.copy()
    run(total, A=a, B=b)
    np.testing.assert_allclose(b, before + a.sum(0), rtol=1e-6, atol=1e-6)


def test_sizes_may_be_symbols() -> None:
    m = T.dynamic("m")

    @T.prim_func
    def copy(A: T.Tensor((m, 64), "float32"), B: T.Tensor((m, 64), "float32")):
        with T.Kernel(T.ceildiv(m, 32), threads=128) as bx:
            block = T.alloc_shared((32, 64), "float32")
            T.copy(A[bx * 32, 0], block)
            T.copy(block, B[bx * 32, 0])

    a, b = noise(70, 64), np.zeros((70, 64), np.float32)
    run(copy, {"m": 70}, A=a, B=b)
    np.testing.assert_array_equal(b, a)
