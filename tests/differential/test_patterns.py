"""Every pattern, compiled and run on the emulator with all checks on, against torch."""

from __future__ import annotations

import pytest
from tests.differential.harness import Case, check_on_emulator
from tests.differential.patterns import PATTERNS

ON_BLACKHOLE = (
    "add 33x100",
    "softmax 33x100",
    "attention 1x2x100x64 causal",
    "batched gemm 3x",
    "gemv 33x300",
)


@pytest.mark.parametrize("case", PATTERNS, ids=str)
def test_matches_torch(case: Case) -> None:
    check_on_emulator(case)


@pytest.mark.parametrize("case", [c for c in PATTERNS if c.name.startswith(ON_BLACKHOLE)], ids=str)
def test_matches_torch_on_blackhole(case: Case) -> None:
    check_on_emulator(case, target="blackhole")
