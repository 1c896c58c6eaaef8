"""What stands around the grid of blocks: none at all, assertions, and buffers that nothing writes."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

import numpy as np
import pytest
import tilelang.language as T
from tests.compiler.importer.importing import imported, noise, run

import tilesmith
from tilesmith.errors import KernelError, UnsupportedKernelError


def test_a_kernel_without_numbers_is_one_block() -> None:
    @T.prim_func
    def main(A: T.Tensor((16,), "float32"), B: T.Tensor((16,), "float32")):
        with T.Kernel(threads=32):
            a = T.alloc_shared((16,), "float32")
            T.copy(A, a)
            T.copy(a, B)

    a, b = noise(16), np.zeros(16, np.float32)
    run(main, A=a, B=b)
    np.testing.assert_array_equal(a, b)


def test_an_assertion_is_named_in_the_notes() -> None:
    m, n = T.dynamic("m"), T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((m,), "float32"), B: T.Tensor((n,), "float32")):
        assert m == n, "sizes differ"
        with T.Kernel(1):
            for i in T.serial(m):
                B[i] = A[i]

    assert "the assertion m == n is not looked at" in str(imported(main))


def test_scalar_code_may_not_read_what_nothing_writes() -> None:
    @T.prim_func
    def main(A: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=32):
            a = T.alloc_fragment((32, 32), "float32")
            for i, j in T.Parallel(32, 32):
                A[i, j] = a[i, j // 2]

    with pytest.raises(KernelError, match="a is read before anything is written"):
        tilesmith.compile(main)


def test_a_part_of_a_buffer_may_have_a_name() -> None:
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128):
            whole = T.alloc_shared((64, 64), "float32")
            upper = whole[:32, :64]
            T.clear(whole)
            T.fill(upper, 2.0)
            T.copy(A[0:16, 0:64], whole[16:32, :])
            T.copy(whole, B)

    a, b, wanted = noise(64, 64), np.ones((64, 64), np.float32), np.zeros((64, 64), np.float32)
    wanted[:32] = 2
    wanted[16:32] = a[:16]
    run(main, A=a, B=b)
    np.testing.assert_array_equal(b, wanted)


def test_atomic_loads_and_stores() -> None:
    @T.prim_func
    def main(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            T.atomic_store(B[tx], T.atomic_load(A[tx]) + 1)

    a, b = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    run(main, A=a, B=b)
    np.testing.assert_array_equal(b, a + 1)


def test_what_neighbours_were_before_an_atomic_addition() -> None:
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32"), C: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=32):
            tx = T.get_thread_binding()
            before = T.alloc_local((2,), "float32")
            before[0:2] = T.atomic_addx2(A[2 * tx], B[2 * tx], return_prev=True)
            C[2 * tx] = before[0]
            C[2 * tx + 1] = before[1]

    a, b, c = noise(64), noise(64, seed=1), np.zeros(64, np.float32)
    old = a.copy()
    run(main, A=a, B=b, C=c)
    np.testing.assert_array_equal(c, old)
    np.testing.assert_array_equal(a, old + b)


@pytest.mark.parametrize("mode", ["rn", "rz"])
def test_arithmetic_that_says_how_it_rounds(mode: str) -> None:
    @T.prim_func
    def main(A: T.Tensor((16,), "float32"), B: T.Tensor((16,), "float32")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(16):
                B[i] = T.ieee_fdiv(T.ieee_mul(A[i], 2.0, mode), T.ieee_fsqrt(T.abs(A[i]), mode), mode)

    a, b = noise(16), np.zeros(16, np.float32)
    if mode == "rz":
        with pytest.raises(UnsupportedKernelError, match='rounding mode "rz"'):
            run(main, A=a, B=b)
        return
    run(main, A=a, B=b)
    np.testing.assert_allclose(b, 2 * a / np.sqrt(np.abs(a)), rtol=1e-6)
