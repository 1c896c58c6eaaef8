"""What the vendor's simulator gives for the vendor's code, where the last bit tells how a result is made."""

from __future__ import annotations

import numpy as np
import pytest
from tests.sfpu.functions import INCLUDES, TRANSCENDENTAL
from tests.sfpu.harness import Suite, run

TRIED = ("acosh", "asinh", "atanh")
SUITE = Suite(tuple((f.name, f.calls) for f in TRANSCENDENTAL if f.name in TRIED), INCLUDES)


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        # The argument of the logarithm passes through DST and loses its lower half there.
        ("acosh", (0x3FD4, 0x3FD0), (0x3F8B, 0x3F88)),
        ("asinh", (0x3F81, 0x3FB3), (0x3F62, 0x3F91)),
        ("atanh", (0x3D1A, 0x3D26), (0x3D19, 0x3D25)),
    ],
)
def test_bits_are_the_simulators(name: str, given: tuple[int, ...], expected: tuple[int, ...]) -> None:
    words = np.full((32, 32), 0x3F000000, np.uint32)
    words[0, : len(given)] = np.array(given, np.uint32) << 16
    assert list(run(SUITE, name, [words])[0, : len(given)] >> 16) == list(expected)
