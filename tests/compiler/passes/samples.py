"""Kernels as the front end gives them, in textual form, for tests of what comes after it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from tilesmith.compiler.dialects.context import parse

_FOLDER = Path(__file__).with_name("sample_ir")


def names() -> list[str]:
    """Every sample there is."""
    return sorted(path.stem for path in _FOLDER.glob("*.mlir"))


def module(name: str) -> ModuleOp:
    """A fresh copy of a sample, to be changed at will."""
    return _parsed(name).clone()


@cache
def _parsed(name: str) -> ModuleOp:
    path = _FOLDER / f"{name}.mlir"
    return parse(path.read_text(encoding="utf-8"), str(path))
