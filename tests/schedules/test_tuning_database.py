"""The database by itself: templates are any dataclasses with the fields that a schedule names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tilesmith.errors import SettingsError
from tilesmith.schedules import Mesh, Rectangle, Schedule, Stationary, TuningDatabase
from tilesmith.schedules.cores import Cores
from tilesmith.schedules.schedule import find_schedule, schedule_of
from tilesmith.schedules.tuning_database import Problem, Tuned, shipped


@dataclass(frozen=True)
class Multiply:
    """What is computed (`width`), and how."""

    width: int
    block: tuple[int, ...] = (64, 64, 64)
    mesh: Cores | None = None


PROBLEM = Problem("n150", "0123", {"m": 64}, {"x": "64x64 bfloat16 tile"}, "HiFi4 none")
SCHEDULE = Schedule("Multiply", block=(32, 64, 64), mesh=Rectangle(8, 4, 1, 1, 2))
TUNED = Tuned(PROBLEM, "linear", SCHEDULE, 100, Schedule("Multiply", block=(64, 64, 64)), 150, 4)


@pytest.mark.parametrize("mesh", [None, Mesh(8, 1, 4), Rectangle(8, 4, 1, 2, 16, 3), Stationary(8, 7, 2)])
def test_a_schedule_is_read_as_it_was_written(mesh: Cores | None) -> None:
    schedule = schedule_of(Multiply(256, (32, 64, 64), mesh))
    assert schedule == Schedule("Multiply", block=(32, 64, 64), mesh=mesh)
    assert Schedule.of_json(schedule.to_json()) == schedule


def test_what_is_computed_is_no_part_of_a_schedule() -> None:
    assert schedule_of(Multiply(1)) == schedule_of(Multiply(2))
    assert find_schedule(schedule_of(Multiply(2)), [Multiply(1, (32, 32, 32)), Multiply(1)]) == Multiply(1)
    assert find_schedule(SCHEDULE, [Multiply(1)]) is None


def test_a_file_is_the_same_whatever_was_found_first(tmp_path: Path) -> None:
    other = replace(TUNED, problem=replace(PROBLEM, sizes={"m": 128}))
    for name, entries in (("one", [TUNED, other]), ("two", [other, TUNED])):
        TuningDatabase.of(entries).save(tmp_path / name)
    assert (tmp_path / "one").read_text() == (tmp_path / "two").read_text()
    assert TuningDatabase.load(tmp_path / "one").entries == TuningDatabase.of([TUNED, other]).entries


def test_of_two_answers_the_faster_stays() -> None:
    slower, faster = (TuningDatabase.of([replace(TUNED, cycles=cycles)]) for cycles in (101, 100))
    assert slower.merged(faster).entries == faster.merged(slower).entries == faster.entries


def test_only_what_fits_is_chosen_and_a_users_schedule_that_does_not_is_refused() -> None:
    database = TuningDatabase.of([TUNED])
    fitting = Multiply(256, (32, 64, 64), Rectangle(8, 4, 1, 1, 2))
    assert database.choose(PROBLEM, [Multiply(256), fitting]) == fitting
    assert database.choose(replace(PROBLEM, chip="p150"), [fitting]) is None
    assert database.choose(PROBLEM, [Multiply(256)]) is None
    with pytest.raises(SettingsError, match="schedule of linear does not fit it: Multiply block=32x64x64"):
        replace(database, path="own.json").choose(PROBLEM, [Multiply(256)])


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "no file of schedules"), ('{"format": 7}', "its format is 7"), ('{"format": 1}', "'entries'")],
)
def test_a_file_of_something_else_is_refused(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text(text)
    with pytest.raises(SettingsError, match=why):
        TuningDatabase.load(tmp_path / "other.json")


def test_the_package_brings_a_file_that_a_user_may_not_be_blamed_for() -> None:
    """A shipped schedule that fits no more is passed over: only a file that a user named is refused."""
    assert not shipped().path
    assert replace(shipped(), entries={PROBLEM.key: TUNED}).choose(PROBLEM, [Multiply(256)]) is None
