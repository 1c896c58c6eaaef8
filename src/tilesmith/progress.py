"""A bar with an estimate for work of many parts, on the standard error, once it has taken two seconds."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Timer
from typing import TYPE_CHECKING, TypeVar

from tilesmith import settings

if TYPE_CHECKING:
    from rich.progress import Progress

Part = TypeVar("Part")

PATIENCE = 2.0
"""Seconds before the bar appears: most work is done by then."""

_shown: ContextVar[Progress | None] = ContextVar("the bar that is shown", default=None)


def tracked(parts: Sequence[Part], what: str) -> Iterator[Part]:
    """The parts, one after the other, with a bar that says how many are done and how long the rest may take.

    Work inside a part gets a line of its own under the same bar.

    >>> [part * part for part in tracked([1, 2, 3], "squares")]
    [1, 4, 9]
    """
    if len(parts) < 2 or not _wanted():
        yield from parts
        return
    with _bar() as bar:
        task = bar.add_task(what, total=len(parts))
        try:
            for part in parts:
                yield part
                bar.advance(task)
        finally:
            bar.remove_task(task)


def _wanted() -> bool:
    chosen = settings.current().progress
    return chosen == "on" or (chosen == "auto" and sys.stderr is not None and sys.stderr.isatty())


@contextmanager
def _bar() -> Iterator[Progress]:
    """The bar that is there already, or one that appears when it is time."""
    outer = _shown.get()
    if outer is not None:
        yield outer
        return
    bar = _made()
    timer = Timer(PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    _shown.set(bar)
    try:
        yield bar
    finally:
        _shown.set(None)
        timer.cancel()
        timer.join()
        bar.stop()


def _made() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
