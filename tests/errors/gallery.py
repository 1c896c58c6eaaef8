"""Makes the page of the error gallery: every wrong kernel and what its author sees.

python tests/errors/gallery.py      writes docs/error-gallery.md
"""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "error-gallery.md"
sys.path.insert(0, str(ROOT))

from tests.errors import wrong_kernels  # noqa: E402 - the repository's root must be on the path

from tilesmith.errors import TilesmithError  # noqa: E402

_HEAD = """# Error gallery

Wrong kernels and calls, and what their author sees. Every message says what is wrong, where, and what to do.
This page is made by `python tests/errors/gallery.py`; a test compares it with what the compiler says now.
"""


def mistakes() -> list[Callable[[], None]]:
    """The functions of `wrong_kernels.py`, in its order."""
    found = inspect.getmembers(wrong_kernels, inspect.isfunction)
    own = [
        one for name, one in found if one.__module__ == wrong_kernels.__name__ and not name.startswith("_")
    ]
    return sorted(own, key=lambda one: one.__code__.co_firstlineno)


def seen(mistake: Callable[[], None]) -> str:
    """The error as it is printed, with the file's name in place of its path."""
    try:
        mistake()
    except TilesmithError as error:
        text = f"{type(error).__name__}: {error}"
        return text.replace(f"{Path(wrong_kernels.__file__).parent}/", "")
    raise AssertionError(f"{mistake.__name__} raised nothing")


def page() -> str:
    return "\n".join([_HEAD, *(_section(mistake) for mistake in mistakes())])


def _section(mistake: Callable[[], None]) -> str:
    title = inspect.getdoc(mistake)
    return f"## {title}\n\n```text\n{_code(mistake)}\n```\n\n```text\n{seen(mistake)}\n```\n"


def _code(mistake: Callable[[], None]) -> str:
    """The body with its line numbers, so that a message's line can be found; without the title."""
    lines, first = inspect.getsourcelines(mistake)
    body = textwrap.dedent("".join(lines[2:])).strip("\n").splitlines()
    skipped = 2 + next(number for number, line in enumerate(lines[2:]) if line.strip())
    return "\n".join(f"{first + skipped + number:4}  {line}".rstrip() for number, line in enumerate(body))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
