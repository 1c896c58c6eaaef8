"""Writes what became of TileLang's examples as a page of the documentation."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from conformance.tilelang_run.facts import facts_of
from conformance.tilelang_run.outcome import Outcome

_MEANING = {
    "passed": "passed: its own comparison held",
    "failed": "failed",
    "timeout": "still running at the limit",
    "unchecked": "runs or compiles, but compares nothing",
    "gpu_only": "built on GPU-only instructions or another vendor's layouts",
}
_LONGEST = 220


def page(outcomes: Sequence[Outcome], checkout: Path, run: str) -> str:
    """`run` says how they were run."""
    by_status = {status: [one for one in outcomes if one.status == status] for status in _MEANING}
    counts = "\n".join(f"| {text} | {len(by_status[status])} |" for status, text in _MEANING.items())
    parts = [
        _HEAD.format(commit=_commit(checkout), version=version("tilelang"), run=run, total=len(outcomes)),
        f"| outcome | examples |\n|--|--|\n{counts}\n",
        "## Passed\n\n" + ", ".join(f"`{one.name}`" for one in by_status["passed"]) + "\n",
        "## Called with other sizes\n\n" + _CHANGED + "\n" + _table("called with", _changed(outcomes)),
        "## Failed, and why\n\n" + _table("reason", _reasons(by_status["failed"])),
        "## Still running at the limit\n\n" + _table("reason", _reasons(by_status["timeout"])),
        "## Compares nothing\n\n" + _table("what it does", _reasons(by_status["unchecked"])),
        "## GPU only\n\n" + _table("what it needs", _reasons(by_status["gpu_only"])),
    ]
    return "\n".join(part for part in parts if not part.endswith(_EMPTY))


_HEAD = """# The examples of TileLang's repository

`python conformance/tilelang_examples.py CHECKOUT` runs the files under `examples/` of a TileLang checkout as
they are: only the target and the device of the tensors change, nothing is timed, and an autotuner takes its
first configuration. `--packages FOLDER` gives it what some examples compare themselves with (`pip install
--no-deps --target FOLDER triton==3.7.0 flash-linear-attention==0.2.2 scipy`); Triton's interpreter runs the
kernels among it, and functions of flash_attn are stood in for by torch. `--page` writes this page. It is what
came out of one run over all {total} at commit {commit} of TileLang, version {version} of its package: {run}.
"""
_CHANGED = """Their own sizes keep an emulator busy for minutes to days. These arguments were changed, where
the example takes them from its caller or its command line; kernels, blocks and element types stay.
"""
_EMPTY = "|--|--|\n"


def _changed(outcomes: Iterable[Outcome]) -> list[tuple[str, str]]:
    rows = [(one.name, _sizes_text(facts_of(one.name).sizes)) for one in outcomes if one.status != "gpu_only"]
    return [(name, text) for name, text in rows if text]


def _sizes_text(sizes: Mapping[str, Any]) -> str:
    """
    >>> _sizes_text({"main": {"n": 4}, "seqlen": 8, "argv": ["--n", "4"]})
    '`main(n=4)`, `seqlen = 8`, `--n 4`'
    """
    texts = []
    for name, value in sizes.items():
        if name == "argv":
            texts.append(" ".join(value))
        elif isinstance(value, dict):
            texts.append(f"{name}({', '.join(f'{key}={one}' for key, one in value.items())})")
        else:
            texts.append(f"{name} = {value}")
    return ", ".join(f"`{text}`" for text in texts)


def _reasons(outcomes: Iterable[Outcome]) -> list[tuple[str, str]]:
    return [(one.name, facts_of(one.name).note or _short(one)) for one in outcomes]


def _short(outcome: Outcome) -> str:
    if outcome.status == "gpu_only":
        return ", ".join(f"`{name}`" for name in outcome.reason.split(", "))
    text = re.sub(r"\s*\(?/\S+\)?", "", outcome.reason).replace("|", "\\|")
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."


def _table(heading: str, rows: Iterable[tuple[str, str]]) -> str:
    return f"| example | {heading} |\n{_EMPTY}" + "".join(f"| {name} | {text} |\n" for name, text in rows)


def _commit(checkout: Path) -> str:
    command = ["git", "-C", str(checkout), "rev-parse", "--short=8", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "(unknown)"
