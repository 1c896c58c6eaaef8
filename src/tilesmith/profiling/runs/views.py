"""A comparison on the terminal, as an HTML page and as JSON."""

from __future__ import annotations

import io
from html import escape
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tilesmith.notebook import html_table
from tilesmith.profiling.runs.compare import Comparison, KernelRow, Total
from tilesmith.units import readable

_WIDTH = 120
_CSS = Path(__file__).parents[1] / "page" / "report.css"


def as_text(comparison: Comparison) -> str:
    """Tables of totals and kernels, with the change from the first run to each other one."""
    console = Console(
        file=io.StringIO(), width=_WIDTH, color_system=None, legacy_windows=False, force_jupyter=False
    )
    for header, rows in (_totals(comparison), _kernels(comparison)):
        if not rows:
            continue
        table = Table(box=None, padding=(0, 1), header_style="bold")
        for index, column in enumerate(header):
            table.add_column(column, justify="left" if index == 0 else "right", overflow="fold")
        for row in rows:
            table.add_row(*row)
        console.print(table)
        console.print()
    for remark in comparison.remarks:
        console.print(f"note: {remark}", highlight=False, markup=False)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.splitlines()).rstrip()


def tables_html(comparison: Comparison) -> str:
    """The same tables as HTML, for a page or a notebook."""
    tables = (_totals(comparison), _kernels(comparison))
    parts = [html_table(header, rows, "comparison") for header, rows in tables if rows]
    parts += [f"<p class='remark'>{escape(remark)}</p>" for remark in comparison.remarks]
    return "\n".join(parts)


def page_html(comparison: Comparison) -> str:
    """One page that loads nothing."""
    title = escape(" and ".join(comparison.names))
    style = _CSS.read_text(encoding="utf-8")
    return (
        f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{title}: compared</title>"
        f"<style>{style}\n.comparison td, .comparison th {{ padding: 2px 10px; text-align: right }}"
        f" .comparison td:first-child, .comparison th:first-child {{ text-align: left }}</style></head>"
        f"<body><main><h1>{title}</h1>{tables_html(comparison)}</main></body></html>"
    )


def _columns(comparison: Comparison) -> list[str]:
    first, *others = comparison.names
    return [first, *(column for name in others for column in (name, "change"))]


def _totals(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    shown = [total for total in comparison.totals if any(total.values)]
    return ["", *_columns(comparison)], [[total.name, *_cells(total)] for total in shown]


def _cells(total: Total) -> list[str]:
    first, *others = total.values
    cells = [_figure(first, total.unit)]
    for value in others:
        cells += [_figure(value, total.unit), _percent(first, value)]
    return cells


def _kernels(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    header = ["kernel", *_columns(comparison), "bound"]
    return header, [[_title(row), *_times(row), _bound(row)] for row in comparison.kernels]


def _title(row: KernelRow) -> str:
    return f"{row.name} ({row.operands})" if row.operands else row.name


def _times(row: KernelRow) -> list[str]:
    first, *others = row.runs
    cells = [_figure(first.microseconds, "us") if first else "-"]
    for other in others:
        if other is None:
            cells += ["-", "gone"]
        else:
            change = _percent(first.microseconds, other.microseconds) if first else "new"
            cells += [_figure(other.microseconds, "us"), change]
    return cells


def _bound(row: KernelRow) -> str:
    last = row.runs[-1] or next(one for one in row.runs if one is not None)
    if row.bound_changed and row.runs[0] is not None:
        return f"{row.runs[0].bound} -> {last.bound}"
    return last.bound


def _figure(value: float, unit: str) -> str:
    """
    >>> _figure(1234.5, "us"), _figure(2048, "bytes"), _figure(3, "")
    ('1,234.5 us', '2.0 KiB', '3')
    """
    if unit == "bytes":
        return readable(value)
    return f"{value:,.1f} {unit}" if unit else f"{value:,.0f}"


def _percent(first: float, value: float) -> str:
    """
    >>> _percent(100, 142), _percent(0, 1), _percent(5, 5)
    ('+42.0 %', '', '=')
    """
    if not first:
        return ""
    return "=" if value == first else f"{100 * (value / first - 1):+.1f} %"
