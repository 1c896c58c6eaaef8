"""A folder of saved profiles seen as a store of runs, for profiles that were made elsewhere."""

from __future__ import annotations

import tempfile
import threading
import time
from pathlib import Path

from tilesmith.dashboard.history import History
from tilesmith.profiling.runs.store import RunStore

_EVERY = 0.5  # seconds between looks into the folder


class FolderStore(RunStore):
    """A temporary store that follows a folder: every profile.json below it is a run, the oldest first."""

    def __init__(self, folder: str | Path) -> None:
        self._kept = tempfile.TemporaryDirectory(prefix="tilesmith-runs-")
        super().__init__(self._kept.name)
        self._history = History(folder)
        self._known: set[tuple[str, float]] = set()
        self.refresh()

    def refresh(self) -> None:
        """Take in what is new."""
        for run in self._history.runs():
            if (run.name, run.saved_at) not in self._known:
                self._known.add((run.name, run.saved_at))
                self.add(run.profile, tags=[run.name])

    def follow(self) -> None:
        """Refresh for as long as the process lives."""

        def loop() -> None:
            while True:
                time.sleep(_EVERY)
                self.refresh()

        threading.Thread(target=loop, name="tilesmith-folder", daemon=True).start()
