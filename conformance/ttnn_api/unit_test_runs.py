"""Workers over the vendor's test files: a limit for each case, restarts, a log to go on from."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conformance.ttnn_api.unit_test_causes import Case

ROOT = Path(__file__).resolve().parents[2]
WORKER = ROOT / "conformance" / "ttnn_api" / "unit_test_worker.py"


@dataclass
class FileResult:
    file: str
    collected: int
    sample: list[str]
    cases: dict[str, Case] = field(default_factory=dict)
    problem: str = ""

    @property
    def complete(self) -> bool:
        return bool(self.problem) or all(one in self.cases for one in self.sample)


@dataclass(frozen=True)
class Plan:
    checkout: Path
    tests: Path
    per_file: int
    seed: int
    case_limit: float
    collect_limit: float


def read_log(log: Path, files: Sequence[str]) -> dict[str, FileResult]:
    """What is known of each file. A case that was begun and never ended is not known."""
    results: dict[str, FileResult] = {}
    by_case: dict[str, FileResult] = {}
    for line in log.read_text(encoding="utf-8").splitlines() if log.exists() else ():
        entry = json.loads(line)
        if entry["what"] == "collected":
            known = results.get(entry["file"])
            result = FileResult(entry["file"], entry["count"], entry["sample"], known.cases if known else {})
            results[entry["file"]] = result
            by_case.update(dict.fromkeys(entry["sample"], result))
        elif entry["what"] == "case" and entry["id"] in by_case:
            case = Case(entry["id"], entry["outcome"], entry["text"], entry.get("line", ""))
            by_case[entry["id"]].cases[case.id] = case
        elif entry["what"] == "error":
            name = next((one for one in files if entry["node"].endswith(one)), None)
            if name is not None and name not in results:
                results[name] = FileResult(name, 0, [], problem=entry["text"])
        elif entry["what"] == "problem" and entry["file"] not in results:
            results[entry["file"]] = FileResult(entry["file"], 0, [], problem=entry["text"])
    return results


def run_files(files: Sequence[str], plan: Plan, log: Path) -> None:
    """Run what the log lacks of these files, with as many workers as that takes."""
    while True:
        known = read_log(log, files)
        missing = [name for name in files if name not in known or not known[name].complete]
        if not missing:
            return
        before = log.stat().st_size if log.exists() else 0
        reason = _work(missing, known.values(), plan, log)
        known = read_log(log, files)
        begun = _begun(log, before)
        if begun is not None:
            _append(log, what="case", id=begun, outcome=reason, text=reason)
        if begun is None:
            _give_up(missing, known, reason, log)


def _give_up(missing: Sequence[str], known: Mapping[str, FileResult], reason: str, log: Path) -> None:
    """The worker ended by itself: what it did not run, another would not run either."""
    for name in missing:
        if name not in known:
            _append(log, what="problem", file=name, text=f"nothing collected ({reason})")
            continue
        for case in known[name].sample:
            if case not in known[name].cases:
                _append(log, what="case", id=case, outcome="crash", text=f"was not run ({reason})")


def _begun(log: Path, offset: int) -> str | None:
    """The case that the last worker was at when it ended."""
    begun = None
    with log.open(encoding="utf-8") as file:
        file.seek(offset)
        for line in file:
            entry = json.loads(line)
            if entry["what"] == "start":
                begun = str(entry["id"])
            elif entry["what"] == "case" and entry["id"] == begun:
                begun = None
    return begun


def _append(log: Path, **entry: object) -> None:
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")


def _work(files: Sequence[str], known: Iterable[FileResult], plan: Plan, log: Path) -> str:
    """One worker; why it ended: "ended", "time limit" or "crash"."""
    done = [case for result in known for case in result.cases]
    order = log.with_suffix(".plan.json")
    wanted = {
        "log": str(log),
        "root": str(plan.tests),
        "files": list(files),
        "per_file": plan.per_file,
        "seed": plan.seed,
        "done": done,
    }
    order.write_text(json.dumps(wanted), encoding="utf-8")
    log.touch()
    # Its tests import `models` and `tracy` as an installed checkout would have them.
    theirs = (plan.checkout, plan.checkout / "tools")
    path = os.pathsep.join(
        [str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")]), *map(str, theirs)]
    )
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    with log.with_suffix(".output.txt").open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, str(WORKER), str(order)],
            cwd=plan.checkout,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        return _watch(process, plan, log)


def _watch(process: subprocess.Popen[bytes], plan: Plan, log: Path) -> str:
    """Seconds of the processor count: a busy machine fails no case. By the clock it is ten times as many."""
    size = log.stat().st_size
    since, used = time.monotonic(), 0.0
    running = False
    while process.poll() is None:
        time.sleep(0.5)
        now = log.stat().st_size
        if now != size:
            running = running or b'"what": "start"' in log.read_bytes()[size:]
            size, since, used = now, time.monotonic(), _processor_seconds(process.pid)
        limit = plan.case_limit if running else plan.collect_limit
        if _processor_seconds(process.pid) - used > limit or time.monotonic() - since > 10 * limit:
            process.kill()
            process.wait()
            return "time limit"
    return "crash" if process.returncode not in (0, 1, 2, 5) else "ended"


def _processor_seconds(pid: int) -> float:
    """Of a process and those of its children that have ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
