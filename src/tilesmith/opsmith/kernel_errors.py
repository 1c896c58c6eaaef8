"""Kernels that did not compile: which, where, what the compiler said, and what was changed to repair them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from pathlib import Path

from tilesmith.opsmith.journal import Event, Journal
from tilesmith.opsmith.runner import Problem, TestRun
from tilesmith.opsmith.stage_tests import stage_file

_STAGES = (6, 7)  # the tests that compile kernels
_AT = re.compile(r"^\s*at: (.+):(\d+)$", re.MULTILINE)
_MOST_CHANGES = 3


def note_kernel_errors(journal: Journal, run: TestRun) -> None:
    """Write down the errors of a run, and the repairs of kernels that did not compile before."""
    found = {_error(journal, one) for one in _compile_errors(run)}
    failing = {kernel for kernel, _, _ in found}
    for entry in _open(journal):
        if entry["kernel"] not in failing:
            journal.add("kernel_fix", 6, kernel=entry["kernel"], fix=_fix(journal, entry))
    for kernel, line, error in sorted(found):
        source = _source(journal, kernel)
        journal.add("kernel_error", 6, kernel=kernel, line=line, error=error, source=source)


def kernel_error_rows(journal: Journal) -> list[tuple[str, str, str, str]]:
    """Kernel, error, line and the fix that came after it."""
    rows = []
    fixes = journal.events("kernel_fix")
    for entry in journal.events("kernel_error"):
        later = (fix for fix in fixes if fix["kernel"] == entry["kernel"] and fix.order > entry.order)
        fix = next(later, None)
        rows.append((entry["kernel"], entry["error"], entry["line"], fix["fix"] if fix else "open"))
    return rows


def _compile_errors(run: TestRun) -> Iterator[Problem]:
    for stage in _STAGES:
        result = run.files.get(Path(stage_file(stage)).stem)
        yield from (one for one in (result.problems if result else ()) if "KernelCompileError" in one.text)


def _error(journal: Journal, problem: Problem) -> tuple[str, str, str]:
    place = _AT.search(problem.text)
    kernel, line = (place[1], place[2]) if place else ("-", "-")
    root = journal.folder.resolve()
    if Path(kernel).is_relative_to(root):
        kernel = Path(kernel).relative_to(root).as_posix()
    return kernel, line, problem.said.partition("KernelCompileError: ")[2] or problem.said


def _source(journal: Journal, kernel: str) -> str:
    path = journal.folder / kernel
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _open(journal: Journal) -> list[Event]:
    """The last error of every kernel that has not been repaired since."""
    last: dict[str, Event] = {}
    for entry in journal.events("kernel_error", "kernel_fix"):
        if entry.name == "kernel_error":
            last[entry["kernel"]] = entry
        else:
            last.pop(entry["kernel"], None)
    return list(last.values())


def _fix(journal: Journal, error: Event) -> str:
    before, after = error["source"].splitlines(), _source(journal, error["kernel"]).splitlines()
    changes = list(_changes(before, after))
    if not changes:
        return "the kernel is as it was: what it includes or is given has changed"
    more = len(changes) - _MOST_CHANGES
    return "; ".join([*changes[:_MOST_CHANGES], *([f"and {more} more changes"] if more > 0 else [])])


def _changes(before: list[str], after: list[str]) -> Iterator[str]:
    """Each change between two texts.

    >>> list(_changes(["a", "b"], ["a", "c"]))
    ['line 2: `b` became `c`']
    """
    for tag, i, j, k, m in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        old, new = (" ".join(one.strip() for one in lines) for lines in (before[i:j], after[k:m]))
        if tag == "replace":
            yield f"line {i + 1}: `{old}` became `{new}`"
        elif tag == "delete":
            yield f"line {i + 1}: `{old}` taken out"
        elif tag == "insert":
            yield f"line {k + 1}: `{new}` put in"
