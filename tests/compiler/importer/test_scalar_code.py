"""What is no tile operation: gathers, scans, bits, integers, control flow that depends on data."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

import numpy as np
import tilelang.language as T
from tests.compiler.importer.importing import imported, integers, noise, operations, run


def test_a_gather_of_rows() -> None:
    @T.prim_func
    def gather(
        A: T.Tensor((64, 32), "float32"), rows: T.Tensor((32,), "int32"), B: T.Tensor((32, 32), "float32")
    ):
        with T.Kernel(1, threads=128) as _:
            b = T.alloc_shared((32, 32), "float32")
            for i, j in T.Parallel(32, 32):
                b[i, j] = A[rows[i], j]
            T.copy(b, B)

    assert operations(gather)["tile.scalar"] == 1
    a, rows, b = noise(64, 32), integers(32, below=64), np.zeros((32, 32), np.float32)
    run(gather, A=a, rows=rows, B=b)
    np.testing.assert_array_equal(b, a[rows])


def test_elements_looked_for_under_a_condition_need_no_map() -> None:
    @T.prim_func
    def shifted(A: T.Tensor((32, 32), "float32"), B: T.Tensor((64, 32), "float32")):
        with T.Kernel(1, threads=32):
            block = T.alloc_shared((64, 32), "float32")
            for i, j in T.Parallel(64, 32):
                block[i, j] = T.if_then_else(i // 2 > 2 and i // 2 < 30, A[i // 2 - 1, j], 3.0)
            T.copy(block, B)

    found = operations(shifted)
    assert (found["tile.scalar"], found["tile.map"]) == (1, 0)
    a, b = noise(32, 32), np.zeros((64, 32), np.float32)
    run(shifted, A=a, B=b)
    rows = np.arange(64) // 2
    inside = (rows > 2) & (rows < 30)
    np.testing.assert_array_equal(b, np.where(inside[:, None], a[rows - 1], np.float32(3.0)))


def test_arithmetic_on_gathered_elements_stays_a_map() -> None:
    @T.prim_func
    def gather(
        A: T.Tensor((64, 32), "float32"), rows: T.Tensor((32,), "int32"), B: T.Tensor((32, 32), "float32")
    ):
        with T.Kernel(1, threads=128) as _:
            b = T.alloc_shared((32, 32), "float32")
            for i, j in T.Parallel(32, 32):
                b[i, j] = T.exp(A[rows[i], j]) * 2
            T.copy(b, B)

    found = operations(gather)
    assert (found["tile.scalar"], found["tile.map"]) == (1, 1)
    a, rows, b = noise(64, 32), integers(32, below=64), np.zeros((32, 32), np.float32)
    run(gather, A=a, rows=rows, B=b)
    np.testing.assert_allclose(b, np.exp(a[rows]) * 2, rtol=1e-6)


def test_reads_beyond_a_tensor_are_zero_in_scalar_code_too() -> None:
    @T.prim_func
    def shift(A: T.Tensor((40,), "int32"), n: T.int32, B: T.Tensor((40,), "int32")):
        with T.Kernel(1, threads=128) as _:
            for i in T.serial(40):
                B[i] = A[i + n] + 1

    a, b = integers(40, below=100), np.zeros(40, np.int32)
    run(shift, {"n": 7}, A=a, B=b)
    np.testing.assert_array_equal(b, np.concatenate([a[7:], np.zeros(7, np.int32)]) + 1)


def test_unpacking_four_bit_numbers() -> None:
    @T.prim_func
    def unpack(Q: T.Tensor((32, 16), "uint8"), B: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=128) as _:
            q = T.alloc_shared((32, 16), "uint8")
            b = T.alloc_fragment((32, 32), "float32")
            T.copy(Q, q)
            for i, j in T.Parallel(32, 32):
                low = (q[i, j // 2] >> T.cast((j % 2) * 4, "uint8")) & T.cast(15, "uint8")
                b[i, j] = T.cast(low, "float32") - 8.0
            T.copy(b, B)

    q, b = integers(32, 16, below=256, dtype="uint8"), np.zeros((32, 32), np.float32)
    run(unpack, Q=q, B=b)
    expected = np.stack([q & 15, q >> 4], axis=-1).reshape(32, 32).astype(np.float32) - 8
    np.testing.assert_array_equal(b, expected)


def test_narrow_integers_wrap() -> None:
    @T.prim_func
    def wrap(A: T.Tensor((32,), "int8"), B: T.Tensor((32,), "int8"), C: T.Tensor((32,), "uint8")):
        with T.Kernel(1, threads=128) as _:
            for i in T.serial(32):
                B[i] = A[i] + T.cast(100, "int8")
                C[i] = T.cast(A[i], "uint8") << T.cast(1, "uint8")

    a = integers(32, below=256).astype(np.int8)
    b, c = np.zeros(32, np.int8), np.zeros(32, np.uint8)
    run(wrap, A=a, B=b, C=c)
    np.testing.assert_array_equal(b, (a.astype(np.int32) + 100).astype(np.int8))
    np.testing.assert_array_equal(c, (a.astype(np.uint8).astype(np.int32) << 1).astype(np.uint8))


def test_a_loop_whose_steps_depend_on_each_other() -> None:
    @T.prim_func
    def fibonacci(B: T.Tensor((20,), "int32")):
        with T.Kernel(1, threads=128) as _:
            b = T.alloc_shared((20,), "int32")
            b[0] = 1
            b[1] = 1
            for i in T.serial(2, 20):
                b[i] = b[i - 1] + b[i - 2]
            T.copy(b, B)

    assert operations(fibonacci)["tile.scalar"] == 1
    b = np.zeros(20, np.int32)
    run(fibonacci, B=b)
    assert b[-1] == 6765


def test_numbers_out_of_a_tensor_steer_loops_and_offsets() -> None:
    @T.prim_func
    def groups(
        A: T.Tensor((96, 32), "float32"), starts: T.Tensor((4,), "int32"), B: T.Tensor((3, 32, 32), "float32")
    ):
        with T.Kernel(3, threads=128) as g:
            a = T.alloc_shared((32, 32), "float32")
            total = T.alloc_fragment((32, 32), "float32")
            T.clear(total)
            first = starts[g]
            for k in T.serial(starts[g + 1] - first):
                T.copy(A[first + k, 0], a)
                for i, j in T.Parallel(32, 32):
                    total[i, j] += a[i, j]
            T.copy(total, B[g, 0:32, 0:32])

    text = str(imported(groups))
    assert "tile.scalar" not in text
    assert "tile.read" in text
    a, b = noise(96, 32), np.zeros((3, 32, 32), np.float32)
    starts = np.array([0, 2, 3, 6], np.int32)
    run(groups, A=a, starts=starts, B=b)
    for g in range(3):
        expected = sum(a[r : r + 32] for r in range(starts[g], starts[g + 1]))
        np.testing.assert_allclose(b[g], expected, rtol=1e-5, atol=1e-5)


def test_variables_and_while() -> None:
    @T.prim_func
    def collatz(N: T.Tensor((4,), "int32"), steps: T.Tensor((4,), "int32")):
        with T.Kernel(4, threads=128) as bx:
            n = T.alloc_var("int32")
            count = T.alloc_var("int32")
            n = N[bx]
            count = 0
            while n != 1:
                if n % 2 == 0:  # noqa: SIM108 - a branch is what this is about
                    n = n // 2
                else:
                    n = n * 3 + 1
                count = count + 1
            steps[bx] = count

    steps = np.zeros(4, np.int32)
    run(collatz, N=np.array([1, 6, 7, 27], np.int32), steps=steps)
    np.testing.assert_array_equal(steps, [0, 8, 16, 111])


def test_break_and_continue() -> None:
    @T.prim_func
    def total(A: T.Tensor((16,), "int32"), B: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=128) as _:
            count = T.alloc_var("int32")
            count = 0
            for i in T.serial(16):
                if A[i] < 0:
                    break
                if A[i] % 2 == 1:
                    continue
                count = count + A[i]
            B[0] = count

    a = np.array([2, 3, 4, 5, 6, -1, 8, 10, 0, 0, 0, 0, 0, 0, 0, 0], np.int32)
    b = np.zeros(1, np.int32)
    run(total, A=a, B=b)
    assert b[0] == 12


def test_break_ends_a_while() -> None:
    @T.prim_func
    def first_even(A: T.Tensor((4, 8), "int32"), B: T.Tensor((4,), "int32")):
        with T.Kernel(4, threads=128) as bx:
            place = T.alloc_var("int32")
            place = -1
            while place < 7:
                place = place + 1
                if A[bx, place] < 0:
                    continue
                if A[bx, place] % 2 == 0:
                    break
            B[bx] = place

    a = np.array([[1, 3, 4] + [5] * 5, [-2, -4, 1, 6] + [0] * 4, [0] * 8, [1] * 8], np.int32)
    b = np.zeros(4, np.int32)
    run(first_even, A=a, B=b)
    np.testing.assert_array_equal(b, [2, 3, 0, 7])


def test_a_variable_that_element_code_sets_is_memory() -> None:
    @T.prim_func
    def argmax(
        A: T.Tensor((32,), "float32"), best: T.Tensor((1,), "int32"), B: T.Tensor((32, 32), "float32")
    ):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((32,), "float32")
            block = T.alloc_fragment((32, 32), "float32")
            position = T.alloc_var("int32")
            T.copy(A, a)
            position = 0
            for i in T.serial(1, 31):
                if a[i] > a[position]:
                    position = i
            for i, j in T.Parallel(32, 32):
                block[i, j] = T.if_then_else(i == position, 1.0, 0.0)
            T.copy(block, B)
            best[0] = position

    a = noise(32)
    best, b = np.zeros(1, np.int32), np.zeros((32, 32), np.float32)
    run(argmax, A=a, best=best, B=b)
    assert best[0] == a.argmax()
    np.testing.assert_array_equal(b, np.eye(32, dtype=np.float32)[[a.argmax()]].T * np.ones((1, 32)))


def test_another_shape_of_a_buffer() -> None:
    @T.prim_func
    def regroup(A: T.Tensor((32, 64), "float32"), B: T.Tensor((32, 2), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_fragment((32, 64), "float32")
            b = T.alloc_fragment((32, 2), "float32")
            T.copy(A, a)
            grouped = T.reshape(a, (32, 2, 32))
            T.reduce_sum(grouped, b, dim=2)
            T.copy(b, B)

    a, b = noise(32, 64), np.zeros((32, 2), np.float32)
    run(regroup, A=a, B=b)
    np.testing.assert_allclose(b, a.reshape(32, 2, 32).sum(2), rtol=1e-5, atol=1e-5)


def test_guarded_scatter() -> None:
    @T.prim_func
    def scatter(A: T.Tensor((32,), "float32"), to: T.Tensor((32,), "int32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=128) as _:
            for i in T.Parallel(32):
                if to[i] >= 0:
                    B[to[i]] = A[i] * 2

    a, b = noise(32), np.zeros(64, np.float32)
    to = np.random.default_rng(0).permutation(64)[:32].astype(np.int32)
    to[::3] = -1
    run(scatter, A=a, to=to, B=b)
    expected = np.zeros(64, np.float32)
    expected[to[to >= 0]] = a[to >= 0] * 2
    np.testing.assert_array_equal(b, expected)


def test_the_bits_of_a_half() -> None:
    @T.prim_func
    def bits(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "uint16")):
        with T.Kernel(1, threads=128) as _:
            for i in T.serial(64):
                B[i] = T.reinterpret(T.cast(A[i], "float16"), "uint16")

    a = noise(64) * np.float32(10.0) ** np.arange(-8, 8).repeat(4).astype(np.float32)
    b = np.zeros(64, np.uint16)
    run(bits, A=a, B=b)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(b, a.astype(np.float16).view(np.uint16))


def test_tiles_dealt_out_to_persistent_blocks() -> None:
    @T.prim_func
    def copy(A: T.Tensor((96, 128), "float32"), B: T.Tensor((96, 128), "float32")):
        with T.Kernel(5, threads=128) as block:
            a = T.alloc_shared((32, 32), "float32")
            for by, bx in T.Persistent([3, 4], 5, block):
                T.copy(A[by * 32, bx * 32], a)
                T.copy(a, B[by * 32, bx * 32])

    a, b = noise(96, 128), np.zeros((96, 128), np.float32)
    run(copy, A=a, B=b)
    np.testing.assert_array_equal(b, a)
