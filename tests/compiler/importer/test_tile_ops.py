"""Matrix products, reductions, fills, scans and convolutions."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tilelang.language as T
from tests.compiler.importer.importing import imported, integers, noise, operations, run


def matmul(transpose_a: bool, transpose_b: bool, clear: bool):
    a_shape = (32, 64) if transpose_a else (64, 32)
    b_shape = (96, 32) if transpose_b else (32, 96)

    @T.prim_func
    def kernel(
        A: T.Tensor(a_shape, "float32"), B: T.Tensor(b_shape, "float32"), C: T.Tensor((64, 96), "float32")
    ):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared(a_shape, "float32")
            b = T.alloc_shared(b_shape, "float32")
            c = T.alloc_fragment((64, 96), "float32")
            T.fill(c, 1.0)
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, c, transpose_A=transpose_a, transpose_B=transpose_b, clear_accum=clear)
            T.copy(c, C)

    return kernel


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize("clear", [False, True])
def test_gemm(transpose_a: bool, transpose_b: bool, clear: bool) -> None:
    kernel = matmul(transpose_a, transpose_b, clear)
    a = noise(*((32, 64) if transpose_a else (64, 32)))
    b = noise(*((96, 32) if transpose_b else (32, 96)), seed=1)
    c = np.zeros((64, 96), np.float32)
    run(kernel, A=a, B=b, C=c)
    product = (a.T if transpose_a else a) @ (b.T if transpose_b else b)
    np.testing.assert_allclose(c, product + (0 if clear else 1), rtol=1e-4, atol=1e-5)


def test_a_pipelined_loop_says_how_far_it_may_run_ahead() -> None:
    @T.prim_func
    def kernel(
        A: T.Tensor((64, 128), "float32"), B: T.Tensor((128, 64), "float32"), C: T.Tensor((64, 64), "float32")
    ):
        with T.Kernel(2, 2, threads=128) as (bx, by):
            a = T.alloc_shared((32, 32), "float32")
            b = T.alloc_shared((32, 32), "float32")
            c = T.alloc_fragment((32, 32), "float32")
            T.use_swizzle(10)
            T.clear(c)
            for k in T.Pipelined(4, num_stages=3):
                T.copy(A[by * 32, k * 32], a)
                T.copy(B[k * 32, bx * 32], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 32, bx * 32])

    assert "num_stages = 3 : i64" in str(imported(kernel))
    a, b, c = noise(64, 128), noise(128, 64, seed=1), np.zeros((64, 64), np.float32)
    run(kernel, A=a, B=b, C=c)
    np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-4)


def test_gemm_on_one_stage_of_a_buffer() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((2, 32, 32), "float32"), C: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((2, 32, 32), "float32")
            c = T.alloc_fragment((32, 32), "float32")
            T.copy(A, a)
            T.clear(c)
            T.gemm(a[0, :, :], a[1, :, :], c)
            T.copy(c, C)

    a, c = noise(2, 32, 32), np.zeros((32, 32), np.float32)
    run(kernel, A=a, C=c)
    np.testing.assert_allclose(c, a[0] @ a[1], rtol=1e-4, atol=1e-5)


REDUCTIONS: dict[str, tuple[Any, Callable[..., Any]]] = {
    "max": (T.reduce_max, np.max),
    "min": (T.reduce_min, np.min),
    "sum": (T.reduce_sum, np.sum),
    "absmax": (T.reduce_absmax, lambda x, axis: np.max(np.abs(x), axis)),
    "abssum": (T.reduce_abssum, lambda x, axis: np.sum(np.abs(x), axis)),
}


@pytest.mark.parametrize("kind", REDUCTIONS)
@pytest.mark.parametrize("dim", [0, 1])
def test_reductions(kind: str, dim: int) -> None:
    reduce, reference = REDUCTIONS[kind]
    size = (64, 32)[dim]

    @T.prim_func
    def kernel(A: T.Tensor((32, 64), "float32"), B: T.Tensor((size,), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_fragment((32, 64), "float32")
            b = T.alloc_fragment((size,), "float32")
            T.copy(A, a)
            reduce(a, b, dim=dim)
            T.copy(b, B)

    a, b = noise(32, 64), np.zeros(size, np.float32)
    run(kernel, A=a, B=b)
    np.testing.assert_allclose(b, reference(a, axis=dim), rtol=1e-5, atol=1e-5)


def test_a_reduction_without_clear_goes_on_from_what_is_there() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((2, 32, 64), "float32"), B: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_fragment((32, 64), "float32")
            b = T.alloc_fragment((32,), "float32")
            T.fill(b, -T.infinity("float32"))
            for k in T.serial(2):
                T.copy(A[k, 0:32, 0:64], a)
                T.reduce_max(a, b, dim=1, clear=False)
            T.copy(b, B)

    a, b = noise(2, 32, 64), np.zeros(32, np.float32)
    run(kernel, A=a, B=b)
    np.testing.assert_array_equal(b, a.max((0, 2)))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dim", [0, 1])
def test_running_sums(dim: int, reverse: bool) -> None:
    @T.prim_func
    def kernel(A: T.Tensor((8, 16), "float32"), B: T.Tensor((8, 16), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((8, 16), "float32")
            T.copy(A, a)
            T.cumsum(a, dim=dim, reverse=reverse)
            T.copy(a, B)

    a, b = noise(8, 16), np.zeros((8, 16), np.float32)
    run(kernel, A=a, B=b)
    expected = np.flip(np.cumsum(np.flip(a, dim), dim), dim) if reverse else np.cumsum(a, dim)
    np.testing.assert_allclose(b, expected, rtol=1e-5, atol=1e-5)


def test_a_transpose_is_a_map() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((32, 64), "float32"), B: T.Tensor((64, 32), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((32, 64), "float32")
            b = T.alloc_shared((64, 32), "float32")
            T.copy(A, a)
            T.transpose(a, b)
            T.copy(b, B)

    assert operations(kernel)["tile.scalar"] == 0
    a, b = noise(32, 64), np.zeros((64, 32), np.float32)
    run(kernel, A=a, B=b)
    np.testing.assert_array_equal(b, a.T)


def test_filling_a_part_of_a_buffer() -> None:
    @T.prim_func
    def kernel(B: T.Tensor((32, 64), "float32")):
        with T.Kernel(1, threads=128) as _:
            b = T.alloc_fragment((32, 64), "float32")
            T.fill(b, 1.5)
            T.clear(b[0:16, 0:64])
            T.copy(b, B)

    b = np.zeros((32, 64), np.float32)
    run(kernel, B=b)
    assert (b[:16] == 0).all()
    assert (b[16:] == 1.5).all()


@pytest.mark.parametrize(("stride", "pad", "channels"), [(1, 1, 8), (2, 1, 8), (1, 0, 4)])
def test_im2col(stride: int, pad: int, channels: int) -> None:
    import torch

    size, filters, kernel_size, block = 6, 8, 3, 8
    out = (size + 2 * pad - kernel_size) // stride + 1
    rows = out * out
    depth = kernel_size * kernel_size * channels

    @T.prim_func
    def convolve(
        image: T.Tensor((1, size, size, channels), "float32"),
        weights: T.Tensor((depth, filters), "float32"),
        result: T.Tensor((rows, filters), "float32"),
    ):
        with T.Kernel(T.ceildiv(rows, block), threads=128) as by:
            a = T.alloc_shared((block, block), "float32")
            b = T.alloc_shared((block, filters), "float32")
            c = T.alloc_fragment((block, filters), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(depth, block), num_stages=2):
                T.im2col(image, a, by, k, kernel_size, stride, 1, pad)
                T.copy(weights[k * block, 0], b)
                T.gemm(a, b, c)
            T.copy(c, result[by * block, 0])

    image, weights = noise(1, size, size, channels), noise(depth, filters, seed=1)
    result = np.zeros((rows, filters), np.float32)
    run(convolve, image=image, weights=weights, result=result)
    planes = torch.from_numpy(image).permute(0, 3, 1, 2)
    taps = torch.from_numpy(weights).view(kernel_size, kernel_size, channels, filters).permute(3, 2, 0, 1)
    expected = torch.nn.functional.conv2d(planes, taps, stride=stride, padding=pad)
    np.testing.assert_allclose(result, expected[0].flatten(1).T.numpy(), rtol=1e-4, atol=1e-3)


def test_integer_products_and_reductions() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((32, 32), "int8"), B: T.Tensor((32, 32), "int8"), C: T.Tensor((32, 32), "int32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((32, 32), "int8")
            b = T.alloc_shared((32, 32), "int8")
            c = T.alloc_fragment((32, 32), "int32")
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.gemm(a, b, c)
            T.copy(c, C)

    a, b = integers(32, 32, below=20, dtype="int8"), integers(32, 32, below=20, seed=1, dtype="int8")
    c = np.zeros((32, 32), np.int32)
    run(kernel, A=a, B=b, C=c)
    np.testing.assert_array_equal(c, a.astype(np.int32) @ b.astype(np.int32))
