"""Saved profiles of a folder, oldest first."""

from __future__ import annotations

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
