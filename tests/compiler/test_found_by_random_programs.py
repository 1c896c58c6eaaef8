"""Kernels that random programs found broken, as small as they became. Checks are on."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tilelang.language as T
import torch

import tilesmith


def noise(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def product_and_more(dtype: str, transposed: bool) -> Any:
    """A buffer that a product reads is also stored, added to itself and summed up."""

    @T.prim_func
    def main(
        X: T.Tensor((32, 64), dtype),
        W: T.Tensor((64, 64), dtype),
        same: T.Tensor((32, 64), dtype),
        twice: T.Tensor((32, 64), dtype),
        largest: T.Tensor((32,), dtype),
        product: T.Tensor((32, 64), "float32"),
    ):
        with T.Kernel(1, threads=128):
            x = T.alloc_shared((32, 64), dtype)
            y = T.alloc_fragment((32, 64), dtype)
            w = T.alloc_shared((64, 64), dtype)
            m = T.alloc_fragment((32,), dtype)
            c = T.alloc_fragment((32, 64), "float32")
            T.copy(X, x)
            T.copy(W, w)
            T.clear(c)
            T.gemm(x, w, c, transpose_B=transposed)
            for i, j in T.Parallel(32, 64):
                y[i, j] = x[i, j] + x[i, j]
            T.reduce_max(x, m, dim=1)
            T.copy(x, same)
            T.copy(y, twice)
            T.copy(m, largest)
            T.copy(c, product)

    return main


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_what_a_product_reads_keeps_its_bits_for_others(dtype: str, transposed: bool) -> None:
    x, w = (noise(*shape, seed=n).to(getattr(torch, dtype)) for n, shape in enumerate([(32, 64), (64, 64)]))
    same, twice, largest, product = tilesmith.compile(product_and_more(dtype, transposed))(x, w)
    assert torch.equal(same, x)
    assert torch.equal(twice, x + x)
    assert torch.equal(largest, x.amax(1))
    wanted = x.double() @ (w.T if transposed else w).double()
    assert torch.allclose(product.double(), wanted, rtol=2**-8, atol=2**-6)


def looked_for_where_data_say_so() -> Any:
    """Elements of a tensor on one side of a branch that no element may take."""

    @T.prim_func
    def main(X: T.Tensor((32, 32), "int32"), index: T.Tensor((32,), "int32"), Y: T.Tensor((32, 32), "int32")):
        with T.Kernel(1, threads=128):
            x = T.alloc_shared((32, 32), "int32")
            y = T.alloc_shared((32, 32), "int32")
            T.copy(X, x)
            for i, j in T.Parallel(32, 32):
                if x[i, j] != 1:
                    y[i, j] = x[i, j] + 5
                else:
                    y[i, j] = x[index[i], j]
            T.copy(y, Y)

    return main


@pytest.mark.parametrize("low", [0, 2])
def test_scratch_memory_that_is_not_needed(low: int) -> None:
    generator = torch.Generator().manual_seed(0)
    x = torch.randint(low, 4, (32, 32), dtype=torch.int32, generator=generator)
    index = torch.randint(0, 32, (32,), dtype=torch.int32, generator=generator)
    result = tilesmith.compile(looked_for_where_data_say_so())(x, index)
    assert torch.equal(result, torch.where(x != 1, x + 5, x[index.long()]))


def of_indices(kind: str) -> Any:
    """Integers of loop variables that are not the same in float32."""

    @T.prim_func
    def main(A: T.Tensor((32, 64), "float32"), B: T.Tensor((32, 64), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32, 64), "float32")
            T.copy(A, a)
            for i, j in T.Parallel(32, 64):
                if kind == "uint16":
                    a[i, j] = a[i, j] + T.cast(T.cast(i, "uint16"), "float32")
                elif kind == "int8":
                    a[i, j] = a[i, j] + T.cast(T.cast(i * 64 + j, "int8"), "float32")
                elif kind == "bits":
                    a[i, j] = a[i, j] + T.cast((i ^ j) & 5, "float32")
                elif kind == "unsigned":
                    a[i, j] = a[i, j] + T.cast(T.cast(i, "uint32") >> T.cast(2, "uint32"), "float32")
                elif kind == "shift":
                    a[i, j] = a[i, j] + T.cast(1 << (j % 8), "float32")
                else:
                    a[i, j] = a[i, j] + T.cast((i * 7654321 + j) % 7, "float32")
            T.copy(a, B)

    return main


@pytest.mark.parametrize("kind", ["uint16", "int8", "bits", "unsigned", "shift", "large"])
def test_integers_of_loop_variables_are_exact(kind: str) -> None:
    i, j = torch.meshgrid(torch.arange(32), torch.arange(64), indexing="ij")
    added = {
        "uint16": i,
        "int8": (i * 64 + j).to(torch.int8),
        "bits": (i ^ j) & 5,
        "unsigned": i >> 2,
        "shift": 1 << (j % 8),
        "large": (i * 7654321 + j) % 7,
    }[kind]
    x = torch.arange(32 * 64).reshape(32, 64).float()
    assert torch.equal(tilesmith.compile(of_indices(kind))(x), x + added)


def widened(source: str, between: str, dest: str) -> Any:
    @T.prim_func
    def main(A: T.Tensor((32, 32), source), B: T.Tensor((32, 32), dest)):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32, 32), source)
            b = T.alloc_shared((32, 32), dest)
            T.copy(A, a)
            for i, j in T.Parallel(32, 32):
                b[i, j] = T.cast(T.cast(a[i, j], between), dest)
            T.copy(b, B)

    return main


@pytest.mark.parametrize("source", ["int8", "int16", "uint8"])
@pytest.mark.parametrize("between", ["uint8", "uint16", "int16", "uint32"])
def test_a_wider_unsigned_type_takes_the_bits_of_a_negative_number(source: str, between: str) -> None:
    x = np.arange(-512, 512).reshape(32, 32).astype(source)
    result = tilesmith.compile(widened(source, between, "int32"))(x)
    assert np.array_equal(result, x.astype(between).astype("int32"))


_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


def compared(dtype: str, with_what: str) -> Any:
    """Each comparison of a tensor with a constant, on either side, or with another tensor."""

    @T.prim_func
    def main(A: T.Tensor((32, 32), dtype), B: T.Tensor((32, 32), dtype), C: T.Tensor((6, 32, 32), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32, 32), dtype)
            b = T.alloc_shared((32, 32), dtype)
            c = T.alloc_shared((6, 32, 32), "float32")
            T.copy(A, a)
            T.copy(B, b)
            for i, j in T.Parallel(32, 32):
                left = T.cast(3, dtype) if with_what == "number" else a[i, j]
                right = T.cast(3, dtype) if with_what == "to number" else b[i, j]
                c[0, i, j] = T.if_then_else(left < right, 1.0, 0.0)
                c[1, i, j] = T.if_then_else(left <= right, 1.0, 0.0)
                c[2, i, j] = T.if_then_else(left > right, 1.0, 0.0)
                c[3, i, j] = T.if_then_else(left >= right, 1.0, 0.0)
                c[4, i, j] = T.if_then_else(left == right, 1.0, 0.0)
                c[5, i, j] = T.if_then_else(left != right, 1.0, 0.0)
            T.copy(c, C)

    return main


@pytest.mark.parametrize(
    ("dtype", "with_what"), [("float32", "number"), ("float32", "to number"), ("float16", "tensor")]
)
def test_nan_is_unequal_to_everything_and_not_ordered(dtype: str, with_what: str) -> None:
    a, b = (noise(32, 32, seed=seed) for seed in (0, 1))
    odd = torch.tensor([torch.nan, -torch.nan, torch.inf, -torch.inf, 0.0, -0.0, 3.0, -3.0])
    a[:8, :8], b[:8, :8] = odd[:, None], odd[None, :]
    a, b = (one.to(getattr(torch, dtype)) for one in (a, b))
    left = torch.tensor(3.0) if with_what == "number" else a
    right = torch.tensor(3.0) if with_what == "to number" else b
    result = tilesmith.compile(compared(dtype, with_what))(a, b)
    wanted = [left < right, left <= right, left > right, left >= right, left == right, left != right]
    for name, got, want in zip(_COMPARISONS, result, wanted, strict=True):
        assert torch.equal(got.bool(), want), name


def to_half(dtype: str) -> Any:
    """Written to float16 by a copy and from arithmetic."""

    @T.prim_func
    def main(
        A: T.Tensor((32, 32), dtype), B: T.Tensor((32, 32), "float16"), C: T.Tensor((32, 32), "float16")
    ):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32, 32), dtype)
            b = T.alloc_shared((32, 32), "float16")
            c = T.alloc_shared((32, 32), "float16")
            T.copy(A, a)
            T.copy(a, b)
            for i, j in T.Parallel(32, 32):
                c[i, j] = T.cast(2.0, "float16") - T.cast(a[i, j], "float16")
            T.copy(b, B)
            T.copy(c, C)

    return main


@pytest.mark.parametrize("arch", ["wormhole", "blackhole"])
def test_every_nan_stays_one_in_float16(arch: str) -> None:
    x = noise(32, 32)
    nans = torch.tensor([0x7FC00000, 0x7F800001, 0x7FFFFFFF, 0x7F801000, -1, -0x400000, -0x7FFFFF])
    x.view(torch.int32)[0, :7] = nans.to(torch.int32)
    x[1, :6] = torch.tensor([torch.inf, -torch.inf, 65504.0, -65519.0, 65520.0, 2.0**-14])
    copied, less = tilesmith.compile(to_half("float32"), target=arch)(x)
    assert torch.equal(copied.isnan(), x.isnan())
    assert torch.equal(less.isnan(), x.isnan())
    assert torch.equal(copied.nan_to_num(1.0), x.half().nan_to_num(1.0))
    assert torch.equal(less.nan_to_num(1.0), (2 - x.half()).nan_to_num(1.0))


@T.prim_func
def roots(A: T.Tensor((3, 32), "float32"), B: T.Tensor((4, 3, 32), "float32")):
    with T.Kernel(1, threads=128):
        a = T.alloc_shared((3, 32), "float32")
        b = T.alloc_fragment((4, 3, 32), "float32")
        T.copy(A, a)
        for i, j in T.Parallel(3, 32):
            b[0, i, j] = T.sqrt(a[i, j])
            b[1, i, j] = T.rsqrt(a[i, j])
            b[2, i, j] = T.rsqrt(a[i, j] * a[i, j] + 1.0)
            b[3, i, j] = T.sqrt(T.cast(T.cast(a[i, j], "bfloat16"), "float32"))
        T.copy(b, B)


@pytest.mark.parametrize("arch", ["wormhole", "blackhole"])
def test_roots_of_negative_zero_are_those_of_zero(arch: str) -> None:
    x = noise(3, 32).abs()
    x[0] = -0.0
    x[1, :3] = torch.tensor([0.0, -1.0, torch.inf])
    root, inverse, below_one, narrow = tilesmith.compile(roots, target=arch)(x)
    plain = x + 0.0
    assert torch.equal(root[0], plain[0])
    assert torch.equal(narrow[0], plain[0])
    torch.testing.assert_close(root, plain.sqrt(), equal_nan=True)
    torch.testing.assert_close(inverse, plain.rsqrt(), equal_nan=True)
    torch.testing.assert_close(below_one, (plain * plain + 1).rsqrt(), equal_nan=True)


def added_in_tiles() -> Any:
    """A buffer whose padding nobody writes is added to a tensor in tiles."""

    @T.prim_func
    def main(
        X: T.Tensor((34, 48), "float32"), count: T.Tensor((4,), "int32"), Y: T.Tensor((34, 48), "float32")
    ):
        with T.Kernel(2, threads=128) as bx:
            x = T.alloc_shared((32, 48), "float32")
            y = T.alloc_shared((32, 48), "float32")
            T.copy(X[bx * 32 : bx * 32 + 32, 0:48], x)
            T.copy(X[bx * 32 : bx * 32 + 32, 0:48], y)
            for k in T.serial(4):
                if count[k] == 0:
                    continue
                for i, j in T.Parallel(32, 48):
                    y[i, j] = T.max(y[i, j], -1.5 - x[(i + 5) % 32, j])
            T.atomic_add(Y[bx * 32 : bx * 32 + 32, 0:48], y)

    return main


@pytest.mark.parametrize("target", ["wormhole", "blackhole"])
def test_padding_is_not_added(target: str) -> None:
    x, before = noise(34, 48), noise(34, 48, seed=1)
    found = before.clone()
    tilesmith.compile(added_in_tiles(), target=target)(
        x, torch.tensor([0, 1, 0, 2], dtype=torch.int32), found
    )
    blocks = torch.cat([x, torch.zeros(30, 48)]).reshape(2, 32, 48)
    wanted = torch.maximum(blocks, -1.5 - blocks.roll(-5, 1)).reshape(64, 48)[:34] + before
    assert torch.equal(found, wanted)


@T.prim_func
def stored_beside(
    X: T.Tensor((32, 32), "int32"), Y: T.Tensor((32, 32), "int32"), Z: T.Tensor((32, 32), "int32")
):
    with T.Kernel(1, threads=128):
        x = T.alloc_shared((32, 32), "int32")
        T.copy(X, x)
        T.copy(x, Y[0:32, 32:64])
        T.copy(x, Z)


@T.prim_func
def loaded_beside(
    X: T.Tensor((32, 32), "int32"), Y: T.Tensor((32, 32), "int32"), Z: T.Tensor((32, 32), "int32")
):
    with T.Kernel(1, threads=128):
        x = T.alloc_shared((32, 32), "int32")
        y = T.alloc_shared((32, 32), "int32")
        T.copy(X[32:64, 0:32], x)
        T.copy(Y, y)
        for i, j in T.Parallel(32, 32):
            y[i, j] = y[i, j] - x[i, j] // 3
        T.copy(y, Z)


def test_a_transfer_wholly_outside_its_tensor_moves_nothing() -> None:
    x = torch.arange(1024, dtype=torch.int32).reshape(32, 32)
    y, z = torch.full_like(x, 7), torch.zeros_like(x)
    tilesmith.compile(stored_beside)(x, y, z)
    assert torch.equal(y, torch.full_like(x, 7))
    assert torch.equal(z, x)
    tilesmith.compile(loaded_beside)(x, y, z)
    assert torch.equal(z, y)


def test_the_remainder_of_floats_that_rounds_towards_zero() -> None:
    @T.prim_func
    def main(X: T.Tensor((32, 32), "float32"), Y: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=128):
            for i, j in T.Parallel(32, 32):
                Y[i, j] = T.truncmod(X[i, j], 3.0)

    x, y = noise(32, 32) * 10, torch.zeros(32, 32)
    tilesmith.compile(main)(x, y)
    assert torch.allclose(y, torch.fmod(x, 3.0), atol=2e-6)
