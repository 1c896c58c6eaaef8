"""Every operator that PyTorch's own tests have samples for, through the backend, against torch.

    python conformance/opinfo.py --json                                 all operators, all dtypes, all samples
    python conformance/opinfo.py --draw 2 --seed 1 --state seen.jsonl   two samples of each, drawn at random
    python conformance/opinfo.py --ops add,addmm --dtypes float32       some
    python conformance/opinfo.py --state seen.jsonl --again             those that were not right, once more
    python conformance/opinfo.py --part 3/8 --state seen.jsonl          every eighth operator, the third first
    python conformance/opinfo.py --device plan                          planned, rewritten graphs run by torch
    python conformance/opinfo.py --device cpu                           the graph rewrites alone, run by torch

What is done is kept, sample by sample, in the file `--state` names, with its commit: a run that was stopped
goes on where it was, one that draws more samples adds to it, and several such files together are one. Kernels
run once here, so they are compiled without optimisation.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from conformance.opinfo_processes import PIECE, Queue, Worker  # noqa: E402

DTYPES = ("float32", "bfloat16", "float16", "int32", "int64", "bool")
BAD = ("wrong", "error", "late")
Key = tuple[str, str, int]


class State:
    """What is known of every sample, the latest word on each; kept in a file if there is one."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.commit = commit()
        self._lock = threading.Lock()
        self.samples: dict[Key, dict[str, Any]] = {}
        self.totals: dict[tuple[str, str], int] = {}
        if path is not None and path.exists():
            whole, _, cut = path.read_text().rpartition("\n")
            if cut:  # a run was ended half-way through a line
                path.write_text(f"{whole}\n")
            for line in whole.splitlines():
                self._take(json.loads(line))

    def _take(self, line: dict[str, Any]) -> None:
        if "total" in line:
            self.totals[line["op"], line["dtype"]] = line["total"]
        else:
            self.samples[line["op"], line["dtype"], line["number"]] = line

    def add(self, line: dict[str, Any]) -> None:
        line = line if "total" in line else {**line, "commit": self.commit}
        with self._lock:
            self._take(line)
            if self._path is not None:
                with self._path.open("a") as out:
                    out.write(json.dumps(line) + "\n")


def commit() -> str:
    """What is checked out here, in short, and whether it was changed since; empty outside a checkout."""
    told = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=10", "--exclude=*"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    return told.stdout.strip()


def operator_names() -> list[str]:
    code = "from conformance.opinfo_worker import operator_names; print('\\n'.join(operator_names()))"
    made = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return made.stdout.split()


