"""Saying what is wrong with an operation's arguments."""

from __future__ import annotations

from tilesmith.errors import OperationError


def fatal(condition: object, message: str, *, where: str = "", remedy: str = "") -> None:
    """Raise an OperationError with ttnn's message unless the condition holds: ttnn's TT_FATAL.

    >>> fatal(2 == 2, "two is two")
    >>> fatal(False, "Input tensor must be 4D")
    Traceback (most recent call last):
    ...
    tilesmith.errors.OperationError: Input tensor must be 4D
    """
    if not condition:
        raise OperationError(message, where=where, remedy=remedy)
