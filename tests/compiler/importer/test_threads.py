"""Code that names its thread: loops over the threads, cut where they wait for each other."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from typing import Any

import numpy as np
import pytest
import tilelang.language as T
from tests.compiler.importer.importing import integers, noise, run

from tilesmith.errors import UnsupportedKernelError


def test_each_thread_has_its_element() -> None:
    @T.prim_func
    def double(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32")):
        with T.Kernel(2, threads=128) as bx:
            tx = T.get_thread_binding()
            B[bx * 128 + tx] = A[bx * 128 + tx] * 2

    a, b = noise(256), np.zeros(256, np.float32)
    run(double, A=a, B=b)
    np.testing.assert_array_equal(b, a * 2)


def test_threads_see_what_others_wrote_before_a_barrier() -> None:
    @T.prim_func
    def reverse(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32")):
        with T.Kernel(1, threads=64) as _:
            tx = T.get_thread_binding()
            shared = T.alloc_shared((64,), "int32")
            shared[tx] = A[tx]
            T.sync_threads()
            B[tx] = shared[63 - tx]

    a, b = integers(64, below=1000), np.zeros(64, np.int32)
    run(reverse, A=a, B=b)
    np.testing.assert_array_equal(b, a[::-1])


def test_a_barrier_inside_a_loop_and_a_variable_across_it() -> None:
    @T.prim_func
    def prefix(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32")):
        with T.Kernel(1, threads=64) as _:
            tx = T.get_thread_binding()
            shared = T.alloc_shared((64,), "int32")
            mine = T.alloc_var("int32")
            shared[tx] = A[tx]
            T.sync_threads()
            for step in T.serial(6):
                mine = shared[tx]
                if tx >= (1 << step):
                    mine = mine + shared[tx - (1 << step)]
                T.sync_threads()
                shared[tx] = mine
                T.sync_threads()
            B[tx] = shared[tx]

    a, b = integers(64, below=100), np.zeros(64, np.int32)
    run(prefix, A=a, B=b)
    np.testing.assert_array_equal(b, np.cumsum(a))


def test_one_thread_may_do_something_the_others_do_not() -> None:
    @T.prim_func
    def first(A: T.Tensor((32,), "int32"), B: T.Tensor((2,), "int32")):
        with T.Kernel(1, threads=32) as _:
            tx = T.get_thread_binding()
            total = T.alloc_shared((1,), "int32")
            if tx == 0:
                total[0] = 0
            T.sync_threads()
            T.atomic_add(total[0], A[tx])
            T.sync_threads()
            if tx == 31:
                B[1] = total[0]
            B[0] = 7

    a, b = integers(32, below=100), np.zeros(2, np.int32)
    run(first, A=a, B=b)
    np.testing.assert_array_equal(b, [7, a.sum()])


def test_threads_reduce_together() -> None:
    @T.prim_func
    def sums(A: T.Tensor((4, 32), "float32"), B: T.Tensor((4,), "float32")):
        with T.Kernel(1, threads=(4, 32)) as _:
            row = T.get_thread_binding(0)
            column = T.get_thread_binding(1)
            mine = T.alloc_local((1,), "float32")
            total = T.alloc_local((1,), "float32")
            mine[0] = A[row, column]
            with T.attr(
                T.comm_reducer(lambda x, y: x + y, [T.cast(0, "float32")]),
                "reduce_scope",
                T.reinterpret(T.uint64(0), dtype="handle"),
            ):
                T.evaluate(
                    T.tvm_thread_allreduce(T.uint32(1), mine[0], True, total[0], column, dtype="handle")
                )
            if column == 0:
                B[row] = total[0]

    a, b = noise(4, 32), np.zeros(4, np.float32)
    run(sums, A=a, B=b)
    np.testing.assert_allclose(b, a.sum(1), rtol=1e-5, atol=1e-5)


def reduced(combine: Any, dtype: str) -> Any:
    @T.prim_func
    def main(A: T.Tensor((8,), dtype), B: T.Tensor((1,), dtype)):
        with T.Kernel(1, threads=8) as _:
            tx = T.get_thread_binding(0)
            mine = T.alloc_local((1,), dtype)
            total = T.alloc_local((1,), dtype)
            mine[0] = A[tx]
            with T.attr(
                T.comm_reducer(combine, [T.cast(0, dtype)]),
                "reduce_scope",
                T.reinterpret(T.uint64(0), dtype="handle"),
            ):
                T.evaluate(T.tvm_thread_allreduce(T.uint32(1), mine[0], True, total[0], tx, dtype="handle"))
            if tx == 0:
                B[0] = total[0]

    return main


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint32", "int16", "uint8"])
@pytest.mark.parametrize(
    ("combine", "wanted"),
    [(lambda x, y: x * y, np.prod), (lambda x, y: T.max(x, y), np.max), (lambda x, y: T.min(x, y), np.min)],
    ids=["mul", "max", "min"],
)
def test_threads_combine_from_what_changes_nothing(combine: Any, wanted: Any, dtype: str) -> None:
    a = np.array([3, 4, 5, 6, 7, 8, 9, 10]).astype(dtype)
    for values in (a, np.array([2**31 + n for n in a], np.uint32) if dtype == "uint32" else a):
        found = np.zeros(1, values.dtype)
        run(reduced(combine, dtype), A=values, B=found)
        assert found[0] == (values.prod(dtype=dtype) if wanted is np.prod else wanted(values))


def test_threads_that_take_no_part_in_a_reduction() -> None:
    @T.prim_func
    def main(A: T.Tensor((8,), "int32"), B: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=8) as _:
            tx = T.get_thread_binding(0)
            least = T.alloc_local((1,), "int32")
            with T.attr(
                T.comm_reducer(lambda x, y: T.min(x, y), [T.cast(0, "int32")]),
                "reduce_scope",
                T.reinterpret(T.uint64(0), dtype="handle"),
            ):
                T.evaluate(
                    T.tvm_thread_allreduce(T.uint32(1), A[tx], A[tx] > 4, least[0], tx, dtype="handle")
                )
            if tx == 0:
                B[0] = least[0]

    b = np.zeros(1, np.int32)
    run(main, A=np.array([3, 9, 1, 6, 4, 7, 2, 8], np.int32), B=b)
    assert b[0] == 6


def test_threads_combine_in_no_other_way() -> None:
    with pytest.raises(UnsupportedKernelError, match="combines two values as"):
        run(reduced(lambda x, y: x + y * y, "float32"), A=noise(8), B=np.zeros(1, np.float32))


def test_both_sides_of_a_branch_on_the_thread_run_their_tile_operations() -> None:
    @T.prim_func
    def parts(
        A: T.Tensor((32, 32), "float32"), B: T.Tensor((32, 32), "float32"), C: T.Tensor((32, 32), "float32")
    ):
        with T.Kernel(1, threads=128) as _:
            tx = T.get_thread_binding()
            a = T.alloc_shared((32, 32), "float32")
            T.copy(A, a)
            if tx < 64:
                T.copy(a, B)
            else:
                T.copy(a, C)

    a = noise(32, 32)
    b, c = np.zeros_like(a), np.zeros_like(a)
    run(parts, A=a, B=b, C=c)
    np.testing.assert_array_equal(b, a)
    np.testing.assert_array_equal(c, a)


def test_the_old_value_of_an_atomic_addition() -> None:
    @T.prim_func
    def positions(
        A: T.Tensor((32,), "int32"), count: T.Tensor((1,), "int32"), kept: T.Tensor((32,), "int32")
    ):
        with T.Kernel(1, threads=32) as _:
            tx = T.get_thread_binding()
            place = T.alloc_var("int32")
            if A[tx] > 50:
                place = T.atomic_add(count[0], 1, return_prev=True)
                kept[place] = A[tx]

    a = integers(32, below=100)
    count, kept = np.zeros(1, np.int32), np.zeros(32, np.int32)
    run(positions, A=a, count=count, kept=kept)
    assert count[0] == (a > 50).sum()
    np.testing.assert_array_equal(np.sort(kept[: count[0]]), np.sort(a[a > 50]))


def test_every_thread_takes_a_place_of_its_own() -> None:
    @T.prim_func
    def sort_by_size(
        A: T.Tensor((64,), "int32"), kept: T.Tensor((64,), "int32"), done: T.Tensor((1,), "int32")
    ):
        with T.Kernel(1, threads=32) as _:
            tx = T.get_thread_binding()
            counts = T.alloc_shared((2,), "int32")
            rest = T.alloc_shared((64,), "int32")
            place = T.alloc_var("int32")
            T.fill(counts, 0)
            T.sync_threads()
            for part in T.serial(2):
                T.sync_threads()
                if A[part * 32 + tx] > 50:
                    place = T.atomic_add(counts[0], 1, return_prev=True)
                    kept[place] = A[part * 32 + tx]
                elif A[part * 32 + tx] > 20:
                    place = T.atomic_add(counts[1], 1, return_prev=True)
                    rest[place] = A[part * 32 + tx]
            T.atomic_add(done[0], 1)
            T.sync_threads()
            for part in T.serial(2):
                if part * 32 + tx < counts[1]:
                    kept[counts[0] + part * 32 + tx] = rest[part * 32 + tx]

    a = integers(64, below=100)
    kept, done = np.zeros(64, np.int32), np.zeros(1, np.int32)
    run(sort_by_size, A=a, kept=kept, done=done)
    high, middle = a[a > 50], a[(a > 20) & (a <= 50)]
    np.testing.assert_array_equal(np.sort(kept[: len(high)]), np.sort(high))
    np.testing.assert_array_equal(np.sort(kept[len(high) : len(high) + len(middle)]), np.sort(middle))
    assert done[0] == 32


def test_threads_of_a_warp_exchange_values() -> None:
    @T.prim_func
    def swap(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32"), C: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as _:
            tx = T.get_thread_binding()
            B[tx] = T.tvm_warp_shuffle(0xFFFFFFFF, A[tx], (tx ^ 1) % 32, 32, 32)
            C[tx] = T.warp_reduce_max(A[tx])

    a = noise(64)
    b, c = np.zeros_like(a), np.zeros_like(a)
    run(swap, A=a, B=b, C=c)
    np.testing.assert_array_equal(b, a.reshape(32, 2)[:, ::-1].ravel())
    np.testing.assert_array_equal(c, a.reshape(2, 32).max(1).repeat(32))


@pytest.mark.parametrize(
    ("op", "wanted"),
    [("bitand", np.bitwise_and), ("bitor", np.bitwise_or), ("bitxor", np.bitwise_xor), ("sum", np.add)],
)
def test_reducers_combine_bits_too(op: str, wanted: Any) -> None:
    @T.prim_func
    def rows(A: T.Tensor((16, 40), "int32"), B: T.Tensor((1, 16), "int32")):
        with T.Kernel(1, threads=128) as _:
            block = T.alloc_fragment((16, 40), "int32")
            total = T.alloc_reducer((1, 16), "int32", op=op)
            result = T.alloc_fragment((1, 16), "int32")
            T.copy(A, block)
            T.reducer_init(total)
            for i, k in T.Parallel(16, 40):
                T.reducer_update(total[0, i], block[i, k])
            T.finalize_reducer(total, result)
            T.copy(result, B)

    a, b = integers(16, 40, below=2**20), np.zeros((1, 16), np.int32)
    run(rows, A=a, B=b)
    np.testing.assert_array_equal(b[0], wanted.reduce(a, axis=1))


@pytest.mark.parametrize("shape", [(1, 16), (16, 1)])
def test_a_sum_may_have_a_dimension_of_size_one_anywhere(shape: tuple[int, int]) -> None:
    @T.prim_func
    def rows(A: T.Tensor((16, 40), "float32"), B: T.Tensor(shape, "float32")):
        with T.Kernel(1, threads=128) as _:
            block = T.alloc_fragment((16, 40), "float32")
            total = T.alloc_reducer(shape, "float32", op="sum")
            T.copy(A, block)
            T.reducer_init(total)
            for i, k in T.Parallel(16, 40):
                if shape[0] == 1:
                    T.reducer_update(total[0, i], block[i, k])
                else:
                    T.reducer_update(total[i, 0], block[i, k])
            result = T.alloc_fragment(shape, "float32")
            T.finalize_reducer(total, result)
            T.copy(result, B)

    a, b = noise(16, 40), np.zeros(shape, np.float32)
    run(rows, A=a, B=b)
    np.testing.assert_allclose(b.ravel(), a.sum(1), rtol=1e-5, atol=1e-5)
