"""Every operator that PyTorch's own tests have samples for, through the backend, against torch.

    python benchmarks/opinfo.py --json                                 all operators, all dtypes
    python benchmarks/opinfo.py --ops add,addmm --dtypes float32       some
    python benchmarks/opinfo.py --device cpu                           the graph rewrites alone, run by torch

What is done is kept in the file `--state` names: a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DTYPES = ("float32", "bfloat16", "float16", "int32", "int64", "bool")
ROOT = Path(__file__).parents[1]
MOST_LOST = 5
"""After so many samples that kill or hang the worker, the rest of an operator's samples are left out."""


class Worker:
    """A process that runs samples; it is started anew when one of them does not end."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._answered = False

    def _ended(self) -> bool:
        return self._process is not None and self._process.poll() is not None

    def run(self, job: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The outcomes of a job, sample by sample; a sample that kills the worker is one of them."""
        first = lost = 0
        while True:
            answers = self._answers({**job, "first": first})
            for answer in answers:
                if answer.get("done"):
                    self._answered = True
                    return
                self._answered = True
                first = answer["number"] + 1
                yield answer
            if self._ended() and not self._answered:
                raise RuntimeError(
                    "a worker ended before its first answer: run benchmarks.opinfo_worker by hand"
                )
            self.stop()
            yield {"number": first, "outcome": "late", "sample": "", "what": "the worker ended or hung"}
            first, lost = first + 1, lost + 1
            if lost > MOST_LOST:
                return

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
                [sys.executable, "-m", "benchmarks.opinfo_worker"],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env={"TILESMITH_CLOCK": "off", "TILESMITH_PROGRESS": "off", **os.environ},
            )
        return self._process

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def done_before(state: Path) -> dict[tuple[str, str], dict[str, Any]]:
    if not state.exists():
        return {}
    lines = [json.loads(line) for line in state.read_text().splitlines()]
    return {(line["op"], line["dtype"]): line for line in lines}


def operator_names() -> list[str]:
    code = "from benchmarks.opinfo_worker import operator_names; print('\\n'.join(operator_names()))"
    made = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return made.stdout.split()


def run_all(jobs: list[dict[str, Any]], state: Path, workers: int) -> None:
    """Work through jobs, appending each to the state as it ends."""
    waiting: queue.Queue[dict[str, Any]] = queue.Queue()
    for job in jobs:
        waiting.put(job)
    lock = threading.Lock()

    def work() -> None:
        worker = Worker()
        while True:
            try:
                job = waiting.get_nowait()
            except queue.Empty:
                break
            found = list(worker.run(job))
            with lock, state.open("a") as out:
                out.write(json.dumps({"op": job["op"], "dtype": job["dtype"], "samples": found}) + "\n")
            _tell(job, found)
        worker.stop()

    threads = [threading.Thread(target=work) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _tell(job: dict[str, Any], found: list[dict[str, Any]]) -> None:
    bad = [one for one in found if one["outcome"] in ("wrong", "error", "late")]
    kernels = sum(bool(one.get("kernel")) for one in found)
    print(
        f"{job['op']} {job['dtype']}: {len(found)} samples, {kernels} with kernels, {len(bad)} bad",
        file=sys.stderr,
    )
    for one in bad[:3]:
        print(
            f"    {one['outcome']} {one['number']} ({one['sample']}): {one.get('what', '')}", file=sys.stderr
        )


def summary(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """The table in numbers: operators, those of which any sample has a kernel, and what went wrong."""
    kinds: dict[str, list[str]] = {"wrong": [], "error": [], "late": []}
    operators: dict[str, bool] = {}
    count = 0
    for line in lines:
        for one in line["samples"]:
            if one["outcome"] == "skipped":
                continue
            count += 1
            operators[line["op"]] = operators.get(line["op"], False) or bool(one.get("kernel"))
            if one["outcome"] in kinds:
                where = f"{line['op']} {line['dtype']} sample {one['number']} ({one['sample']})"
                kinds[one["outcome"]].append(f"{where}: {one.get('what', '')}")
    return {
        "operators": len(operators),
        "samples": count,
        "compiled": sum(operators.values()),
        "host": len(operators) - sum(operators.values()),
        "wrong": kinds["wrong"],
        "errors": kinds["error"],
        "late": kinds["late"],
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ops", default="", help="names, with commas; all if left out")
    parser.add_argument("--dtypes", default=",".join(DTYPES))
    parser.add_argument("--device", default="tenstorrent", choices=("tenstorrent", "cpu"))
    parser.add_argument("--seconds", type=int, default=60, help="time limit of one sample")
    parser.add_argument(
        "--samples", type=int, default=1 << 30, help="the most samples of an operator in a dtype"
    )
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--state", type=Path, help="where finished operators are kept; none: nothing is kept")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    known = operator_names()
    names = given.ops.split(",") if given.ops else known
    if unknown := [name for name in names if name not in known]:
        parser.error(f"no OpInfo is called {', '.join(unknown)}")
    dtypes = given.dtypes.split(",")
    jobs = [
        {"op": op, "dtype": dtype, "device": given.device, "seconds": given.seconds, "most": given.samples}
        for op in names
        for dtype in dtypes
    ]
    before = done_before(given.state) if given.state else {}
    kept = given.state or Path(f"{ROOT}/opinfo.{os.getpid()}.jsonl")
    run_all([job for job in jobs if (job["op"], job["dtype"]) not in before], kept, given.workers)
    wanted = {(job["op"], job["dtype"]) for job in jobs}
    made = summary([line for key, line in done_before(kept).items() if key in wanted])
    if given.state is None:
        kept.unlink(missing_ok=True)
    print(json.dumps(made, indent=2) if given.json else _text(made))
    return 1 if made["wrong"] or made["errors"] else 0


def _text(made: dict[str, Any]) -> str:
    lines = [f"{key}: {len(value) if isinstance(value, list) else value}" for key, value in made.items()]
    return "\n".join([*lines, *made["wrong"], *made["errors"]])


if __name__ == "__main__":
    sys.exit(main())
