"""The worked examples: each bound is named, and its first change makes the kernel faster."""

from __future__ import annotations

from functools import cache

import pytest
import torch
from examples.profile.linear import BEFORE, GOOD, Choices, profiled, run

import tilesmith
from tilesmith.profiling import Profile


@cache
def profile_of(choices: Choices) -> Profile:
    return profiled(choices, "linear")


EXPECTED = {
    "reader": ("dram-latency", "reader waits on DRAM", "issue several reads before each barrier", 2.0),
    "math": ("math", "math bound, HiFi4", "use HiFi2 instead of HiFi4", 1.2),
    "pack": ("pack", "pack bound", "pack less often: keep partial sums in DST", 1.2),
}


@pytest.mark.parametrize("kind", BEFORE)
def test_the_first_change_helps(kind: str) -> None:
    name, sentence, change, speedup = EXPECTED[kind]
    before, after = profile_of(BEFORE[kind]), profile_of(GOOD)
    assert before.bound is not None
    assert before.bound.kind == name
    assert before.bound.sentence.startswith(sentence)
    assert before.bound.change.startswith(change)
    assert before.cycles > speedup * after.cycles


def test_what_comes_next_is_something_else() -> None:
    bound = profile_of(GOOD).bound
    assert bound is not None
    assert bound.kind.startswith("dram-b")  # bursts, or bandwidth
    assert "16.0 times now" in bound.change


def test_fewer_phases_give_the_same_bits() -> None:
    with tilesmith.open_device("wormhole") as device:
        after, before = (run(device, choices)[0] for choices in (GOOD, BEFORE["math"]))
    assert torch.equal(after, before)
