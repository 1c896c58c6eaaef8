"""Runs of a project in one sqlite file, their profiles beside it. Many processes may write at once."""

from __future__ import annotations

import gzip
import shutil
import sqlite3
import time
import uuid
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tilesmith import settings
from tilesmith.errors import RunStoreError
from tilesmith.profiling.report import Profile
from tilesmith.profiling.runs.describe import Circumstances, circumstances, project_root
from tilesmith.profiling.runs.figures import RunFigures, figures_of
from tilesmith.profiling.serial import from_json, to_json

_FILE, _TRACES, _PROFILE = "runs.sqlite", "runs", "profile.json.gz"
_PATIENCE = 60.0  # seconds a writer waits for the others
# Releases add tables and JSON fields, and never change these: older and newer ones read each other's files.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, uid TEXT NOT NULL UNIQUE, created REAL NOT NULL,
    title TEXT NOT NULL, chip TEXT NOT NULL, latency_us REAL NOT NULL, figures TEXT NOT NULL,
    circumstances TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS tags (
    run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, tag TEXT NOT NULL, PRIMARY KEY (run, tag));
CREATE INDEX IF NOT EXISTS runs_by_title ON runs (title, chip, latency_us);
"""
_SELECT = "SELECT id, uid, created, figures, circumstances FROM runs"


@dataclass(frozen=True)
class Run:
    """One run of the store."""

    id: int
    uid: str
    created: float
    figures: RunFigures
    circumstances: Circumstances
    tags: tuple[str, ...]
    folder: Path

    @property
    def when(self) -> str:
        return datetime.fromtimestamp(self.created, UTC).strftime("%Y-%m-%d %H:%M:%S")

    @property
    def title(self) -> str:
        return self.figures.title or f"run {self.id}"

    @property
    def has_profile(self) -> bool:
        return (self.folder / _PROFILE).is_file()

    def profile(self) -> Profile:
        """The whole profile, with its timeline."""
        file = self.folder / _PROFILE
        try:
            with gzip.open(file, "rt", encoding="utf-8") as text:
                return Profile.from_json(text.read())
        except (OSError, EOFError, ValueError, TypeError, KeyError) as error:
            raise RunStoreError(
                f"the profile of run {self.id} cannot be read: {error}",
                where=str(file),
                remedy="its figures are still listed; profile again for a timeline",
            ) from error


class RunStore:
    """The runs of a project: `RunStore()` for the one around the current folder, or of a folder."""

    def __init__(self, folder: str | Path | None = None) -> None:
        self.folder = Path(folder) if folder is not None else default_folder()
        self.file = self.folder / _FILE
        self._parsed: dict[str, tuple[RunFigures, Circumstances]] = {}  # by uid: a row never changes

    # ---- writing ----

    def add(self, profile: Profile, *, tags: Sequence[str] = (), level: str = "", backend: str = "") -> Run:
        """Keep a profile as a run of its own."""
        return self.add_figures(figures_of(profile, level, backend), profile, tags)

    def add_figures(
        self, figures: RunFigures, profile: Profile | None = None, tags: Sequence[str] = ()
    ) -> Run:
        """Keep figures, with the profile they come from if there is one.

        The profile is in place before the row that names it: a process that dies in between leaves a folder
        that nothing refers to, and `prune` removes it.
        """
        uid = uuid.uuid4().hex
        if profile is not None:
            self._write_profile(uid, profile)
        told = circumstances(self.folder.parent)
        row = (
            uid,
            time.time(),
            figures.title,
            figures.chip,
            figures.latency_us,
            to_json(figures),
            to_json(told),
        )
        with self._connected(write=True) as database:
            cursor = database.execute(
                "INSERT INTO runs (uid, created, title, chip, latency_us, figures, circumstances)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                row,
            )
            number = int(cursor.lastrowid or 0)
            database.executemany("INSERT OR IGNORE INTO tags VALUES (?, ?)", [(number, tag) for tag in tags])
        return self.get(str(number))

    def _write_profile(self, uid: str, profile: Profile) -> None:
        folder = self.folder / _TRACES / uid
        folder.mkdir(parents=True)
        with gzip.open(folder / _PROFILE, "wt", encoding="utf-8", compresslevel=3) as out:
            out.write(profile.to_json())

    def tag(self, run: Run, tags: Sequence[str], remove: bool = False) -> None:
        """Add tags, or take them away."""
        statement = (
            "DELETE FROM tags WHERE run = ? AND tag = ?"
            if remove
            else "INSERT OR IGNORE INTO tags VALUES (?, ?)"
        )
        with self._connected(write=True) as database:
            database.executemany(statement, [(run.id, tag) for tag in tags])

    def delete(self, runs: Sequence[Run]) -> None:
        """Remove runs, their tags and their profiles."""
        with self._connected(write=True) as database:
            database.executemany("DELETE FROM tags WHERE run = ?", [(run.id,) for run in runs])
            database.executemany("DELETE FROM runs WHERE id = ?", [(run.id,) for run in runs])
        for run in runs:
            shutil.rmtree(run.folder, ignore_errors=True)

    def prune(self, older_than: float = 3600.0) -> int:
        """Remove profiles that no run refers to, left by processes that were killed; how many."""
        with self._connected() as database:
            known = {str(uid) for (uid,) in database.execute("SELECT uid FROM runs")}
        traces = self.folder / _TRACES
        lost = [
            folder
            for folder in (traces.iterdir() if traces.is_dir() else ())
            if folder.name not in known and time.time() - folder.stat().st_mtime >= older_than
        ]
        for folder in lost:
            shutil.rmtree(folder, ignore_errors=True)
        return len(lost)

    # ---- reading ----

    def runs(self, title: str = "", tag: str = "", limit: int | None = None) -> list[Run]:
        """The newest first. `title` is a part of their titles."""
        if not self.file.is_file():
            return []
        wanted = "WHERE title LIKE ? ESCAPE '\\'" if title else "WHERE ? = ''"
        values: list[object] = [_like(title) if title else ""]
        if tag:
            wanted += " AND id IN (SELECT run FROM tags WHERE tag = ?)"
            values.append(tag)
        with self._connected() as database:
            rows = database.execute(
                f"{_SELECT} {wanted} ORDER BY id DESC LIMIT ?", [*values, -1 if limit is None else limit]
            ).fetchall()
            tags = _tags(database)
        return [self._run(row, tags) for row in rows]

    def get(self, name: str) -> Run:
        """The run of a number, of a tag (its newest), "last", or "last-2" for the second before it."""
        if not self.file.is_file():
            raise self._unknown(name)
        with self._connected() as database:
            row = _find(database, name)
            tags = _tags(database)
        if row is None:
            raise self._unknown(name)
        return self._run(row, tags)

    def best(self, figures: RunFigures) -> Run | None:
        """The fastest run with the title, chip, level and backend of these figures."""
        alike = [run for run in self.runs() if same_work(run.figures, figures)]
        return min(alike, key=lambda run: run.figures.latency_us, default=None)

    def _run(self, row: tuple[int, str, float, str, str], tags: dict[int, list[str]]) -> Run:
        number, uid, created, text, told = row
        if uid not in self._parsed:
            self._parsed[uid] = from_json(RunFigures, text), from_json(Circumstances, told)
        figures, circumstances_then = self._parsed[uid]
        return Run(
            number,
            uid,
            created,
            figures,
            circumstances_then,
            tuple(tags.get(number, ())),
            self.folder / _TRACES / uid,
        )

    def _unknown(self, name: str) -> RunStoreError:
        return RunStoreError(
            f"there is no run {name!r}",
            where=str(self.file),
            remedy="`tilesmith runs list` prints their numbers and tags; last is the newest",
        )

    @contextmanager
    def _connected(self, write: bool = False) -> Iterator[sqlite3.Connection]:
        if write:
            self.folder.mkdir(parents=True, exist_ok=True)
            ignore = self.folder / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n", encoding="utf-8")
        try:
            database = sqlite3.connect(self.file, timeout=_PATIENCE, isolation_level=None)
            try:
                database.execute("PRAGMA foreign_keys = ON")
                if write:
                    database.execute("BEGIN IMMEDIATE")
                    for statement in filter(str.strip, _SCHEMA.split(";")):
                        database.execute(statement)
                yield database
                if write:
                    database.execute("COMMIT")
            finally:
                database.close()  # what was not committed is rolled back
        except sqlite3.Error as error:
            raise RunStoreError(
                f"the runs of this project cannot be {'written' if write else 'read'}: {error}",
                where=str(self.file),
                remedy="check that the folder can be written, or name another with TILESMITH_RUNS_DIR",
            ) from error


def keep(figures: RunFigures, profile: Profile | None = None, tags: Sequence[str] = ()) -> Run | None:
    """Keep a run where the settings say. A store that cannot be written is a warning: the work was done."""
    try:
        return RunStore().add_figures(figures, profile, tags)
    except (RunStoreError, OSError) as error:
        warnings.warn(f"this run is not kept: {error}", stacklevel=2)
        return None


def default_folder() -> Path:
    """Where runs of the project around the current folder are kept."""
    chosen = settings.current().runs_dir
    return chosen if chosen is not None else project_root() / ".tilesmith"


def same_work(run_figures: RunFigures, other: RunFigures) -> bool:
    """Whether two runs may be compared as before and after: same title, chip, level, backend and source."""
    return (
        run_figures.title,
        run_figures.chip,
        run_figures.level,
        run_figures.backend,
        run_figures.source,
    ) == (
        other.title,
        other.chip,
        other.level,
        other.backend,
        other.source,
    )


def _like(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def _tags(database: sqlite3.Connection) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for number, tag in database.execute("SELECT run, tag FROM tags ORDER BY tag"):
        found.setdefault(number, []).append(tag)
    return found


def _find(database: sqlite3.Connection, name: str) -> tuple[int, str, float, str, str] | None:
    back = _steps_back(name)
    if max(back or 0, int(name) if name.isdecimal() else 0) >= 2**63:  # no number of SQLite's
        return None
    if back is not None:
        found = database.execute(f"{_SELECT} ORDER BY id DESC LIMIT 1 OFFSET ?", [back])
    elif name.isdecimal():
        found = database.execute(f"{_SELECT} WHERE id = ?", [int(name)])
    else:
        found = database.execute(
            f"{_SELECT} WHERE id IN (SELECT run FROM tags WHERE tag = ?) ORDER BY id DESC LIMIT 1", [name]
        )
    row: tuple[int, str, float, str, str] | None = found.fetchone()
    return row


def _steps_back(name: str) -> int | None:
    """How far before the newest run a name points.

    >>> _steps_back("last"), _steps_back("last-2"), _steps_back("12")
    (0, 2, None)
    """
    if name == "last":
        return 0
    head, _, steps = name.partition("-")
    return int(steps) if head == "last" and steps.isdecimal() else None
