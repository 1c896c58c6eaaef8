"""Products of random 8-bit integers, compared with torch: every element must be equal.

Each launch multiplies a stack of matrices, one per block. Sizes, types and transposition are those of SHAPES;
values are drawn over the whole type, at its ends, small, and mostly zero.

    python -m conformance.int8_gemm --json
"""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import tilelang.language as T
import torch

import tilesmith

SHAPES = (
    (32, 32, 32, False),
    (16, 48, 32, True),
    (64, 32, 64, False),
    (32, 64, 96, True),
    (40, 24, 72, False),
    (32, 32, 256, True),
)
TYPES = ("int8", "uint8")
VALUES = ("uniform", "ends", "small", "sparse")


@dataclass
class Count:
    """How many products were compared, and what differed."""

    products: int = 0
    elements: int = 0
    wrong_products: int = 0
    largest_difference: int = 0


def stacked_gemm(count: int, m: int, n: int, k: int, transposed: bool, dtype: str, steps: int = 2) -> Any:
    """`count` products, one per block, each in `steps` steps along k."""
    b_shape = (n, k // steps) if transposed else (k // steps, n)
    b_all = (count, n, k) if transposed else (count, k, n)

    @T.prim_func
    def main(
        A: T.Tensor((count, m, k), dtype), B: T.Tensor(b_all, dtype), C: T.Tensor((count, m, n), "int32")
    ):
        with T.Kernel(count, threads=128) as block:
            a = T.alloc_shared((m, k // steps), dtype)
            b = T.alloc_shared(b_shape, dtype)
            c = T.alloc_fragment((m, n), "int32")
            T.clear(c)
            for step in T.Pipelined(steps, num_stages=2):
                T.copy(A[block, 0, step * (k // steps)], a)
                if transposed:
                    T.copy(B[block, 0, step * (k // steps)], b)
                else:
                    T.copy(B[block, step * (k // steps), 0], b)
                T.gemm(a, b, c, transpose_B=transposed)
            T.copy(c, C[block, 0, 0])

    return main


def drawn(how: str, dtype: torch.dtype, shape: tuple[int, ...], generator: torch.Generator) -> torch.Tensor:
    limits = torch.iinfo(dtype)
    low, high = (-3 if limits.min else 0, 4) if how == "small" else (limits.min, limits.max + 1)
    values = torch.randint(low, high, shape, generator=generator)
    if how == "ends":
        ends = torch.tensor([limits.min, limits.max, limits.min + 1, limits.max - 1])
        values = ends[torch.randint(0, 4, shape, generator=generator)]
    if how == "sparse":
        values *= torch.randint(0, 8, shape, generator=generator) == 0
    return values.to(dtype)


def cases(products: int, stack: int) -> Iterator[tuple[Any, torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Compiled kernels with their operands and what they must give, until enough products were drawn."""
    generator = torch.Generator().manual_seed(0)
    kernels = [
        (tilesmith.compile(stacked_gemm(stack, *shape, dtype)), shape, getattr(torch, dtype))
        for shape in SHAPES
        for dtype in TYPES
    ]
    drawn_so_far = 0
    while drawn_so_far < products:
        for kernel, (m, n, k, transposed), dtype in kernels:
            how = VALUES[drawn_so_far // stack % len(VALUES)]
            a = drawn(how, dtype, (stack, m, k), generator)
            b = drawn(how, dtype, (stack, n, k) if transposed else (stack, k, n), generator)
            yield kernel, a, b, a.int() @ (b.int().mT if transposed else b.int())
            drawn_so_far += stack


def sweep(products: int = 10_000, stack: int = 56) -> Count:
    """Compare at least so many products."""
    count = Count()
    for kernel, a, b, expected in cases(products, stack):
        out = torch.zeros_like(expected)
        kernel(a, b, out)
        difference = (out - expected).abs().flatten(1).amax(1)
        count.products += len(out)
        count.elements += out.numel()
        count.wrong_products += int((difference > 0).sum())
        count.largest_difference = max(count.largest_difference, int(difference.max()))
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description="products of random 8-bit integers against torch")
    parser.add_argument("--products", type=int, default=10_000)
    parser.add_argument("--json", action="store_true", help="print numbers only")
    options = parser.parse_args()
    count = sweep(options.products)
    if options.json:
        print(json.dumps(asdict(count)))
    else:
        print(f"{count.products} products, {count.wrong_products} of them wrong")
    raise SystemExit(bool(count.wrong_products))


if __name__ == "__main__":
    main()
