"""How objects draw themselves in a notebook: small tables, no style of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape


def html_table(header: Sequence[object], rows: Iterable[Sequence[object]], css: str = "") -> str:
    """A table, of a class if one is named; every cell is escaped.

    >>> html_table(["a"], [["<b>"]])
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(str(cell))}</th>" for cell in header)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    opening = f'<table class="{css}">' if css else "<table>"
    return f"{opening}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def html_fields(title: str, fields: Mapping[str, object]) -> str:
    """A title, and a line for each field.

    >>> html_fields("Device", {"chip": "n150"})
    '<b>Device</b><table><tbody><tr><th>chip</th><td>n150</td></tr></tbody></table>'
    """
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(str(value))}</td></tr>" for name, value in fields.items()
    )
    return f"<b>{escape(title)}</b><table><tbody>{rows}</tbody></table>"
