"""Python test files as a plan prints them: a file name in backticks, then a block of Python."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_PRINTED = re.compile(r"`(test_dev/test_\w+\.py)`:?\n+```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class PrintedTest:
    """A test file of a plan; `plan` is the number its file begins with."""

    plan: str
    path: str
    text: str

    @property
    def stage(self) -> int:
        found = re.search(r"test_stage(\d)", self.path)
        assert found is not None
        return int(found[1])


def printed_tests(plan: Path) -> list[PrintedTest]:
    """Every test file that a plan prints."""
    found = _PRINTED.findall(plan.read_text(encoding="utf-8"))
    return [PrintedTest(plan.name[:3], path, text) for path, text in found]


def filled(text: str) -> str:
    """A template of a plan as a test of `leaky`, whose output has the shape of its input."""
    values = {
        "{operation_name}": "leaky",
        "{, required_params}": ", 0.25",
        "{shape_formula_applied}": "input_tensor.shape",
    }
    for name, value in values.items():
        text = text.replace(name, value)
    return text


# The same tests with other sizes: channels that are no multiple of 32, uneven images, many cores, odd tiles.
_SIZES = (
    ("(1, 2, 8, 8)", "(1, 7, 9, 11)"),
    ("(2, 2, 8, 8)", "(2, 7, 9, 11)"),
    ("(2, 4, 64, 64)", "(2, 33, 17, 65)"),
    ("(2, 32, 32, 2)", "(2, 9, 31, 2)"),
    ("(1, 16, 16, 2)", "(1, 5, 13, 2)"),
    ("(2, 3, 32, 32)", "(2, 35, 21, 43)"),
    ("randn(1, 1, 32, 32", "randn(2, 3, 64, 96"),
    ("randn(1, 32, 64, 64", "randn(1, 5, 256, 160"),
    ("randn(1, 4, 64, 64", "randn(3, 2, 96, 32"),
)


def with_other_sizes(text: str) -> str:
    for old, new in _SIZES:
        text = text.replace(old, new)
    return text
