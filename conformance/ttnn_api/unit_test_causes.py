"""Why a case of the vendor's unit tests failed, read from its error and the line that raised it."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    id: str
    outcome: str
    text: str
    line: str = ""  # of the source, where the error was raised


# The first that is found in the error's text.
_CAUSES = (
    ("missing name", r"tilesmith's ttnn(\.\w+)* has no"),
    ("refused by tilesmith", r"OperationError: tilesmith:|EmulatorGap|UnsupportedError|FormatError"),
    ("missing error", r"DID NOT RAISE"),
    ("other error text", r"Regex pattern did not match|Regex: "),
    ("refused", r"OperationError|DeviceError"),
    ("finding", r"KernelFindings"),
    ("kernel does not compile", r"KernelCompileError"),
    ("signature", r"^TypeError|unexpected keyword|missing \d+ required|positional argument"),
    ("missing attribute", r"^AttributeError"),
    ("missing module", r"ModuleNotFoundError|ImportError"),
    ("missing file", r"FileNotFoundError"),
    ("out of memory", r"OutOfMemory|does not fit|Out of Memory"),
    ("assertion", r"^AssertionError|^assert |Failed: "),
    ("other error of ours", r"tilesmith\.errors"),
)
# Assertions about something else than numbers, by the line that asserts. All others count as wrong numbers.
_OTHER_ASSERTIONS = (
    ("number of programs", r"num_program_cache_entries|cache_entries|num_cache|program_cache"),
    (
        "other property",
        r"\.memory_config\(\)|\.layout\b|\.dtype\b|\.shape\b|buffer_address|is_sharded|is_allocated",
    ),
)


def cause_of(case: Case) -> str:
    """passed, skipped, or why not.

    >>> cause_of(Case("a", "failed", "AttributeError: tilesmith's ttnn has no 'topk'; dir(ttnn) lists it"))
    'missing name'
    >>> cause_of(Case("test_cache", "failed", "AssertionError: 0.5", "assert_with_pcc(a, b)"))
    'wrong number'
    """
    if case.outcome in ("passed", "skipped", "time limit", "crash"):
        return case.outcome
    for cause, pattern in _CAUSES:
        if re.search(pattern, case.text, re.MULTILINE):
            return cause if cause != "assertion" else _assertion(case)
    return "other: " + case.text.partition(":")[0].splitlines()[0][:40] if case.text else "other"


def _assertion(case: Case) -> str:
    if re.search(r"pcc|allclose|equal\(|ulp|isclose", case.line):
        return "wrong number"
    for cause, pattern in _OTHER_ASSERTIONS:
        if re.search(pattern, case.line):
            return cause
    return "wrong number"


def detail_of(text: str) -> str:
    """The name that is missing, or the first line.

    >>> detail_of("AttributeError: tilesmith's ttnn has no 'topk'; dir(ttnn) lists what it has")
    'topk'
    """
    name = re.search(r"ttnn((?:\.\w+)*) has no '([\w.]+)'", text)
    if name:
        return f"{name[1][1:]}.{name[2]}" if name[1] else name[2]
    module = re.search(r"No module named '([\w.]+)'", text)
    if module:
        return f"no module {module[1]}"
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"(E +)?[\w.]*(Error|Exception)\b", line)]
    return re.sub(r"\d+", "#", (errors or lines or [""])[0].removeprefix("E").strip())
