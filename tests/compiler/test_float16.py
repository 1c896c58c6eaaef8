"""Values of float16 buffers are float16 numbers: rounded to nearest even, infinite beyond 65504."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from typing import Any

import pytest
import tilelang.language as T
import torch

import tilesmith

SIZE = 32
SHAPE = (SIZE, SIZE)


def copied() -> Any:
    @T.prim_func
    def main(A: T.Tensor(SHAPE, "float32"), B: T.Tensor(SHAPE, "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared(SHAPE, "float32")
            half = T.alloc_fragment(SHAPE, "float16")
            b = T.alloc_fragment(SHAPE, "float32")
            T.copy(A, a)
            T.copy(a, half)
            T.copy(half, b)
            T.copy(b, B)

    return main


def loaded() -> Any:
    @T.prim_func
    def main(A: T.Tensor(SHAPE, "float32"), B: T.Tensor(SHAPE, "float32")):
        with T.Kernel(1, threads=128) as _:
            half = T.alloc_shared(SHAPE, "float16")
            T.copy(A, half)
            T.copy(half, B)

    return main


def mapped() -> Any:
    @T.prim_func
    def main(A: T.Tensor(SHAPE, "float32"), B: T.Tensor(SHAPE, "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared(SHAPE, "float32")
            half = T.alloc_fragment(SHAPE, "float16")
            b = T.alloc_fragment(SHAPE, "float32")
            T.copy(A, a)
            for i, j in T.Parallel(SIZE, SIZE):
                half[i, j] = a[i, j] * 1.0
            for i, j in T.Parallel(SIZE, SIZE):
                b[i, j] = half[i, j]
            T.copy(b, B)

    return main


def cast() -> Any:
    @T.prim_func
    def main(A: T.Tensor(SHAPE, "float32"), B: T.Tensor(SHAPE, "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared(SHAPE, "float32")
            T.copy(A, a)
            for i, j in T.Parallel(SIZE, SIZE):
                a[i, j] = T.cast(T.cast(a[i, j], "float16"), "float32")
            T.copy(a, B)

    return main


def written_one_by_one() -> Any:
    @T.prim_func
    def main(A: T.Tensor(SHAPE, "float32"), B: T.Tensor(SHAPE, "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared(SHAPE, "float32")
            half = T.alloc_shared(SHAPE, "float16")
            T.copy(A, a)
            for i in T.serial(SIZE):
                for j in T.serial(SIZE):
                    half[i, SIZE - 1 - j] = a[(i + 1) % SIZE, j]
            T.copy(half, B)

    return main


def sums(dim: int) -> Any:
    @T.prim_func
    def main(A: T.Tensor(SHAPE, "float16"), B: T.Tensor((SIZE,), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_fragment(SHAPE, "float16")
            half = T.alloc_fragment((SIZE,), "float16")
            b = T.alloc_fragment((SIZE,), "float32")
            T.copy(A, a)
            T.reduce_sum(a, half, dim=dim)
            T.copy(half, b)
            T.copy(b, B)

    return main


def product() -> Any:
    @T.prim_func
    def main(A: T.Tensor(SHAPE, "float16"), B: T.Tensor(SHAPE, "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared(SHAPE, "float16")
            half = T.alloc_fragment(SHAPE, "float16")
            b = T.alloc_fragment(SHAPE, "float32")
            T.copy(A, a)
            T.clear(half)
            T.gemm(a, a, half)
            T.copy(half, b)
            T.copy(b, B)

    return main


def filled(value: float) -> Any:
    @T.prim_func
    def main(B: T.Tensor(SHAPE, "float32")):
        with T.Kernel(1, threads=128) as _:
            half = T.alloc_fragment(SHAPE, "float16")
            b = T.alloc_fragment(SHAPE, "float32")
            T.fill(half, value)
            T.copy(half, b)
            T.copy(b, B)

    return main


def values() -> torch.Tensor:
    """All sizes float16 has as normal numbers and some beyond, ties among them, and what is no number."""
    generator = torch.Generator().manual_seed(0)
    sizes = torch.randint(-14, 18, SHAPE, generator=generator)
    found = torch.ldexp(1 + torch.rand(SHAPE, generator=generator), sizes)
    found *= torch.where(torch.rand(SHAPE, generator=generator) < 0.5, 1.0, -1.0)
    tie = 1 + 2.0**-11
    found[0, :12] = torch.tensor(
        [
            88506.25,
            -88506.25,
            65504,
            65519.99,
            65520,
            tie,
            -tie,
            1 + 3 * 2.0**-11,
            0,
            2048.5,
            3e38,
            float("inf"),
        ]
    )
    return found


@pytest.mark.parametrize("target", ["wormhole", "blackhole"])
@pytest.mark.parametrize("kernel", [copied, mapped])
def test_computed_values(kernel: Any, target: str) -> None:
    given, out = values(), torch.zeros(SHAPE)
    tilesmith.compile(kernel(), target=target)(given, out)
    assert torch.equal(out, given.half().float())


@pytest.mark.parametrize("kernel", [loaded, cast])
def test_other_ways(kernel: Any) -> None:
    given, out = values(), torch.zeros(SHAPE)
    tilesmith.compile(kernel())(given, out)
    assert torch.equal(out, given.half().float())


def test_scalar_code() -> None:
    given, out = values(), torch.zeros(SHAPE)
    tilesmith.compile(written_one_by_one())(given, out)
    assert torch.equal(out, given.half().float().roll(-1, 0).flip(1))


@pytest.mark.parametrize("dim", [0, 1])
def test_sums(dim: int) -> None:
    given = torch.randint(-60, 60, SHAPE, generator=torch.Generator().manual_seed(1)).half() * 64
    given[:, 3], given[3] = 4096, 4096  # more than float16 has
    out = torch.zeros(SIZE)
    tilesmith.compile(sums(dim))(given, out)
    assert torch.equal(out, given.float().sum(dim).half().float())
    assert torch.isinf(out[3])


def test_product() -> None:
    given = torch.randint(-90, 90, SHAPE, generator=torch.Generator().manual_seed(1)).half()
    given[3], given[:, 3] = 60.0, 60.0
    out = torch.zeros(SHAPE)
    tilesmith.compile(product())(given, out)
    assert torch.equal(out, out.half().float())
    assert torch.isinf(out[3, 3])


@pytest.mark.parametrize("value", [0.1, -1e6])
def test_fill(value: float) -> None:
    out = torch.zeros(SHAPE)
    tilesmith.compile(filled(value))(out)
    assert torch.equal(out, torch.full(SHAPE, value).half().float())
