"""Long calls over several lines, as a formatter would set them."""

from __future__ import annotations

WIDTH = 110


def wrapped(text: str, indent: str) -> list[str]:
    """The lines of one statement. A call that is too long has its arguments on lines of their own.

    >>> deep = " " * 72
    >>> for line in wrapped("read_page(first + row, tensor, address);", deep):
    ...     print(line.removeprefix(deep))
    read_page(
        first + row, tensor, address);
    """
    if len(indent) + len(text) <= WIDTH or not text.endswith(");"):
        return [indent + text]
    opening = _opening_of_last_call(text)
    head, arguments = text[: opening + 1], text[opening + 1 : -2]
    inner = indent + "    "
    if len(inner) + len(arguments) + 2 <= WIDTH:
        return [indent + head, f"{inner}{arguments});"]
    parts = _arguments(arguments)
    return [indent + head, *(f"{inner}{part}," for part in parts[:-1]), f"{inner}{parts[-1]});"]


def _opening_of_last_call(text: str) -> int:
    """Where the parenthesis stands that the one at the end of the statement closes."""
    depth = 0
    for at in range(len(text) - 2, -1, -1):
        depth += (text[at] == ")") - (text[at] == "(")
        if depth == 0:
            return at
    return 0


def _arguments(text: str) -> list[str]:
    """Split at the commas that are in no bracket.

    >>> _arguments("f(a, b), {c, d}, e")
    ['f(a, b)', '{c, d}', 'e']
    """
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in "({[") - (character in ")}]")
        if character == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]
