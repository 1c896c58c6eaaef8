"""GEMM: sizes, blocks, transposes, formats and epilogues in many combinations, against torch.

The bound on the error is stated per format in `harness.py`. All checks are on, and a finding raises.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import cycle
from pathlib import Path

import pytest
import torch
from examples.tilelang import gemm
from tests.differential import kernels
from tests.differential.harness import BF16, BFP8, FP32, Case, check_on_emulator, made
from torch.nn import functional

import tilesmith
from tilesmith.testing import assert_close

SIZES = (
    *((1, 31, 33), (31, 33, 100), (33, 100, 1), (100, 1, 31), (1, 1, 1), (1000, 33, 31), (33, 1000, 100)),
    *((31, 100, 1000), (64, 64, 64), (128, 96, 160), (256, 256, 256), (32, 32, 32), (100, 100, 100)),
    *((1, 1000, 33), (65, 63, 64)),
)
BLOCKS = (
    (32, 32, 32),
    (64, 64, 32),
    (128, 64, 32),
    (32, 128, 64),
    (64, 32, 96),
    (128, 128, 32),
    (16, 64, 32),
)
ACTIVATIONS: Mapping[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "": lambda x: x,
    "relu": functional.relu,
    "gelu": functional.gelu,
    "silu": functional.silu,
}
# Element type, formats of parameters, bound.
STORED = {
    "bf16": ("bfloat16", {}, BF16),
    "fp32": ("float32", {}, FP32),
    "bfp8_b": ("bfloat16", {"A": "Bfp8_b", "B": "Bfp8_b"}, BFP8),
}
SIDES = ((False, False), (False, True), (True, False), (True, True))
TORCH = {"bfloat16": torch.bfloat16, "float32": torch.float32}


def gemm_case(
    size: tuple[int, int, int],
    block: tuple[int, int, int],
    transposed: tuple[bool, bool] = (False, False),
    stored: str = "bf16",
    activation: str = "",
    stages: int = 2,
) -> Case:
    (m, n, k), (transpose_a, transpose_b) = size, transposed
    dtype, formats, bound = STORED[stored]
    shapes = ((k, m) if transpose_a else (m, k), (n, k) if transpose_b else (k, n))

    def reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        c = (a.T if transpose_a else a) @ (b.T if transpose_b else b)
        return ACTIVATIONS[activation](c)

    sides = "".join("nt"[side] for side in transposed)
    return Case(
        f"{m}x{n}x{k} in {'x'.join(map(str, block))} {sides} {stored} {activation}".strip(),
        lambda: gemm.gemm(m, n, k, block, dtype, transpose_a, transpose_b, activation, stages),
        lambda: made(*shapes, dtype=TORCH[dtype]),
        reference,
        bound,
        formats,
        out_dtype=TORCH[dtype],
    )


def linear_case(size: tuple[int, int, int], activation: str, residual: bool, stored: str) -> Case:
    m, n, k = size
    dtype, formats, bound = STORED[stored]

    def reference(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor, skip: torch.Tensor) -> torch.Tensor:
        y = ACTIVATIONS[activation](x @ w.T + bias)
        return y + skip if residual else y

    return Case(
        f"linear {m}x{n}x{k} {activation}{' + residual' if residual else ''} {stored}",
        lambda: gemm.linear(m, n, k, dtype=dtype, activation=activation, residual=residual),
        lambda: made((m, k), (n, k), (n,), (m, n), dtype=TORCH[dtype]),
        reference,
        bound,
        {"weight": "Bfp8_b"} if formats else {},
        out_dtype=TORCH[dtype],
    )


def combinations() -> list[Case]:
    """Sizes times transposes, while blocks, formats and activations turn at their own speeds."""
    blocks, formats, activations = cycle(BLOCKS), cycle(("bf16", "fp32", "bfp8_b")), cycle(ACTIVATIONS)
    cases = []
    for size, transposed in ((size, sides) for size in SIZES for sides in SIDES):
        block, stored = next(blocks), next(formats)
        if stored == "bfp8_b" and block[0] % 32:
            stored = "bf16"  # a row of a tile cannot be read from a block format
        cases.append(gemm_case(size, block, transposed, stored, next(activations)))
    return cases


LINEAR = [
    linear_case(size, activation, residual, stored)
    for size, stored in (((64, 64, 64), "bf16"), ((100, 33, 31), "fp32"), ((33, 100, 100), "bfp8_b"))
    for activation in ("relu", "gelu", "silu")
    for residual in (False, True)
]


@pytest.mark.parametrize("case", combinations(), ids=str)
def test_gemm(case: Case) -> None:
    check_on_emulator(case)


@pytest.mark.parametrize("case", LINEAR, ids=str)
def test_epilogues(case: Case) -> None:
    check_on_emulator(case)


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
def test_any_number_of_stages(stages: int) -> None:
    check_on_emulator(gemm_case((100, 70, 200), (64, 64, 32), stages=stages))


@pytest.mark.parametrize("stored", STORED)
def test_on_blackhole(stored: str) -> None:
    check_on_emulator(
        gemm_case((100, 70, 90), (64, 64, 32), (False, True), stored, "relu"), target="blackhole"
    )


@pytest.mark.parametrize("block", [(128, 256, 32), (256, 128, 64), (256, 256, 32)])
def test_fragments_larger_than_dst(block: tuple[int, int, int]) -> None:
    check_on_emulator(gemm_case((256, 256, 128), block))


def test_one_compiled_kernel_serves_every_number_of_rows(fresh_cache: Path) -> None:
    compiled = tilesmith.compile(kernels.dynamic_gemm(64, 96))
    sources = compiled.sources()
    (b,) = made((96, 64))
    built = -1
    for m in (32, 1, 100, 33, 1000, 32):
        (a,) = made((m, 96), seed=m)
        c = torch.full((m, 64), float("nan"), dtype=torch.bfloat16)
        compiled(a, b, c)
        assert_close(c, a.double() @ b.double(), BF16)
        entries = len(_entries(fresh_cache))
        assert built in (-1, entries), f"{entries - built} libraries were compiled for {m} rows"
        built = entries
    assert compiled.sources() == sources


def _entries(cache: Path) -> list[Path]:
    return sorted(cache.glob("entries/*/*"))
