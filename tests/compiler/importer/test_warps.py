"""What threads of a warp tell each other, and what several elements decide together."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tilelang.language as T
from tests.compiler.importer.importing import integers, run

from tilesmith.errors import UnsupportedKernelError

THREADS = 64


def each_thread(value: Callable[[Any], Any], threads: int | tuple[int, int] = THREADS) -> Any:
    @T.prim_func
    def main(A: T.Tensor((THREADS,), "int32"), B: T.Tensor((THREADS,), "int32")):
        with T.Kernel(1, threads=threads) as _:
            tx = T.get_thread_binding()
            mine = T.alloc_var("int32")
            mine = A[tx]
            B[tx] = value(mine)

    return main


def source(shuffle: str, by: int, width: int, thread: int) -> int:
    """The thread that CUDA takes the value from: lanes whose source is beyond their group keep their own."""
    first = thread // width * width
    there = {"up": thread - by, "down": thread + by, "xor": thread ^ by, "sync": first + by % width}[shuffle]
    lowest = first if shuffle == "up" else 0  # "xor" may reach groups before the own one
    return there if lowest <= there < first + width else thread


@pytest.mark.parametrize("width", [32, 8])
@pytest.mark.parametrize(
    ("shuffle", "by"), [("up", 5), ("down", 3), ("xor", 4), ("xor", 9), ("sync", 7), ("sync", 11)]
)
def test_shuffles_stay_within_their_group(shuffle: str, by: int, width: int) -> None:
    function = getattr(T, f"shfl_{shuffle}")
    a, b = integers(THREADS, below=1000), np.zeros(THREADS, np.int32)
    run(each_thread(lambda mine: function(mine, by, width)), A=a, B=b)
    np.testing.assert_array_equal(b, [a[source(shuffle, by, width, n)] for n in range(THREADS)])


@pytest.mark.parametrize("threads", [48, (16, 4)])
def test_blocks_that_cut_warps_elsewhere_are_refused(threads: Any) -> None:
    a, b = integers(THREADS, below=1000), np.zeros(THREADS, np.int32)
    for value in (T.warp_reduce_sum, lambda mine: T.shfl_down(mine, 1)):
        with pytest.raises(UnsupportedKernelError, match="in warps of 32 threads"):
            run(each_thread(value, threads), A=a, B=b)


def test_any_and_all_of_a_buffer_or_a_row() -> None:
    @T.prim_func
    def main(A: T.Tensor((2, 4), "int32"), B: T.Tensor((4,), "int32")):
        with T.Kernel(1, threads=32):
            a = T.alloc_shared((2, 4), "int32")
            T.copy(A, a)
            for i in T.serial(4):
                B[i] = 0
            if T.any_of(a):
                B[0] = 1
            if T.all_of(a):
                B[1] = 1
            if T.any_of(A[1, 0:4]):
                B[2] = 1
            if T.all_of(a[0, 1:3]):
                B[3] = 1

    for a in ([[0, 0, 0, 0], [0, 0, 0, 0]], [[0, 2, 3, 0], [0, 0, 0, 1]], [[1, 2, 3, 4], [5, 6, 7, 8]]):
        given, b = np.array(a, np.int32), np.zeros(4, np.int32)
        run(main, A=given, B=b)
        wanted = [given.any(), given.all(), given[1].any(), given[0, 1:3].all()]
        np.testing.assert_array_equal(b, wanted)


def test_a_while_loop_looks_at_its_elements_again() -> None:
    @T.prim_func
    def main(A: T.Tensor((4,), "int32"), B: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=32):
            a = T.alloc_shared((4,), "int32")
            rounds = T.alloc_var("int32")
            T.copy(A, a)
            rounds = 0
            while T.any_of(a):
                rounds = rounds + 1
                for i in T.serial(4):
                    a[i] = T.max(a[i] - 1, 0)
            B[0] = rounds

    b = np.zeros(1, np.int32)
    run(main, A=np.array([0, 3, 7, 1], np.int32), B=b)
    assert b[0] == 7


def test_an_update_on_one_side_of_a_choice_is_refused() -> None:
    @T.prim_func
    def main(A: T.Tensor((32,), "int32"), B: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=32):
            tx = T.get_thread_binding()
            A[tx] = T.if_then_else(tx < 4, T.atomic_add(B[0], 1, return_prev=True), 0)

    with pytest.raises(UnsupportedKernelError, match="one side of"):
        run(main, A=np.zeros(32, np.int32), B=np.zeros(1, np.int32))


def test_elements_are_looked_at_only_where_a_condition_says_so() -> None:
    @T.prim_func
    def main(A: T.Tensor((3, 4), "int32"), B: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=32):
            for i in T.serial(4):
                B[i] = 0
                if T.And(i < 3, T.any_of(A[i, 0:4])):
                    B[i] = 1
                B[4 + i] = T.if_then_else(i >= 3, 7, T.cast(T.all_of(A[i, 0:4]), "int32"))

    b = np.zeros(8, np.int32)
    run(main, A=np.array([[0, 0, 0, 0], [0, 2, 0, 0], [1, 2, 3, 4]], np.int32), B=b)
    np.testing.assert_array_equal(b, [0, 1, 1, 0, 0, 0, 1, 7])
