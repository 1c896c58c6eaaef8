"""The record of an op's making: a line of JSON for each event, written at once; the log is drawn from it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from tilesmith.errors import StageError

RECORD = "opsmith.jsonl"


@dataclass(frozen=True)
class Event:
    """Something that happened: its name, when, and the details."""

    name: str
    time: str
    stage: int
    details: dict[str, Any]
    order: int = 0

    def __getitem__(self, key: str) -> Any:
        return self.details[key]


@dataclass(frozen=True)
class Journal:
    """The events of the op in a folder."""

    folder: Path

    @property
    def path(self) -> Path:
        return self.folder / RECORD

    def add(self, event_name: str, stage: int = 0, **details: Any) -> Event:
        """Write an event down, and the log with it."""
        from tilesmith.opsmith.log import write_log

        event = Event(event_name, datetime.now(UTC).isoformat(timespec="seconds"), stage, details)
        line = json.dumps({"kind": event_name, "time": event.time, "stage": stage, **details})
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
        write_log(self)
        return event

    def events(self, *names: str, stage: int | None = None) -> list[Event]:
        """What happened, in order."""
        everything = _events(self.path, self.path.stat().st_size)
        return [
            event
            for event in everything
            if (not names or event.name in names) and (stage is None or event.stage == stage)
        ]

    # ---- what follows from the events ----

    def is_green(self, stage: int) -> bool:
        """Whether the last run of a stage's test, with its code in place, passed."""
        runs = self.events("test", stage=stage)
        return bool(runs) and bool(runs[-1]["green"]) and runs[-1]["phase"] == "green"

    def was_red(self, stage: int) -> bool:
        """Whether the stage's test was seen to fail, of what the stage adds, before its code was written."""
        return any(not one["not_red"] for one in self.events("test", stage=stage) if one["phase"] == "red")

    def why_not_red(self, stage: int) -> str:
        """What was wrong with the stage's test when it was last run without the stage's code."""
        runs = [one for one in self.events("test", stage=stage) if one["phase"] == "red"]
        return str(runs[-1]["not_red"]) if runs else "it was never run without the stage's code"

    def written(self) -> dict[str, str]:
        """The digest of every file as opsmith last wrote it."""
        return {one["file"]: one["digest"] for one in self.events("file") if one["digest"]}


@lru_cache(maxsize=4)
def _events(path: Path, _size: int) -> tuple[Event, ...]:
    """Events are only ever added: a record of the same size is the same record."""
    return tuple(_read(path))


def _read(path: Path) -> Iterator[Event]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            fields = json.loads(line)
            yield Event(fields.pop("kind"), fields.pop("time"), fields.pop("stage"), fields, number)
        except (ValueError, KeyError):
            raise StageError(
                "the record of this op is damaged",
                where=f"{path}:{number}",
                remedy="restore it from version control, or start again with `tilesmith op new`",
            ) from None


def find_op(start: Path) -> Journal:
    """The op of a folder: the folder itself, or the one op in it."""
    if (start / RECORD).is_file():
        return Journal(start)
    inside = sorted(one.parent for one in start.glob(f"*/{RECORD}"))
    if len(inside) == 1:
        return Journal(inside[0])
    if inside:
        found = ", ".join(one.name for one in inside)
        raise StageError(f"{start} holds several ops: {found}", remedy="name one with --op")
    raise StageError(
        f"there is no op in {start}",
        remedy="make one with `tilesmith op new SPEC`, or name its folder with --op",
    )
