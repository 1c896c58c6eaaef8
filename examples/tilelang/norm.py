"""Layer norm and RMS norm along rows, with their learned scale."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

import tilelang.language as T
import torch

import tilesmith
from tilesmith.testing import Tolerance, compare


def layernorm(rows, columns, block_rows=32, epsilon=1e-5, dtype="bfloat16"):
    @T.prim_func
    def layernorm_kernel(
        x: T.Tensor((rows, columns), dtype),
        gamma: T.Tensor((columns,), dtype),
        beta: T.Tensor((columns,), dtype),
        y: T.Tensor((rows, columns), dtype),
    ):
        with T.Kernel(T.ceildiv(rows, block_rows), threads=128) as by:
            x_local = T.alloc_fragment((block_rows, columns), "float32")
            square = T.alloc_fragment((block_rows, columns), "float32")
            gamma_local = T.alloc_fragment((columns,), "float32")
            beta_local = T.alloc_fragment((columns,), "float32")
            mean = T.alloc_fragment((block_rows,), "float32")
            variance = T.alloc_fragment((block_rows,), "float32")
            T.copy(x[by * block_rows, 0], x_local)
            T.copy(gamma, gamma_local)
            T.copy(beta, beta_local)
            T.reduce_sum(x_local, mean, dim=1)
            for i, j in T.Parallel(block_rows, columns):
                x_local[i, j] = x_local[i, j] - mean[i] / columns
            for i, j in T.Parallel(block_rows, columns):
                square[i, j] = x_local[i, j] * x_local[i, j]
            T.reduce_sum(square, variance, dim=1)
            for i in T.Parallel(block_rows):
                variance[i] = T.rsqrt(variance[i] / columns + epsilon)
            for i, j in T.Parallel(block_rows, columns):
                x_local[i, j] = x_local[i, j] * variance[i] * gamma_local[j] + beta_local[j]
            T.copy(x_local, y[by * block_rows, 0])

    return layernorm_kernel


def rmsnorm(rows, columns, block_rows=32, epsilon=1e-6, dtype="bfloat16"):
    @T.prim_func
    def rmsnorm_kernel(
        x: T.Tensor((rows, columns), dtype),
        gamma: T.Tensor((columns,), dtype),
        y: T.Tensor((rows, columns), dtype),
    ):
        with T.Kernel(T.ceildiv(rows, block_rows), threads=128) as by:
            x_shared = T.alloc_shared((block_rows, columns), dtype)
            gamma_shared = T.alloc_shared((columns,), dtype)
            square = T.alloc_fragment((block_rows, columns), "float32")
            scale = T.alloc_fragment((block_rows,), "float32")
            T.copy(x[by * block_rows, 0], x_shared)
            T.copy(gamma, gamma_shared)
            for i, j in T.Parallel(block_rows, columns):
                square[i, j] = x_shared[i, j] * x_shared[i, j]
            T.reduce_sum(square, scale, dim=1)
            for i in T.Parallel(block_rows):
                scale[i] = T.rsqrt(scale[i] / columns + epsilon)
            for i, j in T.Parallel(block_rows, columns):
                x_shared[i, j] = x_shared[i, j] * scale[i] * gamma_shared[j]
            T.copy(x_shared, y[by * block_rows, 0])

    return rmsnorm_kernel


def main():
    x, gamma, beta = (
        torch.randn(100, 200).bfloat16(),
        torch.randn(200).bfloat16(),
        torch.randn(200).bfloat16(),
    )
    y = torch.empty_like(x)
    tilesmith.compile(layernorm(100, 200))(x, gamma, beta, y)
    expected = torch.nn.functional.layer_norm(x.float(), (200,), gamma.float(), beta.float())
    print(compare(y, expected, Tolerance.of(tilesmith.bfloat16, roundings=2)))


if __name__ == "__main__":
    main()
