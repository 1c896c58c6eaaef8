"""Baselines: figures of accepted runs in a JSON file that can be committed, by the name of the work."""

from __future__ import annotations

import json
import os
import uuid
from pathlib import Path
from typing import Any

from tilesmith.errors import RunStoreError
from tilesmith.profiling.runs.figures import RunFigures
from tilesmith.profiling.serial import from_json, to_json
from tilesmith.toolchain.locks import locked

_VERSION = 1


class BaselineFile:
    """A file of baselines. Reading one that does not exist gives none."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def read(self) -> dict[str, RunFigures]:
        """Every baseline by its name."""
        if not self.path.is_file():
            return {}
        try:
            data = json.loads(self.path.read_text(encoding="utf-8"))
            return {name: from_json(RunFigures, json.dumps(one)) for name, one in data["baselines"].items()}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise RunStoreError(
                f"{self.path.name} is not a file of baselines: {error}",
                where=str(self.path),
                remedy="write it again with --update-baseline",
            ) from error

    def get(self, name: str) -> RunFigures | None:
        return self.read().get(name)

    def update(self, name: str, figures: RunFigures) -> None:
        """Put one baseline in. Processes take turns, and the file is replaced as a whole: a reader never sees
        half of it."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with locked(self.path.with_name(f".{self.path.name}.lock")):
            baselines: dict[str, Any] = {key: _plain(value) for key, value in self.read().items()}
            baselines[name] = _plain(figures)
            text = json.dumps({"version": _VERSION, "baselines": dict(sorted(baselines.items()))}, indent=1)
            scratch = self.path.with_name(f".{self.path.name}.{uuid.uuid4().hex}")
            scratch.write_text(text + "\n", encoding="utf-8")
            os.replace(scratch, self.path)


def _plain(figures: RunFigures) -> Any:
    return json.loads(to_json(figures))
