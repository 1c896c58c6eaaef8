"""Runs the vendor's own ttnn unit tests on tilesmith, unmodified: a sample of cases from each file.

    python benchmarks/ttnn_unit_tests.py CHECKOUT --json

CHECKOUT is a checkout of tenstorrent/tt-metal; it is only read. Nothing but the pytest plugin is used
(docs/ttnn-api.md). 60 cases are drawn per file by a fixed seed; each file runs in a process of its own under
a time limit. Folders about several chips are left out. With --json the last line is an object with `files`,
`run`, `passed`, `wrong` (numbers that differ), `skipped` and `causes`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.ttnn_api.unit_test_causes import Case, cause_of, detail_of  # noqa: E402

UNIT_TESTS = Path("tests/ttnn/unit_tests")
SEVERAL_CHIPS = ("ccl", "per_core_allocation", "benchmarks", "light_metal")
WORKER = ROOT / "benchmarks" / "ttnn_api" / "unit_test_worker.py"


@dataclass(frozen=True)
class FileResult:
    file: str
    collected: int
    cases: tuple[Case, ...]
    problem: str = ""


def main() -> int:
    options = _options()
    checkout = options.checkout.resolve()
    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda file: run_file(file, checkout, options), _files(checkout, options)))
    if options.out:
        options.out.write_text("".join(json.dumps(asdict(one)) + "\n" for one in results), encoding="utf-8")
    summary = summarise(results)
    _print(results, summary)
    if options.json:
        print(json.dumps(summary))
    return 0


def summarise(results: Iterable[FileResult]) -> dict[str, Any]:
    """What is counted. A file that cannot be collected counts as one case."""
    outcomes: Counter[str] = Counter()
    files = 0
    for result in results:
        files += 1
        if result.problem:
            outcomes[f"not collected: {result.problem}"] += 1
        outcomes.update(cause_of(case) for case in result.cases)
    skipped, passed = outcomes.pop("skipped", 0), outcomes.pop("passed", 0)
    return {
        "files": files,
        "run": passed + outcomes.total(),
        "passed": passed,
        "wrong": outcomes.get("wrong number", 0),
        "skipped": skipped,
        "causes": dict(outcomes.most_common()),
    }


def run_file(file: Path, checkout: Path, options: argparse.Namespace) -> FileResult:
    """Collect, draw, run."""
    name = str(file.relative_to(checkout / UNIT_TESTS))
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.jsonl"
        found = _worker([str(log), "--collect-only", str(file)], checkout, options.collect_limit)
        lines = _lines(log)
        ids = [str(one["id"]) for one in lines if one["what"] == "collected"]
        if not ids:
            problem = next((str(one["text"]) for one in lines if one["what"] == "error"), found)
            return FileResult(name, 0, (), detail_of(problem) or "nothing collected")
        drawn = random.Random(f"{options.seed} {name}").sample(ids, min(options.cases, len(ids)))
        log.unlink()
        _worker([str(log), *sorted(drawn, key=ids.index)], checkout, options.limit)
        ran = {str(one["id"]): one for one in _lines(log) if one["what"] == "case"}
    cases = [
        Case(one, str(ran[one]["outcome"]), str(ran[one]["text"])) if one in ran else Case(one, "slow", "")
        for one in drawn
    ]
    return FileResult(name, len(ids), tuple(cases))


def _worker(arguments: Sequence[str], checkout: Path, limit: float) -> str:
    path = os.pathsep.join([str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, str(WORKER), *arguments]
    try:
        done = subprocess.run(
            command,
            cwd=checkout,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "time limit"
    return done.stdout.decode(errors="replace")[-2000:]


def _lines(log: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []


def _files(checkout: Path, options: argparse.Namespace) -> list[Path]:
    folder = checkout / UNIT_TESTS
    files = sorted(folder.rglob("test_*.py"))
    kept = [one for one in files if not set(one.relative_to(folder).parts) & set(SEVERAL_CHIPS)]
    return [one for one in kept if not options.only or any(word in str(one) for word in options.only)]


def _print(results: Sequence[FileResult], summary: dict[str, Any]) -> None:
    details: Counter[tuple[str, str]] = Counter()
    for result in results:
        for case in result.cases:
            cause = cause_of(case)
            if cause not in ("passed", "skipped"):
                details[cause, detail_of(case.text)] += 1
    for (cause, detail), count in details.most_common(60):
        print(f"{count:5d}  {cause}: {detail[:150]}")
    print({key: value for key, value in summary.items() if key != "causes"})
    for cause, count in Counter(summary["causes"]).most_common():
        print(f"{count:5d}  {cause}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path, help="a checkout of tenstorrent/tt-metal")
    parser.add_argument("--cases", type=int, default=60, help="cases drawn per file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=float, default=600, help="seconds for the cases of a file")
    parser.add_argument("--collect-limit", type=float, default=120, help="seconds to collect a file")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", nargs="*", help="files whose path has one of these words")
    parser.add_argument("--out", type=Path, help="write every case there, a line of JSON per file")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
