"""Small TileLang kernels that ask for layouts in different ways."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, untyped-decorator, misc"

from typing import Any

import tilelang.language as T


def pairwise(n: int) -> Any:
    """One vector, used along the rows and along the columns of a block."""

    @T.prim_func
    def pairwise_kernel(x: T.Tensor((n,), "float32"), y: T.Tensor((n, n), "float32")):
        with T.Kernel(1, threads=32) as _:
            v = T.alloc_fragment((n,), "float32")
            d = T.alloc_fragment((n, n), "float32")
            T.copy(x, v)
            for i, j in T.Parallel(n, n):
                d[i, j] = v[i] - v[j]
            T.copy(d, y)

    return pairwise_kernel


def vector_add(n: int, block: int) -> Any:
    """Vectors and nothing else."""

    @T.prim_func
    def vector_add_kernel(
        x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32"), z: T.Tensor((n,), "float32")
    ):
        with T.Kernel(T.ceildiv(n, block), threads=32) as bx:
            a = T.alloc_fragment((block,), "float32")
            b = T.alloc_fragment((block,), "float32")
            T.copy(x[bx * block], a)
            T.copy(y[bx * block], b)
            for i in T.Parallel(block):
                a[i] = a[i] + b[i]
            T.copy(a, z[bx * block])

    return vector_add_kernel


def whole_sum(n: int) -> Any:
    """A vector reduced to one element."""

    @T.prim_func
    def whole_sum_kernel(x: T.Tensor((n,), "float32"), y: T.Tensor((1,), "float32")):
        with T.Kernel(1, threads=32) as _:
            a = T.alloc_fragment((n,), "float32")
            s = T.alloc_fragment((1,), "float32")
            T.copy(x, a)
            T.reduce_sum(a, s, dim=0)
            T.copy(s, y)

    return whole_sum_kernel


def row_of_blocks(m: int, n: int) -> Any:
    """Row sums, and the same sums spread along columns: a vector that is written down and read across."""

    @T.prim_func
    def row_of_blocks_kernel(x: T.Tensor((m, m), "float32"), y: T.Tensor((m, m), "float32")):
        with T.Kernel(1, threads=32) as _:
            a = T.alloc_fragment((m, m), "float32")
            s = T.alloc_fragment((m,), "float32")
            T.copy(x, a)
            T.reduce_sum(a, s, dim=1)
            for i, j in T.Parallel(m, m):
                a[i, j] = a[i, j] * s[j]
            T.copy(a, y)

    return row_of_blocks_kernel


def padded_gemm(m: int, n: int, k: int) -> Any:
    """A product over a padded dimension, of an operand that went through a map."""

    @T.prim_func
    def padded_gemm_kernel(
        A: T.Tensor((m, k), "bfloat16"), B: T.Tensor((k, n), "bfloat16"), C: T.Tensor((m, n), "float32")
    ):
        with T.Kernel(1, threads=32) as _:
            a = T.alloc_shared((m, k), "bfloat16")
            b = T.alloc_shared((k, n), "bfloat16")
            c = T.alloc_fragment((m, n), "float32")
            T.copy(A, a)
            T.copy(B, b)
            for i, j in T.Parallel(m, k):
                a[i, j] = T.exp(a[i, j])
            T.clear(c)
            T.gemm(a, b, c)
            T.copy(c, C)

    return padded_gemm_kernel


def gather(n: int) -> Any:
    """An index that lies in a tensor."""

    @T.prim_func
    def gather_kernel(
        index: T.Tensor((n,), "int32"), x: T.Tensor((n, 32), "float32"), y: T.Tensor((n, 32), "float32")
    ):
        with T.Kernel(n, threads=32) as bx:
            row = T.alloc_fragment((1, 32), "float32")
            T.copy(x[index[bx], 0], row)
            T.copy(row, y[bx, 0])

    return gather_kernel


def gemm(
    m: int, n: int, k: int, block: tuple[int, int, int], stages: int = 2, dtype: str = "bfloat16"
) -> Any:
    """The matrix product everybody starts with."""
    block_m, block_n, block_k = block

    @T.prim_func
    def gemm_kernel(A: T.Tensor((m, k), dtype), B: T.Tensor((k, n), dtype), C: T.Tensor((m, n), dtype)):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), threads=128) as (bx, by):
            A_shared = T.alloc_shared((block_m, block_k), dtype)
            B_shared = T.alloc_shared((block_k, block_n), dtype)
            C_local = T.alloc_fragment((block_m, block_n), "float32")
            T.clear(C_local)
            for ko in T.Pipelined(T.ceildiv(k, block_k), num_stages=stages):
                T.copy(A[by * block_m, ko * block_k], A_shared)
                T.copy(B[ko * block_k, bx * block_n], B_shared)
                T.gemm(A_shared, B_shared, C_local)
            T.copy(C_local, C[by * block_m, bx * block_n])

    return gemm_kernel


def dynamic_rows(n: int, block: int) -> Any:
    """As many rows as the call brings."""
    m = T.dynamic("m")

    @T.prim_func
    def dynamic_rows_kernel(x: T.Tensor((m, n), "bfloat16"), y: T.Tensor((m, n), "bfloat16")):
        with T.Kernel(T.ceildiv(m, block), threads=128) as bx:
            a = T.alloc_shared((block, n), "bfloat16")
            T.copy(x[bx * block, 0], a)
            for i, j in T.Parallel(block, n):
                a[i, j] = a[i, j] * 2
            T.copy(a, y[bx * block, 0])

    return dynamic_rows_kernel


def split_sum(m: int, n: int, block: int, splits: int) -> Any:
    """Blocks along one dimension of the grid add to the same rows."""

    @T.prim_func
    def split_sum_kernel(x: T.Tensor((splits, m, n), "float32"), y: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(m, block), splits, threads=128) as (bx, by):
            a = T.alloc_shared((block, n), "float32")
            T.copy(x[by, bx * block, 0], a)
            T.atomic_add(y[bx * block, 0], a)

    return split_sum_kernel


def flat_batch(m: int, n: int) -> Any:
    """Dimensions of size 1 in front, in the middle and behind."""

    @T.prim_func
    def flat_batch_kernel(x: T.Tensor((2, m, 1, n), "float32"), y: T.Tensor((2, m, 1, n), "float32")):
        with T.Kernel(2, threads=32) as bx:
            a = T.alloc_shared((1, m, 1, n), "float32")
            b = T.alloc_fragment((m, 1, n), "float32")
            s = T.alloc_fragment((m, 1), "float32")
            T.copy(x[bx, 0, 0, 0], a)
            for i, j, k in T.Parallel(m, 1, n):
                b[i, j, k] = a[0, i, j, k] + i + j
            T.reduce_max(b, s, dim=2)
            for i, j, k in T.Parallel(m, 1, n):
                b[i, j, k] = b[i, j, k] - s[i, j]
            T.copy(b, y[bx, 0, 0, 0])

    return flat_batch_kernel


def never_cleared(size: int) -> Any:
    """A product that is added to nothing."""

    @T.prim_func
    def never_cleared_kernel(A: T.Tensor((size, size), "bfloat16"), C: T.Tensor((size, size), "float32")):
        with T.Kernel(1, threads=32) as _:
            a = T.alloc_shared((size, size), "bfloat16")
            c = T.alloc_fragment((size, size), "float32")
            for _k in T.serial(2):
                T.copy(A, a)
                T.gemm(a, a, c)
            T.copy(c, C)

    return never_cleared_kernel


def one_row_at_a_time(m: int, n: int) -> Any:
    """Copies of parts and scalar code on a buffer with a dimension of size 1."""

    @T.prim_func
    def one_row_at_a_time_kernel(x: T.Tensor((1, m, n), "float32"), y: T.Tensor((1, m, n), "float32")):
        with T.Kernel(1, threads=32) as _:
            a = T.alloc_shared((1, m, n), "float32")
            b = T.alloc_shared((1, m, n), "float32")
            T.copy(x, a)
            T.copy(a, b)
            for i in T.serial(1, m):
                for j in T.serial(n):
                    b[0, i, j] = b[0, i - 1, j] + a[0, i, j]
            T.copy(b, y)

    return one_row_at_a_time_kernel


def rows_when_needed(m: int, n: int, block: int) -> Any:
    """A load that only the blocks below the diagonal run, and one that all run."""

    @T.prim_func
    def rows_when_needed_kernel(
        w: T.Tensor((m, n), "float32"), x: T.Tensor((m, n), "float32"), y: T.Tensor((m, n), "float32")
    ):
        with T.Kernel(T.ceildiv(n, block), T.ceildiv(m, block), threads=32) as (bx, by):
            a = T.alloc_shared((block, block), "float32")
            b = T.alloc_shared((block, block), "float32")
            T.copy(w[by * block, 0], a)
            T.clear(b)
            if bx <= by:
                T.copy(x[by * block, 0], b)
            for i, j in T.Parallel(block, block):
                b[i, j] = a[i, j] + b[i, j]
            T.copy(b, y[by * block, bx * block])

    return rows_when_needed_kernel
