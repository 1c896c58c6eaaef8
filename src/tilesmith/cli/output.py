"""What a command prints: text for people, or JSON and nothing else on standard output."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from tilesmith.errors import CommandLineError

Value = TypeVar("Value")

AsJson = Annotated[bool, typer.Option("--json", help="print JSON, and nothing else, on standard output")]


def tell(as_json: bool, data: Any, text: str) -> None:
    """One answer, in the form asked for."""
    typer.echo(json.dumps(data, indent=2, default=str) if as_json else text)


def once_each(option: str, pairs: Sequence[tuple[str, Value]]) -> dict[str, Value]:
    """What an option says of each name; a name that it says two things of is refused.

    >>> once_each("--sizes", [("M", 64), ("N", 32)])
    {'M': 64, 'N': 32}
    """
    said: dict[str, Value] = {}
    for name, value in pairs:
        if said.setdefault(name, value) != value:
            raise CommandLineError(f"{option} says two things of {name}", remedy=f"name {name} once")
    return said


def check_writable(file: Path) -> None:
    """That a file can be written, before the long work whose result it takes."""
    existed = file.exists()
    file.open("a").close()
    if not existed:
        file.unlink()


@contextmanager
def stdout_kept_for_json(wanted: bool) -> Iterator[None]:
    """What runs inside prints to standard error instead: Python's prints and those of C and of children."""
    if not wanted:
        yield
        return
    with redirect_stdout(sys.stderr), _descriptors():
        yield


@contextmanager
def _descriptors() -> Iterator[None]:
    """File descriptor 1 leads where 2 does. Not if either is closed, or stands for something else already."""
    try:
        if sys.__stdout__ is not None:
            sys.__stdout__.flush()
        kept = os.dup(1)
        os.dup2(2, 1)
    except OSError:
        yield
        return
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
