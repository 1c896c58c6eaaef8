"""An extension of griffe for the docs site: examples in docstrings become blocks of code.

Our docstrings write `>>>` without a heading above it, as doctest reads it; Markdown takes it for quotations.
"""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

_EXAMPLE = re.compile(r"(?m)^>>> .*(?:\n(?!\s*$).*)*")


class Examples(Extension):
    """Puts fences around every example, from its first `>>>` to the next empty line."""

    def on_object(self, *, obj: Object, **kwargs: Any) -> None:  # noqa: ARG002 - the interface of griffe
        if obj.docstring is not None and "```" not in obj.docstring.value:
            obj.docstring.value = _EXAMPLE.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)
