"""Processes that compile some at a time, and are timed one after the other when all have compiled.

So nothing runs beside what is timed, and no more than a few compile at once. A process says that it has
compiled by a file in a folder, the gate; waits there for its turn; and says when it is done.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MARK = "RESULT "
GATE = "CUDA_SPEED_GATE"
TURN, DONE = ".turn", ".done"
OUT, TROUBLE = "said", "trouble"
SHORT = 6 << 20
"""Kilobytes of memory under which no process starts before those that wait were timed."""

Task = tuple[str, str]
Store = Callable[[Task, dict[str, Any]], None]


def wait_for_turn() -> None:
    """In a process: say that all is compiled, and wait until nobody else does anything."""
    folder = os.environ.get(GATE)
    if folder:
        Path(folder, str(os.getpid())).touch()
        while not Path(folder, f"{os.getpid()}{TURN}").exists():
            time.sleep(0.02)


def say_done() -> None:
    folder = os.environ.get(GATE)
    if folder:
        Path(folder, f"{os.getpid()}{DONE}").touch()


@dataclass
class Worker:
    """A process and what it says."""

    task: Task
    process: subprocess.Popen[bytes]
    cache: tempfile.TemporaryDirectory[str]
    begin: float = field(default_factory=time.monotonic)

    def has_said(self, gate: Path, what: str = "") -> bool:
        return self.process.poll() is not None or (gate / f"{self.process.pid}{what}").exists()

    def end(self, why: str = "") -> dict[str, Any]:
        """What it found. It ends now, with the compilers that it started."""
        seconds = round(time.monotonic() - self.begin, 1)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        found: dict[str, Any] = {}
        for line in self._said(OUT).splitlines():
            if line.startswith(MARK):
                found |= json.loads(line[len(MARK) :])
        if not found:
            found["error"] = why or self._said(TROUBLE)[-1500:] or f"ended with {self.process.returncode}"
        with suppress(OSError):  # a compiler that is just ending may still write
            self.cache.cleanup()
        return found | {"process_s": seconds}

    def _said(self, name: str) -> str:
        return Path(self.cache.name, name).read_text(errors="replace")


@dataclass
class Crew:
    """Runs tasks: `command` says how a process of one starts, `caches` which variables name its folders."""

    command: Callable[[Task], Sequence[str]]
    caches: Sequence[str]
    lanes: int
    limit: float
    """Seconds for a process to compile."""
    store: Store

    def run(self, tasks: Sequence[Task], until: float = float("inf")) -> None:
        """All tasks; none compiles after a moment of `time.monotonic`, and what has compiled is timed."""
        left = list(tasks)
        while left and time.monotonic() < until:
            with tempfile.TemporaryDirectory() as gate:
                for worker in self._compiled(left, Path(gate), until):
                    self._time(worker, Path(gate))

    def _compiled(self, left: list[Task], gate: Path, until: float) -> list[Worker]:
        """Processes that have compiled and wait, the first of `left`: all, or as many as memory holds."""
        running: list[Worker] = []
        waiting: list[Worker] = []
        while running or (left and time.monotonic() < until and not (waiting and _memory_is_short())):
            while left and len(running) < self.lanes and time.monotonic() < until:
                running.append(self._started(left.pop(0), gate))
            time.sleep(0.05)
            for worker in list(running):
                if worker.process.poll() is not None:
                    self.store(worker.task, worker.end())
                elif worker.has_said(gate):
                    waiting.append(worker)
                elif (now := time.monotonic()) > min(worker.begin + self.limit, until):
                    self.store(worker.task, worker.end(f"longer than {now - worker.begin:.0f} s"))
                else:
                    continue
                running.remove(worker)
        return waiting

    def _started(self, task: Task, gate: Path) -> Worker:
        cache = tempfile.TemporaryDirectory()  # every way compiles from nothing
        env = {**os.environ, **dict.fromkeys(self.caches, cache.name), GATE: str(gate)}
        with Path(cache.name, OUT).open("wb") as out, Path(cache.name, TROUBLE).open("wb") as trouble:
            process = subprocess.Popen(
                self.command(task), stdout=out, stderr=trouble, env=env, start_new_session=True
            )
        return Worker(task, process, cache)

    def _time(self, worker: Worker, gate: Path) -> None:
        (gate / f"{worker.process.pid}{TURN}").touch()
        end = time.monotonic() + self.limit
        while not worker.has_said(gate, DONE) and time.monotonic() < end:
            time.sleep(0.02)
        self.store(worker.task, worker.end("" if worker.has_said(gate, DONE) else "timing took too long"))


def _memory_is_short() -> bool:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return False
    return any(line.startswith("MemAvailable") and int(line.split()[1]) < SHORT for line in lines)
