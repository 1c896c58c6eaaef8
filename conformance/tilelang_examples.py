"""Runs the examples of a TileLang checkout on the emulator, each against its own reference.

    python conformance/tilelang_examples.py CHECKOUT [--only TEXT] [--json]

The files are run as they are: only the target and the device of the tensors change, a timing runs nothing,
and an autotuner takes its first configuration. An example runs as the checkout's own tests call it, or else
as a script. It has passed when its kernels ran and its own comparison held. An example with GPU-only
instructions in it is counted apart, with their names, unless it is known to do without them when called as
`tilelang_run/facts.toml` says; with --everything all are run, and count if they pass.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conformance.tilelang_run.catalogue import Example, find_examples
from conformance.tilelang_run.facts import facts_of
from conformance.tilelang_run.outcome import Outcome
from conformance.tilelang_run.page import page

_WALL = 20  # a limit on the clock as well, this many times longer: the machine may be busy
_COMPLAINT = re.compile(r".*(✗|❌|FAILED|mismatch).*")
# What a selection of the largest has in common with torch's: rounding decides about the last ones.
_SHARE = re.compile(r"selected/all: .* = ([\d.]+)")
_ENOUGH = 0.95
WORKER = Path(__file__).parent / "tilelang_run" / "worker.py"


def run(example: Example, checkout: Path, options: argparse.Namespace) -> Outcome:
    name = _name(example, checkout)
    if example.gpu_only and not options.everything and not facts_of(name).is_known:
        return Outcome(name, "gpu_only", ", ".join(example.gpu_only), 0.0)
    log = options.logs / f"{name.replace('/', '.')}.log"
    task = {
        "target": facts_of(name).target or options.target,
        "seconds": options.seconds,
        "wall": options.seconds * _WALL,
        "file": str(example.path),
        "name": name,
        "tests": [(str(test_file), function) for test_file, function in example.tests],
        "packages": str(options.packages.resolve()) if options.packages else "",
        "output": str(log),
    }
    began = time.monotonic()
    ended = _asked(task, options)
    seconds = round(time.monotonic() - began, 1)
    if ended == -signal.SIGXCPU:
        outcome = Outcome(name, "timeout", f"still running after {options.seconds} s of CPU time", seconds)
    elif ended == -signal.SIGKILL:
        outcome = Outcome(name, "timeout", "it waits for something", seconds)
    else:
        outcome = Outcome(name, *judge(example, log.read_text(encoding="utf-8", errors="replace")), seconds)
    line = f"{outcome.status:9} {outcome.seconds:6.1f} s  {outcome.name}  {outcome.reason}"
    print(line, file=sys.stderr, flush=True)
    return outcome


_workers = threading.local()


def _asked(task: dict[str, object], options: argparse.Namespace) -> int:
    """What the process of an example ended with; the worker of this thread starts it."""
    if not hasattr(_workers, "worker"):
        environment = {"TILESMITH_CHECKS": options.checks, "TILESMITH_NUMBERS": options.numbers}
        _workers.worker = subprocess.Popen(
            [sys.executable, str(WORKER)],
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
    worker = _workers.worker
    worker.stdin.write(json.dumps(task) + "\n")
    worker.stdin.flush()
    return int(worker.stdout.readline())


def judge(example: Example, output: str) -> tuple[str, str]:
    """What the last line of a process means."""
    lines = [line for line in output.splitlines() if line.startswith('{"problem"')]
    if not lines:
        last = output.strip().splitlines()[-1:] or ["no output"]
        return "failed", f"the process ended: {last[0]}"
    told = json.loads(lines[-1])
    if told["compared"] and "needs the package" in told["problem"]:
        return "passed", f"then {told['problem']}"  # its result held; what follows is a race
    if told["problem"]:
        if example.gpu_only:
            return "gpu_only", ", ".join(example.gpu_only)
        far = f"{told['apart'][-1]}: " if told["apart"] else ""
        return "failed", far + _one_line(told["problem"])
    complaint = _COMPLAINT.search(output)
    if complaint:
        return "failed", f"it says {_one_line(complaint[0])!r}"
    if not told["ran"]:
        what = "compiles kernels and runs none" if told["made"] else "defines kernels and compiles none"
        return "unchecked", f"it {what}"
    shares = [float(share) for share in _SHARE.findall(output)]
    if shares and min(shares) < _ENOUGH:
        return "failed", f"it finds {min(shares):.3f} of what its reference finds"
    return ("passed", "") if told["compared"] or shares else ("unchecked", "it compares nothing")


def _one_line(text: str) -> str:
    return " ".join(text.split())[:400]


def summary(outcomes: Sequence[Outcome]) -> dict[str, object]:
    by_status = {
        status: [one for one in outcomes if one.status == status]
        for status in ("passed", "failed", "timeout", "unchecked", "gpu_only")
    }
    counted = [one for one in outcomes if one.status not in ("gpu_only", "unchecked")]
    return {
        "passed": len(by_status["passed"]),
        "failed": len(by_status["failed"]) + len(by_status["timeout"]),
        "total": len(counted),
        "unchecked": [one.name for one in by_status["unchecked"]],
        "gpu_only": {one.name: one.reason for one in by_status["gpu_only"]},
        "reasons": {one.name: one.reason for one in counted if one.status != "passed"},
    }


def _name(example: Example, checkout: Path) -> str:
    return str(example.path.relative_to(checkout / "examples"))


def _known(results: Path | None) -> dict[str, Outcome]:
    if results is None or not results.exists():
        return {}
    return {one["name"]: Outcome(**one) for one in json.loads(results.read_text(encoding="utf-8"))}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkout", type=Path, help="a clone of TileLang's repository")
    parser.add_argument("--only", default="", help="examples whose path contains this")
    parser.add_argument("--everything", action="store_true", help="run those with GPU-only instructions too")
    parser.add_argument("--target", default="wormhole")
    parser.add_argument("--checks", default="on", choices=("on", "off"))
    parser.add_argument("--numbers", default="chip", choices=("chip", "fast"))
    parser.add_argument("--seconds", type=int, default=300, help="CPU time per example, compilers apart")
    parser.add_argument("--jobs", type=int, default=1, help="examples at a time")
    parser.add_argument("--logs", type=Path, help="a folder for what the examples print")
    parser.add_argument("--packages", type=Path, help="a folder with Triton, which some references are in")
    parser.add_argument("--json", action="store_true", help="the last line is a JSON object")
    parser.add_argument("--page", type=Path, help="write what came out as a page in Markdown")
    parser.add_argument(
        "--results",
        type=Path,
        help="a JSON file of outcomes: those in it are not run again, others are added",
    )
    options = parser.parse_args()
    checkout = options.checkout.resolve()
    chosen = [one for one in find_examples(checkout) if options.only in str(one.path)]
    known = _known(options.results)
    with tempfile.TemporaryDirectory() as spare, ThreadPoolExecutor(options.jobs) as pool:
        options.logs = options.logs or Path(spare)
        options.logs.mkdir(parents=True, exist_ok=True)
        names = {_name(one, checkout) for one in chosen}
        left = [one for one in chosen if _name(one, checkout) not in known]
        for outcome in pool.map(lambda one: run(one, checkout, options), left):
            known[outcome.name] = outcome
            if options.results:
                text = json.dumps([asdict(one) for one in known.values()], indent=1)
                options.results.write_text(text, encoding="utf-8")
    outcomes = sorted((one for one in known.values() if one.name in names), key=lambda one: one.name)
    if options.page:
        how = f"checks {options.checks}, {options.numbers} numbers, {options.seconds} s of CPU time for each"
        options.page.write_text(page(outcomes, checkout, how), encoding="utf-8")
    told = summary(outcomes)
    print(json.dumps(told) if options.json else "{passed} of {total} examples passed".format(**told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
