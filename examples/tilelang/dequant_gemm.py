"""C = A @ B^T where B is stored as four-bit integers, two to a byte, with one scale per row."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

import tilelang.language as T
import torch

import tilesmith
from tilesmith.testing import Tolerance, compare


def dequant_gemm(m, n, k, block=(32, 32, 64), dtype="bfloat16"):
    block_m, block_n, block_k = block

    @T.prim_func
    def dequant_gemm_kernel(
        A: T.Tensor((m, k), dtype),
        packed: T.Tensor((n, k // 2), "uint8"),
        scale: T.Tensor((n,), dtype),
        C: T.Tensor((m, n), dtype),
    ):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), threads=128) as (bx, by):
            A_shared = T.alloc_shared((block_m, block_k), dtype)
            packed_shared = T.alloc_shared((block_n, block_k // 2), "uint8")
            B_shared = T.alloc_shared((block_n, block_k), dtype)
            scale_shared = T.alloc_shared((block_n,), dtype)
            C_local = T.alloc_fragment((block_m, block_n), "float32")
            T.clear(C_local)
            T.copy(scale[bx * block_n], scale_shared)
            for ko in T.Pipelined(T.ceildiv(k, block_k), num_stages=2):
                T.copy(A[by * block_m, ko * block_k], A_shared)
                T.copy(packed[bx * block_n, ko * block_k // 2], packed_shared)
                for i, j in T.Parallel(block_n, block_k):
                    nibble = (packed_shared[i, j // 2] >> (j % 2 * 4).astype("uint8")) & 15
                    B_shared[i, j] = nibble.astype("int32") - 8
                T.gemm(A_shared, B_shared, C_local, transpose_B=True)
            for i, j in T.Parallel(block_m, block_n):
                C_local[i, j] = C_local[i, j] * scale_shared[j]
            T.copy(C_local, C[by * block_m, bx * block_n])

    return dequant_gemm_kernel


def unpacked(packed):
    """The integers -8 to 7 in a packed weight."""
    return torch.stack([packed & 15, packed >> 4], dim=-1).flatten(1).to(torch.int32) - 8


def main():
    a, packed = torch.randn(64, 128).bfloat16(), torch.randint(0, 256, (96, 64), dtype=torch.uint8)
    scale, c = torch.rand(96).bfloat16(), torch.empty(64, 96, dtype=torch.bfloat16)
    tilesmith.compile(dequant_gemm(64, 96, 128))(a, packed, scale, c)
    expected = (a.float() @ unpacked(packed).float().T) * scale.float()
    print(compare(c, expected, Tolerance.of(tilesmith.bfloat16, roundings=1)))


if __name__ == "__main__":
    main()
