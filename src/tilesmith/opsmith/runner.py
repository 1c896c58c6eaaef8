"""Running stage tests: pytest in a process of its own, and what its report says."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

_LONGEST_OUTPUT = 6000
_RAN = (0, 1)  # what pytest exits with when it ran tests: all passed, some failed


@dataclass(frozen=True)
class Problem:
    """A test that did not pass: the first line of its error, and the whole of it."""

    said: str
    text: str = ""


@dataclass(frozen=True)
class FileResult:
    """What became of the tests of one file. An error is a test that could not be run or collected."""

    run: int = 0
    passed: int = 0
    failed: int = 0
    errors: int = 0
    problems: tuple[Problem, ...] = ()
    properties: tuple[tuple[str, str], ...] = ()

    @property
    def green(self) -> bool:
        return self.run > 0 and self.passed == self.run

    @property
    def first_problem(self) -> str:
        return self.problems[0].said if self.problems else ""


@dataclass(frozen=True)
class TestRun:
    """One run of pytest. `refused` is what pytest said where it ran no tests at all."""

    __test__ = False

    command: str
    seconds: float
    output: str
    files: dict[str, FileResult] = field(default_factory=dict)
    refused: str = ""

    def of(self, file: str) -> FileResult:
        """The result of a file; one that could not be collected has an error."""
        missing = Problem(_last_line(self.output), self.output)
        return self.files.get(Path(file).stem, FileResult(errors=1, run=1, problems=(missing,)))


def run_tests(folder: Path, files: Sequence[str]) -> TestRun:
    """Run test files of an op's folder, without the plugins of whatever is installed."""
    folder = folder.resolve()  # pytest runs in the folder, where a relative path means something else
    shown = f"pytest {' '.join(files)}"
    # The compiler cache and other settings are those of the caller.
    # Its report is read: notebooks ask for colours, which would stand in the middle of it.
    ours = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1", "PY_COLORS": "0"}
    environment = {**os.environ, **ours}
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.xml"
        options = ["-q", "-p", "no:cacheprovider", "--tb=short", "--continue-on-collection-errors"]
        options += ["--rootdir", str(folder), "-c", _empty_configuration(Path(scratch))]
        command = [sys.executable, "-m", "pytest", *options, f"--junitxml={report}", *files]
        start = time.monotonic()
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        seconds = time.monotonic() - start
        results = _results(report) if report.is_file() else {}
    output = (done.stdout + done.stderr).replace(str(folder.parent) + os.sep, "")
    refused = "" if done.returncode in _RAN else _last_line(output)
    return TestRun(shown, seconds, output[-_LONGEST_OUTPUT:], results, refused)


def _empty_configuration(scratch: Path) -> str:
    """Options of a project that the op lies in are not the stage tests' business."""
    path = scratch / "pytest.ini"
    path.write_text("[pytest]\n", encoding="utf-8")
    return str(path)


def _results(report: Path) -> dict[str, FileResult]:
    result: dict[str, FileResult] = {}
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        # A file that cannot be imported is a case with no class, named after the module.
        where = case.get("classname") or case.get("name") or ""
        file = where.rpartition(".")[2]
        result[file] = _with_case(result.get(file, FileResult()), case)
    return result


def _with_case(before: FileResult, case: ElementTree.Element) -> FileResult:
    failure, error = case.find("failure"), case.find("error")
    problem = failure if failure is not None else error
    met = () if problem is None else (Problem(_first_line(problem), _whole(problem)),)
    noted = tuple((one.get("name", ""), one.get("value", "")) for one in case.iter("property"))
    return FileResult(
        before.run + 1,
        before.passed + (problem is None),
        before.failed + (failure is not None),
        before.errors + (error is not None),
        before.problems + met,
        before.properties + noted,
    )


def _whole(problem: ElementTree.Element) -> str:
    """The error as pytest shows it: the lines that begin with E."""
    lines = (problem.text or "").splitlines()
    return "\n".join(line.removeprefix("E").removeprefix("   ") for line in lines if line.startswith("E "))


def _first_line(problem: ElementTree.Element) -> str:
    message = problem.get("message") or ""
    if message.strip() in ("", "collection failure"):
        lines = [line for line in (problem.text or "").splitlines() if line.startswith("E ")]
        message = lines[-1].removeprefix("E").strip() if lines else message
    return message.strip().splitlines()[0] if message.strip() else "failed"


def _last_line(output: str) -> str:
    lines = [line for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "no output"
