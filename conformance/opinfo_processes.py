"""The processes that run PyTorch's samples, and which samples each of them gets next."""

from __future__ import annotations

import json
import math
import os
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PIECE = 50
"""Samples of an operator in a dtype that are run before another has its turn."""
MOST_LOST = 5
"""After so many samples that kill or hang the worker, the rest of an operator's samples are left out."""
QUICK = {
    "TILESMITH_CLOCK": "off",
    "TILESMITH_PROGRESS": "off",
    "TILESMITH_KERNEL_OPTIMIZATION": "0",
    "TILESMITH_COMPILE_JOBS": "1",
    "OMP_NUM_THREADS": "1",
}
"""Settings of a worker: what each kernel costs before it has run once is nearly all the time."""


class Worker:
    """A process that runs samples; it is started anew when one of them does not end."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._answered = False

    def run(self, job: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The outcomes of a job, sample by sample; a sample that kills the worker is one of them."""
        skip, lost = list(job["skip"]), 0
        while lost <= MOST_LOST:
            begun = None
            for answer in self._answers({**job, "skip": skip}):
                self._answered = True
                if "total" in answer:
                    yield answer
                    return
                if "begun" in answer:
                    begun = answer["begun"]
                    skip.append(begun)
                else:
                    yield answer
            if not self._answered:
                raise RuntimeError(
                    "a worker ended before its first answer: run conformance.opinfo_worker by hand"
                )
            self.stop()
            lost += 1
            if begun is not None:
                yield {"number": begun, "outcome": "late", "sample": "", "what": "the worker ended or hung"}

    def _answers(self, job: dict[str, Any]) -> Iterator[dict[str, Any]]:
        process = self._started()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(job) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            return
        while True:
            line = self._line(process, 2 * job["seconds"] + 60)
            if not line:
                return
            yield json.loads(line)

    def _line(self, process: subprocess.Popen[str], seconds: float) -> str:
        """The next line, or nothing if none comes in time."""
        assert process.stdout is not None
        got: queue.Queue[str] = queue.Queue()
        stdout = process.stdout
        threading.Thread(target=lambda: got.put(stdout.readline()), daemon=True).start()
        try:
            return got.get(timeout=seconds)
        except queue.Empty:
            return ""

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "conformance.opinfo_worker"],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env={**QUICK, **os.environ},
            )
        return self._process

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


class Queue:
    """Jobs in order; what a job leaves over of an operator with many samples comes behind all others."""

    def __init__(self, jobs: list[dict[str, Any]], workers: int) -> None:
        self._jobs = deque(jobs)
        self._workers = workers
        self._under_way = 0
        self._changed = threading.Condition()

    def take(self) -> dict[str, Any] | None:
        """The next job; it waits for those under way, which may leave some over."""
        with self._changed:
            self._changed.wait_for(lambda: self._jobs or not self._under_way)
            if not self._jobs:
                return None
            self._under_way += 1
            return self._jobs.popleft()

    def ended(self, job: dict[str, Any], left: list[int]) -> None:
        """Samples are made anew for each piece, so there are no more pieces than workers if all are long."""
        size = max(PIECE, math.ceil(len(left) / self._workers))
        with self._changed:
            for first in range(0, len(left), size):
                self._jobs.append({**job, "skip": [], "only": left[first : first + size]})
            self._under_way -= 1
            self._changed.notify_all()
