"""Runs the test files that plans for operations print, as they stand, and with other sizes.

    python conformance/seed_tests.py FOLDER [--json]

FOLDER holds the plans: 000* (grid_sample in seven stages) and 001*, 003* (stages 4 to 6 of any operation,
with places for its name). The files go to a temporary folder. Those of 000 run with `pytest --ttnn-stages`,
the others with `pytest --ttnn-op ops/leaky`, an operation that `tilesmith op` takes to the stage of the file
first. A test that asks for what ttnn does not have must fail for the reason that docs/staged-plans.md gives.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conformance.staged_plans.printed import PrintedTest, filled, printed_tests, with_other_sizes

SPEC = Path(__file__).parent / "staged_plans" / "leaky_spec.md"
# Plan and test, and what the test fails of: docs/staged-plans.md says which sentence asks for it.
EXPECTED_FAILURES = {
    ("000", "test_sharded_kernels_compile"): r"ShardSpec|has no attribute|CoreGrid",
    ("000", "test_nearest_multichannel"): r"PCC .* is below threshold",
}


@dataclass(frozen=True)
class Result:
    """A test of a plan: passed, failed as expected, or failed."""

    plan: str
    sizes: str
    test: str
    outcome: str
    problem: str = ""


def main() -> int:
    options = _options()
    printed = [one for plan in sorted(options.folder.glob("00[013]*")) for one in printed_tests(plan)]
    with tempfile.TemporaryDirectory() as scratch:
        results = list(_results(printed, Path(scratch)))
    counts = {outcome: sum(one.outcome == outcome for one in results) for outcome in _OUTCOMES}
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    if options.json:
        print(json.dumps({"results": [asdict(one) for one in results], **counts}))
    return 1 if counts["failed"] or not results else 0


_OUTCOMES = ("passed", "failed as expected", "failed")


def _results(printed: Sequence[PrintedTest], scratch: Path) -> Iterator[Result]:
    """Files of one stage of the op run together, since they need the op at that stage."""
    files = {test: _written(test, scratch) for test in printed}
    own = [path for test, paths in files.items() if test.plan == "000" for path in paths]
    yield from _run(["--ttnn-stages"], own, scratch)
    for stage in sorted({test.stage for test in printed if test.plan != "000"}):
        of_stage = [paths for test, paths in files.items() if test.plan != "000" and test.stage == stage]
        op = _op_at(stage, scratch)
        yield from _run(["--ttnn-op", op], [path for paths in of_stage for path in paths], scratch)


def _written(test: PrintedTest, scratch: Path) -> list[str]:
    """The file as printed, and with other sizes: `000/printed/test_dev/test_stage1_api_exists.py`."""
    text = filled(test.text)
    made = []
    for sizes, own in (("printed", text), ("other_sizes", with_other_sizes(text))):
        path = scratch / test.plan / sizes / test.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(own, encoding="utf-8")
        made.append(str(path.relative_to(scratch)))
    return made


def _run(line: Sequence[str], files: Sequence[str], scratch: Path) -> Iterator[Result]:
    options = ["-rA", "--tb=line", "--import-mode=importlib", "-p", "tilesmith.pytest_plugin"]
    command = [sys.executable, "-m", "pytest", *options, *line, *files]
    done = subprocess.run(
        command, cwd=scratch, env=_environment(), capture_output=True, text=True, check=False
    )
    found = _SUMMARY.findall(done.stdout)
    if not found:
        yield Result("", "", " ".join(files), "failed", (done.stdout + done.stderr)[-300:])
    for word, plan, sizes, test, problem in found:
        result = _judged(plan, sizes, word, test, problem)
        print(f"{plan}  {sizes:11}  {result.outcome:18}  {test}  {problem[:200]}", flush=True)
        yield result


_SUMMARY = re.compile(r"^(PASSED|FAILED|ERROR) (\d+)/(\w+)/\S+?::(\w+)(?: - (.*))?$", re.MULTILINE)


def _judged(plan: str, sizes: str, word: str, test: str, problem: str) -> Result:
    if word == "PASSED":
        return Result(plan, sizes, test, "passed")
    expected = EXPECTED_FAILURES.get((plan, test))
    known = expected is not None and re.search(expected, problem) is not None
    return Result(plan, sizes, test, "failed as expected" if known else "failed", problem)


def _op_at(stage: int, folder: Path) -> str:
    """`leaky`, taken to a stage with the commands of the manual, in the folder of the plan."""
    if not (folder / "ops").exists():
        _tilesmith(folder, "new", str(SPEC), "--out", "ops")
    _tilesmith(folder, "stage", f"1-{stage}", "--op", "ops/leaky")
    return "ops/leaky"


def _tilesmith(folder: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "tilesmith.cli", "op", *arguments]
    done = subprocess.run(
        command, cwd=folder, env=_environment(), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"tilesmith op {' '.join(arguments)}:\n{done.stdout}{done.stderr}")


def _environment() -> dict[str, str]:
    return {
        **os.environ,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "COLUMNS": "400",
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
