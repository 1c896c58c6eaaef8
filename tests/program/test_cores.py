"""Core ranges and sets of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilesmith.errors import ProgramError
from tilesmith.program import CoreCoord, CoreRange, CoreRangeSet, corerange_to_cores

TWO = CoreRangeSet([CoreRange((1, 1), (2, 3)), CoreRange((5, 0), (6, 1))])


def test_order_of_cores_is_ttnns() -> None:
    by_column = [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (5, 0), (5, 1), (6, 0), (6, 1)]
    assert corerange_to_cores(TWO) == by_column
    by_row = [(1, 1), (2, 1), (1, 2), (2, 2), (1, 3), (2, 3), (5, 0), (6, 0), (5, 1), (6, 1)]
    assert corerange_to_cores(TWO, row_wise=True) == by_row == TWO.cores()
    assert corerange_to_cores(TWO, max_cores=3) == by_column[:3]


# The unions are what ttnn's CoreRangeSet.merge gave.
@pytest.mark.parametrize(
    ("one", "two", "union"),
    [
        ([((0, 0), (3, 3))], [((4, 0), (7, 3))], [((0, 0), (7, 3))]),
        ([((0, 0), (3, 0))], [((0, 1), (1, 1))], [((0, 0), (3, 0)), ((0, 1), (1, 1))]),
        ([((0, 0), (2, 2))], [((1, 1), (3, 3))], [((0, 0), (2, 0)), ((0, 1), (3, 2)), ((1, 3), (3, 3))]),
        ([((0, 0), (0, 0))], [((2, 2), (2, 2))], [((0, 0), (0, 0)), ((2, 2), (2, 2))]),
    ],
)
def test_merge_is_ttnns(one: list[object], two: list[object], union: list[object]) -> None:
    def make(ranges: list[object]) -> CoreRangeSet:
        return CoreRangeSet(CoreRange(*corners) for corners in ranges)  # type: ignore[misc]

    assert make(one).merge(make(two)) == make(union)


@settings(deadline=None, max_examples=50)
@given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=30))
def test_from_cores_covers_exactly(cores: set[tuple[int, int]]) -> None:
    assert sorted(CoreRangeSet.from_cores(CoreCoord(*core) for core in cores).cores()) == sorted(cores)


def test_membership() -> None:
    assert TWO.contains(CoreCoord(2, 3))
    assert not TWO.contains(CoreCoord(3, 1))
    assert TWO.contains(CoreRange((1, 1), (2, 2)))
    assert not TWO.contains(CoreRange((0, 0), (2, 2)))
    assert TWO.intersects(CoreRange((0, 0), (1, 1)))
    assert not TWO.intersects(CoreRange((3, 0), (4, 9)))
    assert TWO.num_cores == 10
    assert TWO.bounding_box() == CoreRange((1, 0), (6, 3))


def test_everything_that_names_cores() -> None:
    one = CoreRangeSet(CoreRange((2, 1)))
    for same in (CoreCoord(2, 1), (2, 1), CoreRange((2, 1)), [CoreRange((2, 1))], one):
        assert CoreRangeSet.of(same) == one
        assert hash(CoreRangeSet.of(same)) == hash(one)


def test_mistakes() -> None:
    with pytest.raises(ProgramError, match="end before its start"):
        CoreRange((3, 0), (2, 0))
    with pytest.raises(ProgramError, match="overlap"):
        CoreRangeSet([CoreRange((0, 0), (2, 2)), CoreRange((2, 2), (3, 3))])
    with pytest.raises(ProgramError, match="no bounding box"):
        _ = CoreRangeSet().bounding_box()
