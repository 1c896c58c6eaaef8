"""Turns a page of compiler output into the sentence a kernel author needs."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

from tilesmith.errors import KernelCompileError

_ERROR = re.compile(
    r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)? (?:fatal )?error: (?P<text>.*)$", re.MULTILINE
)
_USED_FROM = re.compile(
    r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)?\s+"
    r"(?:required from|note: in expansion of macro|note: in instantiation of .* requested here)",
    re.MULTILINE,
)
"""Lines that lead from an error in a header to the code that uses it, as gcc and clang write them."""
_UNKNOWN = re.compile(
    r"'(?P<gcc>[\w:~]+)(?:\(.*\))?' (?:was not declared|has not been declared|is not a member)"
    r"|'(?P<type>\w+)' does not name a type"
    r"|use of undeclared identifier '(?P<clang>\w+)'|no member named '(?P<member>\w+)'"
    r"|has no member named '(?P<no_member>\w+)'|no matching function for call to '(?P<call>[\w:]+)"
)
_MISSING_HEADER = re.compile(
    r"(?P<header>[\w./-]+): No such file or directory|'(?P<clang>[^']+)' file not found"
)
_IDENTIFIER = re.compile(r"\b[a-z_]\w{3,}(?=\s*\()")


def explain(error: KernelCompileError, headers: Path) -> KernelCompileError:
    """The same error, led by what is missing and where; the compiler's own words stay in `.output`."""
    found = _first_in_kernel(error.output, headers)
    if found is None:
        return error
    file, line, text = found
    what, remedy = _sentence(text, headers)
    return KernelCompileError(
        what, output=error.output, sources=error.sources, where=f"{file}:{line}", remedy=remedy
    )


def _first_in_kernel(output: str, headers: Path) -> tuple[str, str, str] | None:
    """The first error of the kernel's own lines, else the first of a header, at the line that uses it."""
    errors = [(m["file"], m["line"], m["text"]) for m in _ERROR.finditer(output)]
    own = [entry for entry in errors if not entry[0].startswith(str(headers))]
    if own or not errors:
        return next(iter(own), None)
    file, line, text = errors[0]
    users = [m for m in _USED_FROM.finditer(output) if not m["file"].startswith(str(headers))]
    return (users[0]["file"], users[0]["line"], text) if users else (file, line, text)


def _sentence(text: str, headers: Path) -> tuple[str, str]:
    if header := _MISSING_HEADER.search(text):
        name = header["header"] or header["clang"]
        return (
            f"the emulator has no header {name!r}",
            "include one of those under api/ that kernels of ttnn 0.66 to 0.81 use",
        )
    if (unknown := _UNKNOWN.search(text)) is None:
        return f"the kernel does not compile: {text}", "see the compiler's output below"
    name = next(group for group in unknown.groups() if group)
    if unknown["call"]:
        return (
            f"no form of {name!r} takes these arguments",
            "see the compiler's output below for the forms there are",
        )
    close = get_close_matches(name.split("::")[-1], known_functions(headers), n=3, cutoff=0.75)
    remedy = (
        f"did you mean {' or '.join(close)}?"
        if close
        else "include the header that declares it, or use another function"
    )
    return f"{name!r} is not a function or name the emulator has, or its header is not included", remedy


@lru_cache(maxsize=4)
def known_functions(headers: Path) -> tuple[str, ...]:
    """Every name that looks like a function in the emulator's headers."""
    names: set[str] = set()
    for header in headers.rglob("*.h"):
        names.update(_IDENTIFIER.findall(header.read_text(encoding="utf-8", errors="replace")))
    return tuple(sorted(name for name in names if not name.startswith("ts_")))