def run_all(jobs: list[dict[str, Any]], state: State, workers: int, minutes: float) -> None:
    """Work through jobs, telling the state of each sample as it ends; none starts after so many minutes."""
    waiting = Queue(jobs, workers)
    end = time.monotonic() + 60 * minutes

    def work() -> None:
        worker = Worker()
        while time.monotonic() < end and (job := waiting.take()) is not None:
            found: list[dict[str, Any]] = []
            left: list[int] = []
            try:
                for answer in worker.run(job):
                    left = answer.pop("left", left)
                    state.add({"op": job["op"], "dtype": job["dtype"], **answer})
                    found.append(answer)
            finally:
                waiting.ended(job, left)
            _tell(f"{job['op']} {job['dtype']}", found)
        worker.stop()

    threads = [threading.Thread(target=work) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _tell(what: str, found: list[dict[str, Any]]) -> None:
    samples = [one for one in found if "outcome" in one]
    bad = [one for one in samples if one["outcome"] in BAD]
    kernels = sum(bool(one.get("kernel")) for one in samples)
    print(f"{what}: {len(samples)} samples, {kernels} with kernels, {len(bad)} bad", file=sys.stderr)
    for one in bad[:3]:
        print(
            f"    {one['outcome']} {one['number']} ({one['sample']}): {one.get('what', '')}", file=sys.stderr
        )


def summary(state: State, names: set[str], dtypes: set[str]) -> dict[str, Any]:
    """The table in numbers: operators, those of which any sample has a kernel, and what went wrong."""
    lists: dict[str, list[str]] = {kind: [] for kind in (*BAD, "refused")}
    compiled: dict[str, bool] = {}
    by_dtype: dict[str, int] = defaultdict(int)
    for (op, dtype, number), one in sorted(state.samples.items()):
        if op not in names or dtype not in dtypes or one["outcome"] == "skipped":
            continue
        by_dtype[dtype] += 1
        compiled[op] = compiled.get(op, False) or bool(one.get("kernel"))
        if one["outcome"] in lists:
            where = f"{op} {dtype} sample {number} ({one['sample']})"
            lists[one["outcome"]].append(f"{where}: {one.get('what', '')}")
    known = [total for (op, dtype), total in state.totals.items() if op in names and dtype in dtypes]
    left = sorted(names - whole(state, dtypes))
    commits = Counter(one.get("commit", "") for one in state.samples.values() if one["op"] in names)
    return {
        "operators": len(compiled),
        "whole": len(names) - len(left),
        "samples": sum(by_dtype.values()),
        "samples_known": sum(known),
        "samples_by_dtype": dict(by_dtype),
        "compiled": sum(compiled.values()),
        "host": len(compiled) - sum(compiled.values()),
        "wrong": len(lists["wrong"]) + len(lists["error"]),
        "wrong_results": lists["wrong"],
        "errors": lists["error"],
        "refused": lists["refused"],
        "late": lists["late"],
        "left": left,
        "commits": dict(commits),
    }


def whole(state: State, dtypes: set[str]) -> set[str]:
    """The operators of which every sample in every dtype was run, those that torch refuses included."""
    seen = Counter((op, dtype) for op, dtype, _ in state.samples)
    ended = [key for key, total in state.totals.items() if seen[key] >= total and key[1] in dtypes]
    return {op for op, count in Counter(op for op, _ in ended).items() if count == len(dtypes)}


def part_of(names: list[str], part: str) -> list[str]:
    """
    >>> part_of(["abs", "add", "all", "any"], "2/3")
    ['add']
    """
    number, of = map(int, part.split("/"))
    return names[number - 1 :: of]


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ops", default="", help="names, with commas; all if left out")
    parser.add_argument("--part", default="1/1", help="such as 2/8: every eighth operator, from the second")
    parser.add_argument("--dtypes", default=",".join(DTYPES))
    parser.add_argument("--device", default="tenstorrent", choices=("tenstorrent", "plan", "cpu"))
    parser.add_argument("--seconds", type=int, default=60, help="time limit of one sample")
    parser.add_argument("--minutes", type=float, default=1e9, help="no operator is begun after so long")
    parser.add_argument(
        "--draw", type=int, default=1 << 30, help="how many samples of an operator in a dtype"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--state", type=Path, help="where outcomes are kept; none: nothing is kept")
    parser.add_argument("--again", action="store_true", help="only what was not right in the state")
    parser.add_argument("--json", action="store_true")
    return parser


def _jobs(given: argparse.Namespace, names: list[str], state: State) -> list[dict[str, Any]]:
    """A job for each operator and dtype that has something left: not run, or not right on another commit."""
    done: dict[tuple[str, str], list[int]] = defaultdict(list)
    bad: dict[tuple[str, str], list[int]] = defaultdict(list)
    for (op, dtype, number), one in state.samples.items():
        if one["outcome"] in BAD:
            bad[op, dtype].append(number)
        if one["outcome"] not in BAD or one.get("commit") == state.commit:
            done[op, dtype].append(number)
    plain = {key: getattr(given, key) for key in ("device", "seconds", "draw", "seed")}
    plain["most"] = PIECE
    jobs = []
    for op in names:
        for dtype in given.dtypes.split(","):
            key = (op, dtype)
            if given.again:
                only, skip = bad[key], []
            else:
                only, skip = [], done[key]
            finished = key in state.totals and len(skip) >= min(given.draw, state.totals[key])
            if only or not (given.again or finished):
                jobs.append({"op": op, "dtype": dtype, **plain, "skip": skip, "only": only})
    return jobs


def main() -> int:
    parser = _arguments()
    given = parser.parse_args()
    known = operator_names()
    names = part_of(given.ops.split(",") if given.ops else known, given.part)
    if unknown := [name for name in names if name not in known]:
        parser.error(f"no OpInfo is called {', '.join(unknown)}")
    state = State(given.state)
    run_all(_jobs(given, names, state), state, given.workers, given.minutes)
    made = summary(state, set(names), set(given.dtypes.split(",")))
    print(json.dumps(made, indent=2) if given.json else _text(made))
    return 1 if made["wrong"] else 0


def _text(made: dict[str, Any]) -> str:
    lines = [f"{key}: {len(value) if isinstance(value, list) else value}" for key, value in made.items()]
    return "\n".join([*lines, *made["wrong_results"], *made["errors"], *made["refused"], *made["late"]])


if __name__ == "__main__":
    sys.exit(main())
