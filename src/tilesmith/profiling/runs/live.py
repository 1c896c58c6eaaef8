"""A run while it is running: kernels done, predicted time so far, findings; told through a small file."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tilesmith.profiling.analyse import program_name
from tilesmith.profiling.runs.store import default_folder
from tilesmith.program import Program
from tilesmith.program.executor import RunReport
from tilesmith.program.l1 import Placement
from tilesmith.runtime.device import Device
from tilesmith.runtime.observers import Observer, label, observing

_FOLDER = "live"
_EVERY = 0.2  # seconds between two writes
_LAST = 8  # programs that are named


@dataclass
class LiveFigures:
    """What is known so far."""

    title: str
    pid: int
    started: float
    chip: str = ""
    programs: int = 0
    microseconds: float = 0.0
    findings: list[str] = field(default_factory=list)
    last: list[str] = field(default_factory=list)


class LiveRun(Observer):
    """Writes what ran so far, at most five times a second."""

    def __init__(self, title: str, folder: Path) -> None:
        self.figures = LiveFigures(title, os.getpid(), time.time())
        self.file = folder / _FOLDER / f"{uuid.uuid4().hex}.json"
        self._written = 0.0

    def ran(self, device: Device, program: Program, placement: Placement, report: RunReport) -> None:  # noqa: ARG002
        now = self.figures
        now.chip = device.arch.product
        now.programs += 1
        now.microseconds += device.arch.microseconds(report.cycles) + report.launch_us
        now.findings += [f"{finding.check}: {finding.message}" for finding in report.findings]
        now.last = [*now.last[1 - _LAST :], label() or program_name(program)]
        if time.monotonic() - self._written >= _EVERY:
            self.write()

    def write(self) -> None:
        self._written = time.monotonic()
        scratch = self.file.with_suffix(".part")
        with suppress(OSError):  # a view of the run must not stop it
            self.file.parent.mkdir(parents=True, exist_ok=True)
            scratch.write_text(json.dumps(asdict(self.figures)), encoding="utf-8")
            os.replace(scratch, self.file)


@contextmanager
def live(title: str, folder: Path | None = None) -> Iterator[LiveRun]:
    """Show what runs inside the block to whoever looks into the store."""
    run = LiveRun(title, folder or default_folder())
    run.write()
    try:
        with observing(run):
            yield run
    finally:
        run.file.unlink(missing_ok=True)


def running(folder: Path) -> list[LiveFigures]:
    """The runs under way; files of processes that were killed are removed."""
    found = []
    for file in sorted((folder / _FOLDER).glob("*.json")):
        try:
            figures = LiveFigures(**json.loads(file.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            continue
        if _alive(figures.pid):
            found.append(figures)
        else:
            file.unlink(missing_ok=True)
    return sorted(found, key=lambda one: one.started)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
