"""Scalar code on data-movement cores, with the emulator's checks on."""

from __future__ import annotations

import numpy as np
import pytest
from tests.compiler.passes.movement import Arrays, Prepare, run_against_interpreter, scalar_sample

CHIPS = ("wormhole", "blackhole")


def below(name: str, limit: int) -> Prepare:
    """Make an array of indices hold only numbers below the limit."""

    def prepare(arrays: Arrays) -> None:
        arrays[name] = (np.abs(arrays[name]) % limit).astype(arrays[name].dtype)

    return prepare


@pytest.mark.parametrize("target", CHIPS)
@pytest.mark.parametrize(
    ("name", "indices", "limit"),
    [("gather", "rows", 100), ("scatter", "bins", 10), ("first_rows", "count", 8)],
)
def test_indices_from_memory(name: str, indices: str, limit: int, target: str) -> None:
    run_against_interpreter(scalar_sample(name), target, prepare=below(indices, limit))


def test_in_place() -> None:
    run_against_interpreter(scalar_sample("running_sum"))
