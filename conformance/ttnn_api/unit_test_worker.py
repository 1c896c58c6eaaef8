"""Runs a sample of the vendor's unit tests under tilesmith's plugin, and logs every case at once.

python unit_test_worker.py PLAN

PLAN is a JSON object: `log`, `root` (the folder file names are relative to), `files`, `per_file`, `seed`, and
`done` (cases that are not to be run again). A sample depends on the seed and the file alone.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


class Log:
    def __init__(self, plan: dict[str, Any]) -> None:
        self.plan = plan
        self.done = set(plan["done"])
        self.path = Path(plan["log"])

    def write(self, **what: object) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(what) + "\n")

    def name(self, path: Path) -> str:
        return str(path.resolve().relative_to(self.plan["root"]))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.write(what="error", node=report.nodeid, text=report.longreprtext[-1500:])

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Keep the sample; the files' own order stays."""
        by_file: dict[str, list[pytest.Item]] = {}
        for item in items:
            by_file.setdefault(self.name(item.path), []).append(item)
        kept = []
        for name, mine in by_file.items():
            count = min(self.plan["per_file"], len(mine))
            drawn = set(random.Random(f"{self.plan['seed']} {name}").sample(range(len(mine)), count))
            sample = [item for number, item in enumerate(mine) if number in drawn]
            self.write(what="collected", file=name, count=len(mine), sample=[item.nodeid for item in sample])
            kept += [item for item in sample if item.nodeid not in self.done]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
        items[:] = kept

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.write(what="start", id=item.nodeid, time=time.time())
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        decided = report.when == "call" or report.outcome != "passed"
        if decided and report.when != "teardown":
            text, line = _failure(report)
            self.write(
                what="case",
                id=report.nodeid,
                outcome=report.outcome,
                text=text,
                line=line,
                seconds=round(report.duration, 2),
            )


def _failure(report: pytest.TestReport) -> tuple[str, str]:
    """What went wrong, and the line of the test that met it."""
    if report.passed:
        return "", ""
    whole = report.longrepr
    crash = getattr(whole, "reprcrash", None)
    text = str(crash.message) if crash is not None else report.longreprtext
    entries = getattr(getattr(whole, "reprtraceback", None), "reprentries", [])
    lines = [line[1:].strip() for entry in entries for line in entry.lines if line.startswith(">")]
    return text[:1500], (lines[-1] if lines else "")[:300]


def main() -> int:
    plan = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    options = ["-p", "tilesmith.pytest_plugin", "--ttnn=tilesmith", "-q", "-p", "no:cacheprovider"]
    options += ["--continue-on-collection-errors"]
    # An installation from before the entry point had the module's name would load the plugin twice.
    options += ["-p", "no:tilesmith", "-p", "no:xdist", "-p", "no:cov", "-p", "no:timeout"]
    files = [str(Path(plan["root"]) / name) for name in plan["files"]]
    return int(pytest.main([*options, *files], plugins=[Log(plan)]))


if __name__ == "__main__":
    sys.exit(main())
