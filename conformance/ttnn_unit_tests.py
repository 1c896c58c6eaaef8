"""Runs the vendor's own ttnn unit tests on tilesmith, unmodified: a sample of cases from each file.

    python conformance/ttnn_unit_tests.py CHECKOUT --per-file 60 --seed 0 --log FILE --json

CHECKOUT is a checkout of tenstorrent/tt-metal; it is only read. Nothing but the pytest plugin is used
(docs/ttnn-api.md). The cases of a file are drawn by the seed and the file's name. Each is written to the
log when it ends; called again with the same log, the run goes on where it stopped. A case that takes longer
than --case-limit, or that ends its process, counts as failed. Folders about several chips are left out.

With --json the last line is an object with `files`, `run`, `passed`, `wrong` (assertions about numbers),
`skipped` (by the tests themselves), `time_limit`, and `causes` of all that did not pass.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from conformance.ttnn_api.unit_test_causes import cause_of, detail_of  # noqa: E402
from conformance.ttnn_api.unit_test_runs import FileResult, Plan, read_log, run_files  # noqa: E402

UNIT_TESTS = Path("tests/ttnn/unit_tests")
SEVERAL_CHIPS = ("ccl", "point_to_point", "per_core_allocation", "benchmarks", "light_metal")
FILES_PER_WORKER = 6


def main() -> int:
    options = _options()
    checkout = options.checkout.resolve()
    plan = Plan(
        checkout,
        checkout / UNIT_TESTS,
        options.per_file,
        options.seed,
        options.case_limit,
        options.collect_limit,
    )
    files = _files(plan.tests, options.only)
    with tempfile.TemporaryDirectory() as folder:
        log = options.log or Path(folder) / "log.jsonl"
        if not options.report:
            _run(files, plan, log, options.jobs)
        results = [known for name in files if (known := _known(log, files).get(name)) is not None]
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
            outcomes[f"not collected: {detail_of(result.problem)}"] += 1
        outcomes.update(cause_of(case) for case in result.cases.values())
    skipped, passed = outcomes.pop("skipped", 0), outcomes.pop("passed", 0)
    return {
        "files": files,
        "run": passed + outcomes.total(),
        "passed": passed,
        "wrong": outcomes.get("wrong number", 0),
        "skipped": skipped,
        "time_limit": outcomes.get("time limit", 0),
        "causes": dict(outcomes.most_common()),
    }


def _run(files: Sequence[str], plan: Plan, log: Path, jobs: int) -> None:
    """Several files share a worker; each group has a log of its own beside the given one."""
    groups = [files[start : start + FILES_PER_WORKER] for start in range(0, len(files), FILES_PER_WORKER)]
    random.Random(plan.seed).shuffle(groups)  # a run that is cut off has seen a fair part
    log.parent.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(lambda group: run_files(group, plan, _log_of(log, group[0])), groups))


def _log_of(log: Path, first: str) -> Path:
    return log.with_name(f"{log.stem}.{first.replace('/', '.').removesuffix('.py')}.jsonl")


def _known(log: Path, files: Sequence[str]) -> dict[str, FileResult]:
    found: dict[str, FileResult] = {}
    for one in sorted(log.parent.glob(f"{log.stem}.*.jsonl")):
        found |= read_log(one, files)
    return found


def _files(folder: Path, only: Sequence[str] | None) -> list[str]:
    names = [str(one.relative_to(folder)) for one in sorted(folder.rglob("test_*.py"))]
    kept = [name for name in names if not set(Path(name).parts) & set(SEVERAL_CHIPS)]
    return [name for name in kept if not only or any(word in name for word in only)]


def _print(results: Sequence[FileResult], summary: dict[str, Any]) -> None:
    details: Counter[tuple[str, str]] = Counter()
    for result in results:
        for case in result.cases.values():
            cause = cause_of(case)
            if cause not in ("passed", "skipped"):
                where = result.file if cause in ("wrong number", "time limit", "crash") else ""
                details[cause, f"{detail_of(case.text)[:150]} {where}"] += 1
    for (cause, detail), count in details.most_common(100):
        print(f"{count:5d}  {cause}: {detail}")
    print({key: value for key, value in summary.items() if key != "causes"})
    for cause, count in Counter(summary["causes"]).most_common():
        print(f"{count:5d}  {cause}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path, help="a checkout of tenstorrent/tt-metal")
    parser.add_argument("--per-file", type=int, default=60, help="cases drawn per file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case-limit", type=float, default=60, help="seconds of the processor for a case")
    parser.add_argument(
        "--collect-limit", type=float, default=300, help="seconds to collect a group of files"
    )
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", nargs="*", help="files whose path has one of these words")
    parser.add_argument("--log", type=Path, help="where cases are written, and read again to go on")
    parser.add_argument("--report", action="store_true", help="run nothing: report what the log has")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
