"""Starts workers and reads what they print; a worker that dies is a failure of the kernel it was at."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import Any

from conformance.fuzz.draw import random_program
from conformance.fuzz.worker import Work, environment

_ROOT = Path(__file__).resolve().parents[2]


def outcomes(work: Work, caches: Path) -> Iterator[dict[str, Any]]:
    """One for each kernel in order: its number, and its failures by chip."""
    end = work.first + work.count
    while work.count:
        number = work.first
        process = _started(work, caches / threading.current_thread().name)
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("{"):
                yield json.loads(line)
                number += 1
        if number < end:
            yield _died(work, number, process.wait())
            number += 1
        process.wait()
        work = replace(work, first=number, count=end - number)


def _started(work: Work, cache: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "conformance.fuzz.worker", json.dumps(asdict(work)), str(cache)]
    return subprocess.Popen(command, cwd=_ROOT, env=environment(), stdout=subprocess.PIPE, text=True)


def _died(work: Work, number: int, status: int) -> dict[str, Any]:
    source = random_program(Random(f"{work.seed}:{number}")).source()
    failure = {"kind": "crash of the process", "text": f"the process ended with {status}", "source": source}
    return {"number": number, "failures": dict.fromkeys(work.archs, failure)}
