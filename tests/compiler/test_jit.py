"""`@tilesmith.jit` on functions that return kernels and on eager ones."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, name-defined"
# mypy: disable-error-code="untyped-decorator, no-redef, attr-defined"

import tilelang
import tilelang.language as T
import torch
from tests.compiler import kernels

import tilesmith


@tilesmith.jit(target="wormhole")
def lazy(m, n):
    return kernels.scaled(m, n)


@tilesmith.jit
def eager(A, B, block: int = 32):
    M, N = T.const("M N")
    A: T.Tensor[[M, N], T.float32]
    B: T.Tensor[[M, N], T.float32]
    C = T.empty((M, N), T.float32)
    with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=128) as (bx, by):
        left = T.alloc_shared((block, block), T.float32)
        right = T.alloc_shared((block, block), T.float32)
        total = T.alloc_fragment((block, block), T.float32)
        T.copy(A[by * block, bx * block], left)
        T.copy(B[by * block, bx * block], right)
        for i, j in T.Parallel(block, block):
            total[i, j] = left[i, j] + right[i, j]
        T.copy(total, C[by * block, bx * block])
    return C


def test_a_function_that_returns_a_kernel_gives_the_compiled_one() -> None:
    kernel = lazy(40, 70)
    assert isinstance(kernel, tilesmith.CompiledKernel)
    assert lazy(40, 70) is kernel
    assert lazy(40, 71) is not kernel
    values = torch.arange(2800).reshape(40, 70) % 128.0
    assert torch.equal(kernel(values), 2 * values)


def test_an_eager_function_gives_its_results() -> None:
    a, b = torch.full((33, 65), 1.5), torch.full((33, 65), 2.0)
    assert torch.equal(eager(a, b), a + b)
    assert torch.equal(eager(a[:5].contiguous(), b[:5].contiguous()), a[:5] + b[:5])


def test_tilelangs_own_jit_functions_are_taken() -> None:
    def make(m, n):
        return kernels.scaled(m, n)

    kernel = tilesmith.jit(tilelang.jit(make))(32, 32)
    assert kernel.arch.product == "n150"


def test_the_decorated_function_keeps_its_name() -> None:
    assert lazy.__name__ == "lazy"
    assert lazy.compile(32, 32).signature.kernel == "scaled_kernel"
