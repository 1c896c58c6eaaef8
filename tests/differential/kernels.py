"""Kernels for the comparison with torch that are no example of their own."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

import tilelang.language as T


def add(m, n, block=(32, 32), dtype="bfloat16"):
    block_m, block_n = block

    @T.prim_func
    def add_kernel(A: T.Tensor((m, n), dtype), B: T.Tensor((m, n), dtype), C: T.Tensor((m, n), dtype)):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), threads=128) as (bx, by):
            A_shared = T.alloc_shared((block_m, block_n), dtype)
            B_shared = T.alloc_shared((block_m, block_n), dtype)
            C_local = T.alloc_fragment((block_m, block_n), dtype)
            T.copy(A[by * block_m, bx * block_n], A_shared)
            T.copy(B[by * block_m, bx * block_n], B_shared)
            for i, j in T.Parallel(block_m, block_n):
                C_local[i, j] = A_shared[i, j] + B_shared[i, j]
            T.copy(C_local, C[by * block_m, bx * block_n])

    return add_kernel


def batched_gemm(batch, m, n, k, block=(32, 32, 32), dtype="bfloat16"):
    block_m, block_n, block_k = block

    @T.prim_func
    def batched_gemm_kernel(
        A: T.Tensor((batch, m, k), dtype),
        B: T.Tensor((batch, k, n), dtype),
        C: T.Tensor((batch, m, n), dtype),
    ):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), batch, threads=128) as (bx, by, bz):
            A_shared = T.alloc_shared((block_m, block_k), dtype)
            B_shared = T.alloc_shared((block_k, block_n), dtype)
            C_local = T.alloc_fragment((block_m, block_n), "float32")
            T.clear(C_local)
            for ko in T.Pipelined(T.ceildiv(k, block_k), num_stages=2):
                T.copy(A[bz, by * block_m, ko * block_k], A_shared)
                T.copy(B[bz, ko * block_k, bx * block_n], B_shared)
                T.gemm(A_shared, B_shared, C_local)
            T.copy(C_local, C[bz, by * block_m, bx * block_n])

    return batched_gemm_kernel


def elementwise_chain(m, n, block=(64, 64), dtype="bfloat16"):
    """Rows scaled by one vector, columns shifted by another, then a chain of functions with a comparison."""
    block_m, block_n = block

    @T.prim_func
    def elementwise_chain_kernel(
        x: T.Tensor((m, n), dtype),
        row_scale: T.Tensor((m,), dtype),
        column_shift: T.Tensor((n,), dtype),
        y: T.Tensor((m, n), dtype),
    ):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), threads=128) as (bx, by):
            x_shared = T.alloc_shared((block_m, block_n), dtype)
            scale_shared = T.alloc_shared((block_m,), dtype)
            shift_shared = T.alloc_shared((block_n,), dtype)
            y_local = T.alloc_fragment((block_m, block_n), "float32")
            T.copy(x[by * block_m, bx * block_n], x_shared)
            T.copy(row_scale[by * block_m], scale_shared)
            T.copy(column_shift[bx * block_n], shift_shared)
            for i, j in T.Parallel(block_m, block_n):
                y_local[i, j] = x_shared[i, j] * scale_shared[i] + shift_shared[j]
            for i, j in T.Parallel(block_m, block_n):
                y_local[i, j] = T.if_then_else(
                    y_local[i, j] > 0.0, T.sqrt(T.abs(y_local[i, j])), T.exp(y_local[i, j]) - 1.0
                )
            for i, j in T.Parallel(block_m, block_n):
                y_local[i, j] = T.tanh(y_local[i, j]) + 0.25 * T.sin(y_local[i, j])
            T.copy(y_local, y[by * block_m, bx * block_n])

    return elementwise_chain_kernel


def reduction(m, n, kind="sum", dim=1, block=32, dtype="bfloat16"):
    """Of whole rows (dim 1) or whole columns (dim 0), `block` of them per core."""
    kept = m if dim == 1 else n
    shape = (block, n) if dim == 1 else (m, block)

    @T.prim_func
    def reduction_kernel(x: T.Tensor((m, n), dtype), y: T.Tensor((kept,), "float32")):
        with T.Kernel(T.ceildiv(kept, block), threads=128) as bx:
            x_local = T.alloc_fragment(shape, "float32")
            y_local = T.alloc_fragment((block,), "float32")
            if dim == 1:
                T.copy(x[bx * block, 0], x_local)
            else:
                T.copy(x[0, bx * block], x_local)
            if kind == "sum":
                T.reduce_sum(x_local, y_local, dim=dim)
            elif kind == "max":
                T.reduce_max(x_local, y_local, dim=dim)
            elif kind == "min":
                T.reduce_min(x_local, y_local, dim=dim)
            elif kind == "abssum":
                T.reduce_abssum(x_local, y_local, dim=dim)
            else:
                T.reduce_absmax(x_local, y_local, dim=dim)
            T.copy(y_local, y[bx * block])

    return reduction_kernel


def blocked_row_sum(m, n, block=(32, 64), dtype="bfloat16"):
    """A row sum over many blocks of columns: the reduction adds to what is there."""
    block_m, block_n = block

    @T.prim_func
    def blocked_row_sum_kernel(x: T.Tensor((m, n), dtype), y: T.Tensor((m,), "float32")):
        with T.Kernel(T.ceildiv(m, block_m), threads=128) as by:
            x_shared = T.alloc_shared((block_m, block_n), dtype)
            x_local = T.alloc_fragment((block_m, block_n), "float32")
            total = T.alloc_fragment((block_m,), "float32")
            T.clear(total)
            for ko in T.Pipelined(T.ceildiv(n, block_n), num_stages=2):
                T.copy(x[by * block_m, ko * block_n], x_shared)
                T.copy(x_shared, x_local)
                T.reduce_sum(x_local, total, dim=1, clear=False)
            T.copy(total, y[by * block_m])

    return blocked_row_sum_kernel


def grouped_gemm(rows, n, k, block=(32, 32, 32), dtype="bfloat16"):
    """Rows of A in groups, each times its own B. `rows` are multiples of the block: none spans two groups."""
    block_m, block_n, block_k = block
    m, groups = sum(rows), len(rows)

    @T.prim_func
    def grouped_gemm_kernel(
        A: T.Tensor((m, k), dtype),
        B: T.Tensor((groups, k, n), dtype),
        group_of_block: T.Tensor((m // block_m,), "int32"),
        C: T.Tensor((m, n), dtype),
    ):
        with T.Kernel(T.ceildiv(n, block_n), m // block_m, threads=128) as (bx, by):
            A_shared = T.alloc_shared((block_m, block_k), dtype)
            B_shared = T.alloc_shared((block_k, block_n), dtype)
            C_local = T.alloc_fragment((block_m, block_n), "float32")
            group = group_of_block[by]
            T.clear(C_local)
            for ko in T.Pipelined(T.ceildiv(k, block_k), num_stages=2):
                T.copy(A[by * block_m, ko * block_k], A_shared)
                T.copy(B[group, ko * block_k, bx * block_n], B_shared)
                T.gemm(A_shared, B_shared, C_local)
            T.copy(C_local, C[by * block_m, bx * block_n])

    return grouped_gemm_kernel


def split_k_gemm(m, n, k, parts, block=(32, 32, 32), dtype="bfloat16"):
    """Every block adds its part of K to what the output holds."""
    block_m, block_n, block_k = block
    part = -(-k // (parts * block_k)) * block_k

    @T.prim_func
    def split_k_gemm_kernel(
        A: T.Tensor((m, k), dtype), B: T.Tensor((k, n), dtype), C: T.Tensor((m, n), "float32")
    ):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), parts, threads=128) as (bx, by, bz):
            A_shared = T.alloc_shared((block_m, block_k), dtype)
            B_shared = T.alloc_shared((block_k, block_n), dtype)
            C_local = T.alloc_fragment((block_m, block_n), "float32")
            T.clear(C_local)
            for ko in T.Pipelined(T.ceildiv(part, block_k), num_stages=2):
                T.copy(A[by * block_m, bz * part + ko * block_k], A_shared)
                T.copy(B[bz * part + ko * block_k, bx * block_n], B_shared)
                T.gemm(A_shared, B_shared, C_local)
            T.atomic_add(C[by * block_m, bx * block_n], C_local)

    return split_k_gemm_kernel


def gemv(n, k, block=(32, 128), dtype="bfloat16"):
    """y = B x: a product of every row with the vector, then a sum along the row."""
    block_n, block_k = block

    @T.prim_func
    def gemv_kernel(x: T.Tensor((k,), dtype), B: T.Tensor((n, k), dtype), y: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, block_n), threads=128) as bn:
            x_shared = T.alloc_shared((block_k,), dtype)
            B_shared = T.alloc_shared((block_n, block_k), dtype)
            product = T.alloc_fragment((block_n, block_k), "float32")
            total = T.alloc_fragment((block_n,), "float32")
            T.clear(total)
            for ko in T.Pipelined(T.ceildiv(k, block_k), num_stages=2):
                T.copy(x[ko * block_k], x_shared)
                T.copy(B[bn * block_n, ko * block_k], B_shared)
                for i, j in T.Parallel(block_n, block_k):
                    product[i, j] = B_shared[i, j].astype("float32") * x_shared[j].astype("float32")
                T.reduce_sum(product, total, dim=1, clear=False)
            T.copy(total, y[bn * block_n])

    return gemv_kernel


def dynamic_gemm(n, k, block=(32, 32, 32), dtype="bfloat16"):
    """The number of rows comes with the call."""
    block_m, block_n, block_k = block
    m = T.dynamic("m")

    @T.prim_func
    def dynamic_gemm_kernel(
        A: T.Tensor((m, k), dtype), B: T.Tensor((k, n), dtype), C: T.Tensor((m, n), dtype)
    ):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), threads=128) as (bx, by):
            A_shared = T.alloc_shared((block_m, block_k), dtype)
            B_shared = T.alloc_shared((block_k, block_n), dtype)
            C_local = T.alloc_fragment((block_m, block_n), "float32")
            T.clear(C_local)
            for ko in T.Pipelined(T.ceildiv(k, block_k), num_stages=2):
                T.copy(A[by * block_m, ko * block_k], A_shared)
                T.copy(B[ko * block_k, bx * block_n], B_shared)
                T.gemm(A_shared, B_shared, C_local)
            T.copy(C_local, C[by * block_m, bx * block_n])

    return dynamic_gemm_kernel


def transpose(m, n, block=(32, 64), dtype="bfloat16"):
    block_m, block_n = block

    @T.prim_func
    def transpose_kernel(x: T.Tensor((m, n), dtype), y: T.Tensor((n, m), dtype)):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), threads=128) as (bx, by):
            x_shared = T.alloc_shared((block_m, block_n), dtype)
            y_shared = T.alloc_shared((block_n, block_m), dtype)
            T.copy(x[by * block_m, bx * block_n], x_shared)
            for i, j in T.Parallel(block_n, block_m):
                y_shared[i, j] = x_shared[j, i]
            T.copy(y_shared, y[bx * block_n, by * block_m])

    return transpose_kernel


def gated_gemm(m, n, k, block=(32, 32, 32), dtype="bfloat16"):
    """silu(x W) * (x V): two products of one operand, one result."""
    block_m, block_n, block_k = block

    @T.prim_func
    def gated_gemm_kernel(
        x: T.Tensor((m, k), dtype),
        W: T.Tensor((k, n), dtype),
        V: T.Tensor((k, n), dtype),
        y: T.Tensor((m, n), dtype),
    ):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), threads=128) as (bx, by):
            x_shared = T.alloc_shared((block_m, block_k), dtype)
            W_shared = T.alloc_shared((block_k, block_n), dtype)
            V_shared = T.alloc_shared((block_k, block_n), dtype)
            gate = T.alloc_fragment((block_m, block_n), "float32")
            up = T.alloc_fragment((block_m, block_n), "float32")
            T.clear(gate)
            T.clear(up)
            for ko in T.Pipelined(T.ceildiv(k, block_k), num_stages=2):
                T.copy(x[by * block_m, ko * block_k], x_shared)
                T.copy(W[ko * block_k, bx * block_n], W_shared)
                T.copy(V[ko * block_k, bx * block_n], V_shared)
                T.gemm(x_shared, W_shared, gate)
                T.gemm(x_shared, V_shared, up)
            for i, j in T.Parallel(block_m, block_n):
                up[i, j] = up[i, j] * gate[i, j] * T.sigmoid(gate[i, j])
            T.copy(up, y[by * block_m, bx * block_n])

    return gated_gemm_kernel


def causal_fill(m, n, block=(32, 32), dtype="bfloat16"):
    """Blocks above the diagonal are skipped by a condition, the one on it is masked."""
    block_m, block_n = block

    @T.prim_func
    def causal_fill_kernel(x: T.Tensor((m, n), dtype), y: T.Tensor((m, n), dtype)):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), threads=128) as (bx, by):
            x_shared = T.alloc_shared((block_m, block_n), dtype)
            y_local = T.alloc_fragment((block_m, block_n), "float32")
            T.clear(y_local)
            if bx * block_n <= by * block_m + block_m - 1:
                T.copy(x[by * block_m, bx * block_n], x_shared)
                for i, j in T.Parallel(block_m, block_n):
                    y_local[i, j] = T.if_then_else(
                        bx * block_n + j <= by * block_m + i, x_shared[i, j].astype("float32"), 0.0
                    )
            T.copy(y_local, y[by * block_m, bx * block_n])

    return causal_fill_kernel
