"""Where in the user's code something was declared, so that an error can point at it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
# A dataclass constructor is compiled from a string.
_GENERATED = "<string>"
# A model is called through torch's modules: their lines say nothing.
_TORCH = f"{os.sep}site-packages{os.sep}torch{os.sep}"
_told: ContextVar[str] = ContextVar("declared by", default="")


@contextmanager
def declared_by(place: str) -> Iterator[None]:
    """What is declared inside the block belongs to this place, if it is named, and not to who calls.

    >>> with declared_by("encoder.layer.3 (model.py:12)"):
    ...     declaration_site()
    'encoder.layer.3 (model.py:12)'
    """
    token = _told.set(place or _told.get())
    try:
        yield
    finally:
        _told.reset(token)


def declaration_site() -> str:
    """The nearest frame outside tilesmith and torch, as `file:line`; empty when there is none."""
    if told := _told.get():
        return told
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if name != _GENERATED and not name.startswith(_PACKAGE) and _TORCH not in name:
            return f"{name}:{frame.f_lineno}"
        if frame.f_back is None:
            break
        frame = frame.f_back
    return ""
