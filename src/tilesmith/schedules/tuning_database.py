"""Schedules that the clock found best, kept in a file that can be read, merged and shipped.

A plan looks a kernel up by what it computes, its sizes and formats and the chip. A schedule is taken only
if it is one of those that fit the kernel now: an old file can make a kernel slower, never wrong.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from tilesmith.errors import SettingsError
from tilesmith.schedules.schedule import Schedule, Template, find_schedule

FORMAT = 1
SHIPPED = Path(__file__).with_name("tuned_schedules.json")


@dataclass(frozen=True)
class Problem:
    """What is to be scheduled. `computation` stands for what the kernel computes, whatever its schedule.

    `sizes` are its numbers, `tensors` how each lies in memory, `exactness` its fidelity and approximations.
    """

    chip: str
    computation: str
    sizes: Mapping[str, int]
    tensors: Mapping[str, str]
    exactness: str

    @property
    def key(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)


@dataclass(frozen=True)
class Tuned:
    """A problem, the schedule that took the fewest cycles of those tried, and what the estimate's took."""

    problem: Problem
    ops: str
    schedule: Schedule
    cycles: int
    estimated: Schedule
    estimated_cycles: int
    tried: int

    @property
    def gain(self) -> float:
        """How many times faster than the estimate's choice."""
        return self.estimated_cycles / self.cycles

    def to_json(self) -> dict[str, Any]:
        return {
            **asdict(self),
            "schedule": self.schedule.to_json(),
            "estimated": self.estimated.to_json(),
        }

    @staticmethod
    def of_json(plain: Mapping[str, Any]) -> Tuned:
        return Tuned(
            **{
                **plain,
                "problem": Problem(**plain["problem"]),
                "schedule": Schedule.of_json(plain["schedule"]),
                "estimated": Schedule.of_json(plain["estimated"]),
            }
        )


@dataclass(frozen=True)
class TuningDatabase:
    """Tuned schedules by their problem. `path` is the file a user named; the shipped one has none."""

    entries: Mapping[str, Tuned] = field(default_factory=dict)
    path: str = ""

    @staticmethod
    def of(entries: Iterable[Tuned]) -> TuningDatabase:
        return TuningDatabase({entry.problem.key: entry for entry in entries})

    @staticmethod
    def load(path: Path) -> TuningDatabase:
        """The file of a user, or a sentence that says what is wrong with it."""
        try:
            plain = json.loads(path.read_text(encoding="utf-8"))
            if plain["format"] != FORMAT:
                raise ValueError(f"its format is {plain['format']!r}")
            entries = [Tuned.of_json(entry) for entry in plain["entries"]]
        except OSError as error:
            raise _unread(path, error.strerror or str(error)) from error
        except (KeyError, TypeError, ValueError) as error:
            raise _unread(path, f"it is no file of schedules ({error})") from error
        return replace(TuningDatabase.of(entries), path=str(path))

    def merged(self, other: TuningDatabase) -> TuningDatabase:
        """Both; where they know the same problem, the one of fewer cycles."""
        entries = dict(self.entries)
        for key, entry in other.entries.items():
            if key not in entries or entry.cycles < entries[key].cycles:
                entries[key] = entry
        return replace(self, entries=entries)

    def save(self, path: Path) -> None:
        """Write the file whole, an entry a line, in an order that does not depend on when they were found."""
        lines = [
            json.dumps(entry.to_json(), sort_keys=True)
            for _, entry in sorted(self.entries.items(), key=lambda pair: pair[0])
        ]
        body = ",\n".join(lines)
        text = f'{{"format": {FORMAT}, "entries": [\n{body}\n]}}\n'
        beside = path.with_name(path.name + ".part")
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)

    def choose(self, problem: Problem, candidates: Sequence[Template]) -> Template | None:
        """The candidate that was found best; None if nothing is known of the problem."""
        entry = self.entries.get(problem.key)
        if entry is None:
            return None
        found = find_schedule(entry.schedule, candidates)
        if found is None and self.path:
            raise SettingsError(
                f"the schedule of {entry.ops} does not fit it: {entry.schedule}",
                where=self.path,
                remedy="run `tilesmith tune` again, or take the entry out",
            )
        return found


@cache
def shipped() -> TuningDatabase:
    """What comes with the package."""
    return replace(TuningDatabase.load(SHIPPED), path="")


def known_schedules(path: str) -> list[TuningDatabase]:
    """Where a plan looks: the file of the user first, if there is one."""
    return [*([TuningDatabase.load(Path(path))] if path else []), shipped()]


def _unread(path: Path, why: str) -> SettingsError:
    return SettingsError(
        f"cannot read schedules: {why}",
        where=str(path),
        remedy="give a file that `tilesmith tune --out` wrote",
    )
