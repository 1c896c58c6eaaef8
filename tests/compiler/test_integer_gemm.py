"""Products of 8-bit integers into int32 are exact, whatever is done with them next."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from typing import Any

import pytest
import tilelang.language as T
import torch

import tilesmith
from tilesmith.errors import UnsupportedKernelError


def gemm(m: int, n: int, k: int, steps: int, dtype: str) -> Any:
    @T.prim_func
    def main(
        A: T.Tensor((m, k * steps), dtype), B: T.Tensor((n, k * steps), dtype), C: T.Tensor((m, n), "int32")
    ):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((m, k), dtype)
            b = T.alloc_shared((n, k), dtype)
            c = T.alloc_fragment((m, n), "int32")
            T.clear(c)
            for step in T.Pipelined(steps, num_stages=2):
                T.copy(A[0, step * k], a)
                T.copy(B[0, step * k], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C)

    return main


def quantised_layer(m: int, n: int, k: int) -> Any:
    """C += A^T B; its rows scaled, its elements as floats, and the largest of each row."""

    @T.prim_func
    def main(
        A: T.Tensor((k, m), "int8"),
        B: T.Tensor((k, n), "int8"),
        C: T.Tensor((m, n), "int32"),
        S: T.Tensor((m,), "float32"),
        Scaled: T.Tensor((m, n), "float32"),
        Floats: T.Tensor((m, n), "float32"),
        Largest: T.Tensor((m,), "int32"),
    ):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((k, m), "int8")
            b = T.alloc_shared((k, n), "int8")
            c = T.alloc_fragment((m, n), "int32")
            s = T.alloc_fragment((m,), "float32")
            scaled = T.alloc_fragment((m, n), "float32")
            floats = T.alloc_fragment((m, n), "float32")
            largest = T.alloc_fragment((m,), "int32")
            T.copy(A, a)
            T.copy(B, b)
            T.copy(C, c)
            T.copy(S, s)
            T.gemm(a, b, c, transpose_A=True)
            for i, j in T.Parallel(m, n):
                scaled[i, j] = c[i, j] * s[i]
            T.copy(c, floats)
            T.reduce_max(c, largest, dim=1)
            T.copy(c, C)
            T.copy(scaled, Scaled)
            T.copy(floats, Floats)
            T.copy(largest, Largest)

    return main


def random_integers(name: str, *shape: int, seed: int = 0) -> torch.Tensor:
    dtype = getattr(torch, name)
    limits = torch.iinfo(dtype)
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(limits.min, limits.max + 1, shape, generator=generator).to(dtype)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize(
    ("target", "fidelity"), [("wormhole", "HiFi4"), ("wormhole", "LoFi"), ("blackhole", "HiFi4")]
)
def test_product(dtype: str, target: str, fidelity: str) -> None:
    a, b = (random_integers(dtype, size, 96, seed=size) for size in (48, 40))
    out = torch.zeros(48, 40, dtype=torch.int32)
    tilesmith.compile(gemm(48, 40, 48, 2, dtype), target=target, fidelity=fidelity)(a, b, out)
    assert torch.equal(out, a.int() @ b.int().T)


def test_sums_that_floats_would_round() -> None:
    a = torch.full((32, 2560), -128, dtype=torch.int8)
    a[0], a[1, ::2] = 127, 3
    out = torch.zeros(32, 32, dtype=torch.int32)
    tilesmith.compile(gemm(32, 32, 256, 10, "int8"))(a, a, out)
    expected = a.int() @ a.int().T
    assert expected.max() > 2**25
    assert torch.equal(out, expected)


def test_what_becomes_of_the_sums() -> None:
    m, n, k = 32, 64, 64
    a, b = random_integers("int8", k, m), random_integers("int8", k, n, seed=1)
    c = random_integers("int32", m, n) // 2
    scale = torch.randn(m, generator=torch.Generator().manual_seed(0))
    scaled, floats, largest = torch.zeros(m, n), torch.zeros(m, n), torch.zeros(m, dtype=torch.int32)
    expected = c + a.int().T @ b.int()
    tilesmith.compile(quantised_layer(m, n, k))(a, b, c, scale, scaled, floats, largest)
    assert torch.equal(c, expected)
    assert torch.equal(largest, expected.amax(1))
    assert torch.equal(floats, expected.float())
    torch.testing.assert_close(scaled, expected * scale[:, None], rtol=1e-6, atol=0)


def test_wider_integers_are_refused() -> None:
    with pytest.raises(UnsupportedKernelError, match="a product of i32 and i32 into i32") as caught:
        tilesmith.compile(gemm(32, 32, 32, 1, "int32"))
    assert "at most 8 bits" in str(caught.value)
