"""Specs for tests, and how to change one."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "ops"
MASKED_SOFTMAX = EXAMPLES / "masked_softmax_spec.md"
STACK_ROWS = EXAMPLES / "stack_rows_spec.md"
MAX_INDEX = EXAMPLES / "max_index_spec.md"
GRID_SAMPLE = Path(__file__).parent / "specs" / "grid_sample_spec.md"
NEW = tuple(EXAMPLES / f"{name}_spec.md" for name in ("scale_rows", "masked_sum", "take_rows"))
SPECS = (MASKED_SOFTMAX, STACK_ROWS, MAX_INDEX, GRID_SAMPLE, *NEW)


def changed(spec: Path, old: str, new: str, folder: Path) -> Path:
    """A copy of a spec in which one thing is different."""
    text = spec.read_text(encoding="utf-8")
    assert text.count(old) >= 1, old
    copy = folder / spec.name
    copy.write_text(text.replace(old, new, 1), encoding="utf-8")
    return copy


def line_of(spec: Path, text: str) -> int:
    """The first line that holds a text."""
    lines = spec.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)
