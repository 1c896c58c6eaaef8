"""Where in the user's code something was declared, so that an error can point at it."""

from __future__ import annotations

import os
import sys

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
# A dataclass constructor is compiled from a string.
_GENERATED = "<string>"


def declaration_site() -> str:
    """The nearest frame outside tilesmith, as `file:line`; empty when there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if name != _GENERATED and not name.startswith(_PACKAGE):
            return f"{name}:{frame.f_lineno}"
        if frame.f_back is None:
            break
        frame = frame.f_back
    return ""
