"""C = activation(A @ B + bias) + residual, for any sizes: blocks that stick out of a matrix are cut off."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

import tilelang.language as T
import torch

import tilesmith
from tilesmith.testing import Tolerance, compare


def activate(name, x):
    """The activation of one element. Called while the kernel is traced, so it may use plain Python."""
    if name == "relu":
        return T.max(x, 0.0)
    if name == "gelu":
        return 0.5 * x * (1.0 + T.erf(x * 0.7071067811865476))
    if name == "silu":
        return x * T.sigmoid(x)
    return x


def gemm(
    m,
    n,
    k,
    block=(64, 64, 32),
    dtype="bfloat16",
    transpose_a=False,
    transpose_b=False,
    activation="",
    stages=2,
):
    block_m, block_n, block_k = block
    a_shape, a_block = ((k, m), (block_k, block_m)) if transpose_a else ((m, k), (block_m, block_k))
    b_shape, b_block = ((n, k), (block_n, block_k)) if transpose_b else ((k, n), (block_k, block_n))

    @T.prim_func
    def gemm_kernel(A: T.Tensor(a_shape, dtype), B: T.Tensor(b_shape, dtype), C: T.Tensor((m, n), dtype)):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), threads=128) as (bx, by):
            A_shared = T.alloc_shared(a_block, dtype)
            B_shared = T.alloc_shared(b_block, dtype)
            C_local = T.alloc_fragment((block_m, block_n), "float32")
            T.clear(C_local)
            for ko in T.Pipelined(T.ceildiv(k, block_k), num_stages=stages):
                if transpose_a:
                    T.copy(A[ko * block_k, by * block_m], A_shared)
                else:
                    T.copy(A[by * block_m, ko * block_k], A_shared)
                if transpose_b:
                    T.copy(B[bx * block_n, ko * block_k], B_shared)
                else:
                    T.copy(B[ko * block_k, bx * block_n], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_A=transpose_a, transpose_B=transpose_b)
            if activation != "":
                for i, j in T.Parallel(block_m, block_n):
                    C_local[i, j] = activate(activation, C_local[i, j])
            T.copy(C_local, C[by * block_m, bx * block_n])

    return gemm_kernel


def linear(m, n, k, block=(64, 64, 32), dtype="bfloat16", activation="relu", residual=True, stages=2):
    """A layer of a network: the weight is stored with its outputs first, as torch does."""
    block_m, block_n, block_k = block

    @T.prim_func
    def linear_kernel(
        x: T.Tensor((m, k), dtype),
        weight: T.Tensor((n, k), dtype),
        bias: T.Tensor((n,), dtype),
        skip: T.Tensor((m, n), dtype),
        y: T.Tensor((m, n), dtype),
    ):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), threads=128) as (bx, by):
            x_shared = T.alloc_shared((block_m, block_k), dtype)
            weight_shared = T.alloc_shared((block_n, block_k), dtype)
            bias_shared = T.alloc_shared((block_n,), dtype)
            skip_shared = T.alloc_shared((block_m, block_n), dtype)
            y_local = T.alloc_fragment((block_m, block_n), "float32")
            T.clear(y_local)
            T.copy(bias[bx * block_n], bias_shared)
            for ko in T.Pipelined(T.ceildiv(k, block_k), num_stages=stages):
                T.copy(x[by * block_m, ko * block_k], x_shared)
                T.copy(weight[bx * block_n, ko * block_k], weight_shared)
                T.gemm(x_shared, weight_shared, y_local, transpose_B=True)
            for i, j in T.Parallel(block_m, block_n):
                y_local[i, j] = activate(activation, y_local[i, j] + bias_shared[j])
            if residual:
                T.copy(skip[by * block_m, bx * block_n], skip_shared)
                for i, j in T.Parallel(block_m, block_n):
                    y_local[i, j] = y_local[i, j] + skip_shared[i, j]
            T.copy(y_local, y[by * block_m, bx * block_n])

    return linear_kernel


def main():
    x, weight = torch.randn(200, 96).bfloat16(), torch.randn(150, 96).bfloat16()
    bias, skip = torch.randn(150).bfloat16(), torch.randn(200, 150).bfloat16()
    y = torch.empty(200, 150, dtype=torch.bfloat16)
    tilesmith.compile(linear(200, 150, 96, activation="gelu"))(x, weight, bias, skip, y)
    expected = torch.nn.functional.gelu(x.float() @ weight.float().T + bias.float()) + skip.float()
    print(compare(y, expected, Tolerance.of(tilesmith.bfloat16, roundings=1)))


if __name__ == "__main__":
    main()
