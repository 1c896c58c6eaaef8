"""Small TileLang kernels to call in every way there is."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from typing import Any

import tilelang.language as T


def scaled(m: int, n: int, dtype: str = "float32", block: int = 32) -> Any:
    """B = 2 A."""

    @T.prim_func
    def scaled_kernel(A: T.Tensor((m, n), dtype), B: T.Tensor((m, n), dtype)):
        with T.Kernel(T.ceildiv(n, block), T.ceildiv(m, block), threads=128) as (bx, by):
            tile = T.alloc_shared((block, block), dtype)
            T.copy(A[by * block, bx * block], tile)
            for i, j in T.Parallel(block, block):
                tile[i, j] = tile[i, j] + tile[i, j]
            T.copy(tile, B[by * block, bx * block])

    return scaled_kernel


def dynamic_scaled(n: int, dtype: str = "float32", block: int = 32) -> Any:
    """The same for any number of rows."""
    m = T.dynamic("m")

    @T.prim_func
    def dynamic_kernel(A: T.Tensor((m, n), dtype), B: T.Tensor((m, n), dtype)):
        with T.Kernel(T.ceildiv(n, block), T.ceildiv(m, block), threads=128) as (bx, by):
            tile = T.alloc_shared((block, block), dtype)
            T.copy(A[by * block, bx * block], tile)
            for i, j in T.Parallel(block, block):
                tile[i, j] = tile[i, j] + tile[i, j]
            T.copy(tile, B[by * block, bx * block])

    return dynamic_kernel


def copied(m: int, n: int, dtype: str, block: int = 32) -> Any:
    """B = A, whatever the elements are."""

    @T.prim_func
    def copied_kernel(A: T.Tensor((m, n), dtype), B: T.Tensor((m, n), dtype)):
        with T.Kernel(T.ceildiv(n, block), T.ceildiv(m, block), threads=128) as (bx, by):
            tile = T.alloc_shared((block, block), dtype)
            T.copy(A[by * block, bx * block], tile)
            T.copy(tile, B[by * block, bx * block])

    return copied_kernel


def sum_and_difference(m: int, n: int, dtype: str = "float32", block: int = 32) -> Any:
    """Two outputs."""

    @T.prim_func
    def sum_and_difference_kernel(
        A: T.Tensor((m, n), dtype),
        B: T.Tensor((m, n), dtype),
        total: T.Tensor((m, n), dtype),
        difference: T.Tensor((m, n), dtype),
    ):
        with T.Kernel(T.ceildiv(n, block), T.ceildiv(m, block), threads=128) as (bx, by):
            a = T.alloc_shared((block, block), dtype)
            b = T.alloc_shared((block, block), dtype)
            c = T.alloc_fragment((block, block), dtype)
            d = T.alloc_fragment((block, block), dtype)
            T.copy(A[by * block, bx * block], a)
            T.copy(B[by * block, bx * block], b)
            for i, j in T.Parallel(block, block):
                c[i, j] = a[i, j] + b[i, j]
                d[i, j] = a[i, j] - b[i, j]
            T.copy(c, total[by * block, bx * block])
            T.copy(d, difference[by * block, bx * block])

    return sum_and_difference_kernel


def accumulated(m: int, n: int, dtype: str = "float32", block: int = 32) -> Any:
    """B += A."""

    @T.prim_func
    def accumulated_kernel(A: T.Tensor((m, n), dtype), B: T.Tensor((m, n), dtype)):
        with T.Kernel(T.ceildiv(n, block), T.ceildiv(m, block), threads=128) as (bx, by):
            a = T.alloc_shared((block, block), dtype)
            b = T.alloc_shared((block, block), dtype)
            c = T.alloc_fragment((block, block), dtype)
            T.copy(A[by * block, bx * block], a)
            T.copy(B[by * block, bx * block], b)
            for i, j in T.Parallel(block, block):
                c[i, j] = a[i, j] + b[i, j]
            T.copy(c, B[by * block, bx * block])

    return accumulated_kernel


def scaled_by(kind: str) -> Any:
    """B = factor A, with the factor a parameter between the tensors; a tensor nobody looks at comes last."""
    scalar = {"int32": T.int32, "float32": T.float32}[kind]

    @T.prim_func
    def scaled_by_kernel(
        A: T.Tensor((40, 70), "float32"),
        factor: scalar,
        B: T.Tensor((40, 70), "float32"),
        unused: T.Tensor((3,), "float32"),
    ):
        with T.Kernel(3, 2, threads=128) as (bx, by):
            tile = T.alloc_shared((32, 32), "float32")
            T.copy(A[by * 32, bx * 32], tile)
            for i, j in T.Parallel(32, 32):
                tile[i, j] = tile[i, j] * T.cast(factor, "float32")
            T.copy(tile, B[by * 32, bx * 32])

    return scaled_by_kernel


def two_grids(m: int, n: int, block: int = 32) -> Any:
    """Row sums of 2 A, through a tensor between two grids: written in tiles, read row by row."""

    @T.prim_func
    def two_grids_kernel(A: T.Tensor((m, n), "float32"), total: T.Tensor((m,), "float32")):
        doubled = T.alloc_global((m, n), "float32")
        with T.Kernel(T.ceildiv(n, block), T.ceildiv(m, block), threads=128) as (bx, by):
            tile = T.alloc_shared((block, block), "float32")
            T.copy(A[by * block, bx * block], tile)
            for i, j in T.Parallel(block, block):
                tile[i, j] = tile[i, j] + tile[i, j]
            T.copy(tile, doubled[by * block, bx * block])
        with T.Kernel(m, threads=128) as row:
            line = T.alloc_fragment((1, n), "float32")
            result = T.alloc_fragment((1,), "float32")
            T.copy(doubled[row, 0], line)
            T.reduce_sum(line, result, dim=1)
            total[row] = result[0]

    return two_grids_kernel


def negated_int4() -> Any:
    """B = -A, with elements of four bits; C is left alone."""

    @T.prim_func
    def kernel(A: T.Tensor((32, 64), "int4"), B: T.Tensor((32, 64), "int4"), C: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=128) as _:
            block = T.alloc_shared((32, 64), "int4")
            T.copy(A, block)
            for i, j in T.Parallel(32, 64):
                block[i, j] = -block[i, j]
            T.copy(block, B)

    return kernel


def shifted_tfloat32() -> Any:
    """B is A four columns to the left, element by element."""

    @T.prim_func
    def kernel(A: T.Tensor((32, 64), T.tfloat32), B: T.Tensor((32, 64), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((32, 64), T.tfloat32)
            b = T.alloc_shared((32, 64), "float32")
            T.copy(A, a)
            for i, j in T.Parallel(32, 64):
                b[i, j] = T.if_then_else(j < 60, a[i, j + 4], 0)
            T.copy(b, B)

    return kernel


def synced(kept: bool = False) -> Any:
    """B is A with its halves swapped, through a tensor every block writes first; `kept`: or by a buffer."""

    @T.prim_func
    def kernel(
        A: T.Tensor((64, 32), "float32"),
        between: T.Tensor((64, 32), "float32"),
        B: T.Tensor((64, 32), "float32"),
    ):
        with T.Kernel(2, threads=128) as block:
            other = 1 - block
            first = T.alloc_shared((32, 32), "float32")
            second = T.alloc_shared((32, 32), "float32")
            T.copy(A[block * 32, 0], first)
            T.copy(first, between[block * 32, 0])
            T.sync_grid()
            T.copy(between[other * 32, 0], second)
            if kept:
                T.copy(first, second)
            T.copy(second, B[block * 32, 0])

    return kernel


def grouped_rows(alone: bool = False) -> Any:
    """B holds the sums of every two rows of A; `alone`: nothing has the number of rows of B as its size."""
    n = T.dynamic("n")
    out = 1 if alone else n

    @T.prim_func
    def kernel(A: T.Tensor((n * 2, 64), "float32"), B: T.Tensor((out, 64), "float32")):
        with T.Kernel(n, threads=128) as row:
            pair = T.alloc_shared((2, 64), "float32")
            total = T.alloc_fragment((64,), "float32")
            T.copy(A[row * 2, 0], pair)
            T.reduce_sum(pair, total, dim=0)
            T.copy(total, B[row, 0])

    return kernel


def cleared_each_time() -> Any:
    """B[i] is the sum of row i of A, in a variable that is cleared for every row."""

    @T.prim_func
    def kernel(A: T.Tensor((4, 3), "float32"), B: T.Tensor((4,), "float32")):
        with T.Kernel(1, threads=128) as _:
            total = T.alloc_var("float32")
            for i in T.serial(4):
                T.clear(total)
                for j in T.serial(3):
                    total += A[i, j]
                B[i] = total

    return kernel


def shared_twice() -> Any:
    """Blocks of one column share A's rows, which come beside loads of their own, and later W."""

    @T.prim_func
    def kernel(
        A: T.Tensor((192, 64), "float16"),
        B: T.Tensor((4, 2, 64, 64), "float16"),
        W: T.Tensor((192,), "float16"),
        starts: T.Tensor((4,), "int32"),
        C: T.Tensor((128, 128), "float16"),
    ):
        with T.Kernel(4, 2, threads=128) as (bx, by):
            a = T.alloc_fragment((32, 64), "float16")
            b = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((32, 64), "float32")
            start = starts[bx]
            T.clear(c)
            for _ in T.Pipelined(1, num_stages=1):
                T.copy(A[start : start + 32, 0:64], a)
                T.copy(B[bx, by, 0:64, 0:64], b)
                T.gemm(a, b, c, transpose_B=True)
            for i, j in T.Parallel(32, 64):
                if i < 30:
                    C[bx * 32 + i, by * 64 + j] = c[i, j] * W[start + i]

    return kernel
