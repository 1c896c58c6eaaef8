"""Calls and signatures of generated code, on one line where they fit and one argument to a line where not."""

from __future__ import annotations

from collections.abc import Sequence

WIDTH = 110


def call(head: str, arguments: Sequence[str], tail: str, indent: int) -> list[str]:
    """The lines of `head(arguments)tail`, the first without its indentation.

    >>> call("f", ["1", "2"], "", 4)
    ['f(1, 2)']
    >>> call("f", ["a" * 60, "b" * 60], "", 4)[2]
    '    bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,'
    """
    together = ", ".join(arguments)
    if indent + len(f"{head}({together}){tail}") <= WIDTH:
        return [f"{head}({together}){tail}"]
    if indent + 4 + len(together) <= WIDTH:
        return [f"{head}(", f"    {together}", f"){tail}"]
    return [f"{head}(", *(f"    {one}," for one in arguments), f"){tail}"]


def quoted(text: str) -> str:
    """A string literal in double quotes.

    >>> quoted('say "a"')
    '"say \\\\"a\\\\""'
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def imports(names: dict[str, set[str]]) -> list[str]:
    """Import lines, sorted as ruff sorts them.

    >>> imports({"b": {"y", "X"}, "a": {"z"}, "c": set()})
    ['from a import z', 'from b import X, y']
    """
    result: list[str] = []
    for module in sorted(names):
        if not names[module]:
            continue
        listed = sorted(names[module], key=_import_order)
        line = f"from {module} import {', '.join(listed)}"
        wrapped = [f"from {module} import (", *(f"    {one}," for one in listed), ")"]
        result += [line] if len(line) <= WIDTH else wrapped
    return result


def _import_order(name: str) -> tuple[int, str]:
    """Constants first, then classes, then functions."""
    rank = 0 if name.isupper() else 1 if name[0].isupper() else 2
    return rank, name
