"""Why a case of the vendor's unit tests failed, read from the last line of its error."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    id: str
    outcome: str
    text: str


# The first that is found in the error's text.
_CAUSES = (
    ("missing name", r"tilesmith's ttnn(\.\w+)? has no"),
    ("refused by tilesmith", r"OperationError: tilesmith:|EmulatorGap|UnsupportedError|FormatError"),
    ("missing error", r"DID NOT RAISE"),
    ("other error text", r"Regex pattern did not match|Regex: "),
    ("refused", r"OperationError|DeviceError"),
    ("finding", r"KernelFindings"),
    ("kernel does not compile", r"KernelCompileError"),
    ("signature", r"^TypeError|unexpected keyword|missing \d+ required|positional argument"),
    ("missing attribute", r"^AttributeError"),
    ("missing module", r"ModuleNotFoundError|ImportError"),
    ("out of memory", r"OutOfMemory|does not fit|Out of Memory"),
    ("wrong number", r"^AssertionError|^assert |Failed: "),
    ("other error of ours", r"tilesmith\.errors"),
)


def cause_of(case: Case) -> str:
    """passed, skipped, or why not.

    >>> cause_of(Case("a", "failed", "AttributeError: tilesmith's ttnn has no 'topk'; dir(ttnn) lists it"))
    'missing name'
    """
    if case.outcome in ("passed", "skipped"):
        return case.outcome
    if case.outcome == "slow":
        return "time limit"
    for cause, pattern in _CAUSES:
        if re.search(pattern, case.text, re.MULTILINE):
            # Tests of the program cache count programs: an operation may be made of others here.
            return "number of programs" if cause == "wrong number" and "cache" in case.id else cause
    return "other: " + case.text.partition(":")[0].splitlines()[0][:40] if case.text else "other"


def detail_of(text: str) -> str:
    """The name that is missing, or the first line.

    >>> detail_of("AttributeError: tilesmith's ttnn has no 'topk'; dir(ttnn) lists what it has")
    'topk'
    """
    name = re.search(r"has no '([\w.]+)'", text)
    if name:
        return name[1]
    module = re.search(r"No module named '([\w.]+)'", text)
    if module:
        return f"no module {module[1]}"
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"(E +)?[\w.]*(Error|Exception)\b", line)]
    return re.sub(r"\d+", "#", (errors or lines or [""])[0].removeprefix("E").strip())
