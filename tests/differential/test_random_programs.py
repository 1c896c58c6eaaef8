"""Random kernels of float functions against torch: the same in every run, and so compiled already in most.

RANDOM_PROGRAMS=500 draws so many others. See also `test_fuzz.py`.
"""

from __future__ import annotations

import os
from random import Random

import pytest
from hypothesis import HealthCheck, given, note, settings, strategies
from tests.differential.programs.generate import random_program
from tests.differential.programs.running import check_meaning, check_program
from tests.differential.programs.source import kernel_source

CASES = int(os.environ.get("RANDOM_PROGRAMS", "40"))
pytestmark = pytest.mark.usefixtures("verified_after_each_pass")
quietly = settings(
    max_examples=CASES,
    derandomize="RANDOM_PROGRAMS" not in os.environ,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.mark.slow
@quietly
@given(strategies.randoms(use_true_random=False))
def test_random_kernels_match_torch(random: Random) -> None:
    program = random_program(random)
    note(kernel_source(program))
    check_program(program)


@quietly
@given(strategies.integers(0, 2**32))
def test_random_kernels_mean_the_same_when_imported(seed: int) -> None:
    program = random_program(Random(seed))
    note(kernel_source(program))
    check_meaning(program)


def test_the_same_seed_gives_the_same_kernel() -> None:
    texts = [kernel_source(random_program(Random(7))) for _ in range(2)]
    assert texts[0] == texts[1]
    assert texts[0] != kernel_source(random_program(Random(8)))
