"""Flash attention: softmax(Q K^T / sqrt(d)) V, a block of keys at a time, with a running maximum and sum."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

import tilelang.language as T
import torch

import tilesmith
from tilesmith.testing import Tolerance, compare


def attention(batch, heads, length, width, causal=False, block_m=64, block_n=64, dtype="bfloat16", stages=2):
    scale = width**-0.5 * 1.4426950408889634  # exp2 is one instruction: fold log2(e) into the scale
    shape = (batch, heads, length, width)

    @T.prim_func
    def attention_kernel(
        Q: T.Tensor(shape, dtype),
        K: T.Tensor(shape, dtype),
        V: T.Tensor(shape, dtype),
        Out: T.Tensor(shape, dtype),
    ):
        with T.Kernel(T.ceildiv(length, block_m), heads, batch, threads=128) as (bx, by, bz):
            Q_shared = T.alloc_shared((block_m, width), dtype)
            K_shared = T.alloc_shared((block_n, width), dtype)
            V_shared = T.alloc_shared((block_n, width), dtype)
            scores = T.alloc_fragment((block_m, block_n), "float32")
            weights = T.alloc_fragment((block_m, block_n), dtype)
            output = T.alloc_fragment((block_m, width), "float32")
            peak = T.alloc_fragment((block_m,), "float32")
            peak_before = T.alloc_fragment((block_m,), "float32")
            rescale = T.alloc_fragment((block_m,), "float32")
            total = T.alloc_fragment((block_m,), "float32")
            total_here = T.alloc_fragment((block_m,), "float32")

            T.copy(Q[bz, by, bx * block_m, 0], Q_shared)
            T.clear(output)
            T.clear(total)
            T.fill(peak, -1e30)
            blocks = (
                T.ceildiv(T.min((bx + 1) * block_m, length), block_n)
                if causal
                else T.ceildiv(length, block_n)
            )
            for k in T.Pipelined(blocks, num_stages=stages):
                T.copy(K[bz, by, k * block_n, 0], K_shared)
                for i, j in T.Parallel(block_m, block_n):
                    column = k * block_n + j
                    seen = (column <= bx * block_m + i) if causal else (column < length)
                    scores[i, j] = T.if_then_else(seen, 0.0, -1e30)
                T.gemm(Q_shared, K_shared, scores, transpose_B=True)
                T.copy(peak, peak_before)
                T.reduce_max(scores, peak, dim=1, clear=False)
                for i in T.Parallel(block_m):
                    rescale[i] = T.exp2((peak_before[i] - peak[i]) * scale)
                for i, j in T.Parallel(block_m, block_n):
                    scores[i, j] = T.exp2((scores[i, j] - peak[i]) * scale)
                T.reduce_sum(scores, total_here, dim=1)
                for i in T.Parallel(block_m):
                    total[i] = total[i] * rescale[i] + total_here[i]
                for i, j in T.Parallel(block_m, width):
                    output[i, j] = output[i, j] * rescale[i]
                T.copy(scores, weights)
                T.copy(V[bz, by, k * block_n, 0], V_shared)
                T.gemm(weights, V_shared, output)
            for i, j in T.Parallel(block_m, width):
                output[i, j] = output[i, j] / total[i]
            T.copy(output, Out[bz, by, bx * block_m, 0])

    return attention_kernel


def main():
    q, k, v = (torch.randn(1, 2, 100, 64).bfloat16() for _ in range(3))
    out = torch.empty_like(q)
    tilesmith.compile(attention(1, 2, 100, 64, causal=True))(q, k, v, out)
    expected = torch.nn.functional.scaled_dot_product_attention(
        q.float(), k.float(), v.float(), is_causal=True
    )
    print(compare(out, expected, Tolerance.of(tilesmith.bfloat16, roundings=3)))


if __name__ == "__main__":
    main()
