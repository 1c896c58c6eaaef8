"""Every unary function agrees with a float64 reference, to the accuracy its algorithm has."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tests.sfpu.functions import ACTIVATIONS, INCLUDES, TRANSCENDENTAL, Function
from tests.sfpu.harness import Suite, floats, patterns, run

FUNCTIONS = {function.name: function for function in (*TRANSCENDENTAL, *ACTIVATIONS)}


def suite(functions: tuple[Function, ...], *, wide: bool, arch: str) -> Suite:
    defines = ("INP_FLOAT32",) if wide else ()
    return Suite(tuple((f.name, f.calls) for f in functions), INCLUDES, wide=wide, arch=arch, defines=defines)


def holder(function: Function) -> tuple[Function, ...]:
    return TRANSCENDENTAL if function in TRANSCENDENTAL else ACTIVATIONS


@pytest.mark.parametrize("fast", [False, True], ids=["chip", "fast"])
@pytest.mark.parametrize(
    ("wide", "arch"), [(True, "WORMHOLE"), (False, "BLACKHOLE")], ids=["fp32-wormhole", "bf16-blackhole"]
)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_agrees_with_float64(name: str, wide: bool, arch: str, fast: bool) -> None:
    function = FUNCTIONS[name]
    words = patterns(function.samples(), wide=wide)
    got = floats(run(suite(holder(function), wide=wide, arch=arch), name, [words], fast=fast)).astype(
        np.float64
    )
    want = function.reference(torch.from_numpy(floats(words).astype(np.float64))).numpy()
    relative = function.relative if wide else max(function.relative, function.bf16_relative)
    absolute = function.absolute if wide else max(function.absolute, function.bf16_absolute)
    np.testing.assert_allclose(got, want, rtol=relative, atol=absolute)
