"""Saved profiles of a folder, oldest first, and what got slower from one to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tilesmith.errors import ProfileError
from tilesmith.profiling import PerformanceProfiler, Profile
from tilesmith.profiling.report import PROFILE_FILE


@dataclass(frozen=True)
class SavedRun:
    """One saved profile. `name` is its folder's, `saved_at` seconds since 1970."""

    name: str
    saved_at: float
    profile: Profile

    @property
    def title(self) -> str:
        return self.profile.title or self.name

    @property
    def microseconds(self) -> float:
        """Kernels and their launches; the host's time where nothing ran on a device."""
        return self.profile.latency_us

    @property
    def product(self) -> str:
        host = self.profile.memory.host
        if host is not None:
            return host.label
        return self.profile.chip.product if self.profile.chip else ""


@dataclass(frozen=True)
class Regression:
    """A run that takes longer than the one before it with the same title on the same chip."""

    title: str
    product: str
    before: SavedRun
    after: SavedRun

    @property
    def ratio(self) -> float:
        return self.after.microseconds / self.before.microseconds

    def __str__(self) -> str:
        return (
            f"{self.title} on {self.product}: {self.after.microseconds:,.1f} us, {self.ratio:.2f} times the"
            f" {self.before.microseconds:,.1f} us of {self.before.name}"
        )


class History:
    """The profiles below a folder. Asking again reads only what is new or has changed."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._known: dict[Path, tuple[float, SavedRun]] = {}
        self.broken: list[str] = []

    def runs(self) -> list[SavedRun]:
        """Oldest first. Files that are no profiles are named in `broken`."""
        self.broken = []
        found = {path: path.stat().st_mtime for path in sorted(self.folder.rglob(PROFILE_FILE))}
        self._known = {path: kept for path, kept in self._known.items() if found.get(path) == kept[0]}
        for path, time in found.items():
            if path not in self._known:
                self._read(path, time)
        return sorted((run for _, run in self._known.values()), key=lambda run: (run.saved_at, run.name))

    def _read(self, path: Path, time: float) -> None:
        try:
            profile = PerformanceProfiler(path).profile
        except ProfileError as error:
            self.broken.append(f"{path}: {error.what}")
            return
        self._known[path] = (time, SavedRun(str(path.parent.relative_to(self.folder)), time, profile))


def regressions(runs: Sequence[SavedRun], tolerance: float = 0.05) -> list[Regression]:
    """Newest runs that take more than `tolerance` longer than the run before, the worst first.

    The clock is virtual: equal programs take equal time, so the tolerance is for changes that are wanted.
    Times of the host are measured, and vary: they are left out.
    """
    latest: dict[tuple[str, str], list[SavedRun]] = {}
    for run in runs:
        latest.setdefault((run.title, run.product), []).append(run)
    found = [
        Regression(title, product, same[-2], same[-1])
        for (title, product), same in latest.items()
        if len(same) > 1
        and same[-1].profile.memory.host is None
        and same[-1].microseconds > (1 + tolerance) * same[-2].microseconds > 0
    ]
    return sorted(found, key=lambda one: -one.ratio)
