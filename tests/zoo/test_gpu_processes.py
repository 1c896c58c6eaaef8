"""Processes of the GPU's benchmark: few compile at a time, and nothing runs beside what is timed."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from tilesmith.zoo.gpu_processes import Crew, Task

WORKER = """
import json, sys, time
from tilesmith.zoo.gpu_processes import MARK, say_done, wait_for_turn
case, way = sys.argv[1:]
begin = time.monotonic()
if case == "fails":
    sys.exit("no such kernel")
time.sleep(60 if case == "slow" else 0.2)
compiled = time.monotonic()
wait_for_turn()
turn = time.monotonic()
time.sleep(0.1)
print(MARK + json.dumps(dict(begin=begin, compiled=compiled, turn=turn, end=time.monotonic())), flush=True)
say_done()
time.sleep(60)
"""


def test_few_compile_at_a_time_and_nothing_runs_beside_what_is_timed(tmp_path: Path) -> None:
    script = tmp_path / "worker.py"
    script.write_text(WORKER)
    found: dict[Task, dict[str, Any]] = {}
    crew = Crew(
        lambda task: [sys.executable, str(script), *task], ("OF_A_CACHE",), 2, 10.0, found.__setitem__
    )
    tasks = [("one", "O2"), ("fails", "O2"), ("two", "O2"), ("three", "O3"), ("four", "O3")]
    crew.run(tasks)
    assert set(found) == set(tasks)
    assert "no such kernel" in found.pop(("fails", "O2"))["error"]
    times = list(found.values())
    for one in times:
        assert sum(other["begin"] <= one["begin"] < other["compiled"] for other in times) <= 2
        assert all(other["compiled"] <= one["turn"] for other in times)
        assert all(
            other["end"] <= one["turn"] or one["end"] <= other["turn"] for other in times if other != one
        )


def test_what_compiles_too_long_is_ended(tmp_path: Path) -> None:
    script = tmp_path / "worker.py"
    script.write_text(WORKER)
    found: dict[Task, dict[str, Any]] = {}
    crew = Crew(lambda task: [sys.executable, str(script), *task], (), 2, 3.0, found.__setitem__)
    crew.run([("slow", "O2"), ("one", "O2")])
    assert found["slow", "O2"]["error"] == "longer than 3 s"
    assert "turn" in found["one", "O2"]


def test_what_has_not_compiled_by_the_end_is_ended_and_the_rest_is_timed(tmp_path: Path) -> None:
    script = tmp_path / "worker.py"
    script.write_text(WORKER)
    found: dict[Task, dict[str, Any]] = {}
    crew = Crew(lambda task: [sys.executable, str(script), *task], (), 2, 60.0, found.__setitem__)
    crew.run([("slow", "O2"), ("one", "O2")], time.monotonic() + 3)
    assert found["slow", "O2"]["error"].startswith("longer than")
    assert "turn" in found["one", "O2"]
