"""split_work_to_cores gives what ttnn 0.81.1 gave for the cases in ttnn_work_splits.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilesmith.errors import ProgramError
from tilesmith.program import (
    CoreCoord,
    CoreRange,
    CoreRangeSet,
    num_cores_to_corerangeset,
    split_work_to_cores,
)

CASES = json.loads(Path(__file__).with_name("ttnn_work_splits.json").read_text())


def _cores(spec: list[Any]) -> CoreCoord | CoreRangeSet:
    if isinstance(spec[0], int):
        return CoreCoord(*spec)
    return CoreRangeSet(CoreRange(tuple(start), tuple(end)) for start, end in spec)


def _plain(cores: CoreRangeSet) -> list[list[list[int]]]:
    return [[list(one.start), list(one.end)] for one in cores]


def test_equal_to_ttnn() -> None:
    for case in CASES:
        split = split_work_to_cores(_cores(case["cores"]), case["units"], case["row_wise"])
        got = [split[0], *map(_plain, split[1:4]), split[4], split[5]]
        assert got == case["split"], case


@settings(deadline=None, max_examples=100)
@given(st.integers(1, 14), st.integers(1, 10), st.integers(0, 2000), st.booleans())
def test_every_unit_is_given_out_once(width: int, height: int, units: int, row_wise: bool) -> None:
    split = split_work_to_cores(CoreCoord(width, height), units, row_wise)
    first, second = split.core_group_1, split.core_group_2
    shared = first.num_cores * split.units_per_core_group_1 + second.num_cores * split.units_per_core_group_2
    assert shared == units
    assert not set(first.cores()) & set(second.cores())
    assert set(first.cores()) | set(second.cores()) == set(split.all_cores.cores())
    assert split.num_cores == min(units, width * height) == split.all_cores.num_cores


def test_work_that_cannot_be_split() -> None:
    with pytest.raises(ProgramError, match="-1 units"):
        split_work_to_cores(CoreCoord(8, 8), -1)
    with pytest.raises(ProgramError, match="empty set"):
        split_work_to_cores(CoreRangeSet(), 4)
    with pytest.raises(ProgramError, match="no cores"):
        split_work_to_cores((0, 8), 4)


def test_more_cores_than_the_grid_has() -> None:
    assert num_cores_to_corerangeset(64, (8, 8)).num_cores == 64
    with pytest.raises(ProgramError, match="65 cores asked of a grid that has 64"):
        num_cores_to_corerangeset(65, (8, 8))
