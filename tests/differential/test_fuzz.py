"""The widened random kernels: a few of them here, as many as you like by `benchmarks/random_programs.py`."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from benchmarks.fuzz.draw import random_program
from benchmarks.fuzz.judge import judged
from benchmarks.fuzz.run import failure_of
from benchmarks.fuzz.statements import Memory
from benchmarks.fuzz.values import Value, settled, stored


@pytest.mark.parametrize("number", range(3))
def test_random_kernels_are_right(number: int) -> None:
    assert failure_of(random_program(Random(f"5:{number}")), number, "wormhole") is None


def test_the_same_seed_gives_the_same_kernel() -> None:
    texts = [random_program(Random(7)).source() for _ in range(2)]
    assert texts[0] == texts[1]
    assert texts[0] != random_program(Random(8)).source()


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_truncation_is_seen_and_rounding_is_not(dtype: str) -> None:
    exact = np.random.default_rng(0).standard_normal((32, 32)).astype(np.float32).astype(np.float64)
    wanted = settled(exact, np.zeros(exact.shape), dtype)
    memory = Memory("y", (32, 32), dtype, "out")
    right = stored(exact, dtype)
    assert judged(memory, right, wanted) == ""
    unit = 2.0 ** (np.frexp(exact)[1] - {"bfloat16": 8, "float16": 11}[dtype])
    cut = np.trunc(exact / unit) * unit
    assert judged(memory, cut, wanted) != ""


def test_a_lean_of_less_than_a_unit_is_seen() -> None:
    exact = np.random.default_rng(0).uniform(1.0, 2.0, (32, 32))
    wanted = Value(exact, np.full(exact.shape, 2.0**-9))
    assert "lean" in judged(Memory("y", (32, 32), "bfloat16", "out"), exact - 2.0**-9, wanted)


def test_one_wrong_integer_is_seen() -> None:
    wanted = Value.exact(np.arange(64).reshape(8, 8))
    found = wanted.data.astype(np.int32)
    memory = Memory("y", (8, 8), "int32", "out")
    assert judged(memory, found, wanted) == ""
    found[3, 4] += 1
    assert "1 of 64 elements wrong; at (3, 4)" in judged(memory, found, wanted)
