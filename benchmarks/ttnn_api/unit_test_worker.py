"""Runs pytest with tilesmith's plugin and writes down each case at once, so that a time limit loses little.

python unit_test_worker.py LOG [pytest's arguments]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest


class Log:
    def __init__(self, path: Path) -> None:
        self.file = path.open("a", encoding="utf-8")

    def write(self, **what: object) -> None:
        self.file.write(json.dumps(what) + "\n")
        self.file.flush()

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.write(what="error", text=report.longreprtext[-1500:])

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            self.write(what="collected", id=item.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        decided = report.when == "call" or report.outcome != "passed"
        if decided and report.when != "teardown":
            self.write(what="case", id=report.nodeid, outcome=report.outcome, text=_text(report))


def _text(report: pytest.TestReport) -> str:
    """The line that says what went wrong, and where."""
    crash = getattr(report.longrepr, "reprcrash", None)
    return "" if report.passed else (str(crash.message) if crash is not None else report.longreprtext)[:1500]


def main() -> int:
    log, *arguments = sys.argv[1:]
    options = ["-p", "tilesmith.pytest_plugin", "--ttnn=tilesmith", "-q", "-p", "no:cacheprovider"]
    # An installation from before the entry point had the module's name would load the plugin twice.
    options += ["-p", "no:tilesmith", "-p", "no:xdist", "-p", "no:cov"]
    return int(pytest.main([*options, *arguments], plugins=[Log(Path(log))]))


if __name__ == "__main__":
    sys.exit(main())
