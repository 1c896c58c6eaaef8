"""What a stage's test must fail of before the stage has code: anything else is an error, not red."""

from __future__ import annotations

import re

from tilesmith.opsmith.model import OpSpec
from tilesmith.opsmith.runner import FileResult, Problem


def why_not_red(spec: OpSpec, stage: int, result: FileResult) -> str:
    """Empty for a test that failed, and only of what the stage is to add; else what is wrong with it."""
    if result.green:
        return "it passed before the stage had any code, so it shows nothing"
    for entry in result.problems:
        if result.errors:
            return f"it could not be run: {entry.said}"
        if not _lacks(spec, stage, entry):
            return f"it failed of something else than what the stage adds: {entry.said}"
    return "" if result.failed else "it has no tests"


def _lacks(spec: OpSpec, stage: int, problem: Problem) -> bool:
    return re.search(_LACKING[stage].format(op=spec.name, pascal=spec.pascal), problem.text) is not None


# What is missing, as the code of the stage before says it. Stage 7 has kernels that give other numbers.
_LACKING = {
    1: r"KeyError: 'ttnn\.{op}'|ModuleNotFoundError: No module named '{op}'",
    2: r"\(stage 2\)|No module named '{op}\.\w+'",
    3: r"\(stage 3\)|No module named '{op}\.reference'|golden_function",
    4: r"\(stage 4\)",
    5: r"\(stage 5\)|has no attribute '{pascal}Program'",
    6: r"\(stage 6\)",
    7: r"AssertionError: PCC ",
}
