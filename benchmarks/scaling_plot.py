"""Strong scaling as an SVG: the time of a token on more and more chips, with what links take of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 640, 380, 60, 50, 75
_BAR = 70
_KERNELS, _LINKS, _IDEAL = "#4c78a8", "#f58518", "#888"


def scaling_plot(title: str, rows: Sequence[dict[str, Any]]) -> str:
    """Bars of `decode_ms`, the part of links on top; a dash where the time of one chip, divided, would be."""
    most = max(row["decode_ms"] for row in rows)
    unit = (_HEIGHT - _TOP - _BOTTOM) / most
    step = (_WIDTH - _LEFT) / len(rows)
    first = rows[0]["decode_ms"] * rows[0]["chips"]
    bars = "".join(
        _bar(row, _LEFT + index * step + (step - _BAR) / 2, unit, first / row["chips"])
        for index, row in enumerate(rows)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'font-family="sans-serif" font-size="13"><rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>'
        f'<text x="{_LEFT}" y="20" font-size="15">{title}: a token of 32 texts, ms</text>'
        f"{_legend()}{bars}"
        f'<line x1="{_LEFT}" y1="{_HEIGHT - _BOTTOM}" x2="{_WIDTH}" y2="{_HEIGHT - _BOTTOM}" stroke="#333"/>'
        f'<text x="{_LEFT}" y="{_HEIGHT - 8}">chips of a T3000 (tensor parallel)</text></svg>\n'
    )


def _bar(row: dict[str, Any], x: float, unit: float, ideal: float) -> str:
    base = _HEIGHT - _BOTTOM
    links, whole = row["link_ms"] * unit, row["decode_ms"] * unit
    middle = x + _BAR / 2
    return (
        f'<rect x="{x:.1f}" y="{base - whole + links:.1f}" width="{_BAR}" height="{whole - links:.1f}" '
        f'fill="{_KERNELS}"/>'
        f'<rect x="{x:.1f}" y="{base - whole:.1f}" width="{_BAR}" height="{links:.1f}" fill="{_LINKS}"/>'
        f'<line x1="{x - 8:.1f}" x2="{x + _BAR + 8:.1f}" y1="{base - ideal * unit:.1f}" '
        f'y2="{base - ideal * unit:.1f}" stroke="{_IDEAL}" stroke-dasharray="4 3"/>'
        f'<text x="{middle:.1f}" y="{base - whole - 6:.1f}" text-anchor="middle">'
        f"{row['decode_ms']:.1f} ({row['link_share']:.0%})</text>"
        f'<text x="{middle:.1f}" y="{base + 18}" text-anchor="middle">{row["chips"]}</text>'
    )


def _legend() -> str:
    entries = (("kernels and launches", _KERNELS), ("links (share)", _LINKS), ("one chip, divided", _IDEAL))
    return "".join(
        f'<rect x="{_LEFT + 190 * index}" y="28" width="12" height="12" fill="{color}"/>'
        f'<text x="{_LEFT + 190 * index + 18}" y="39">{name}</text>'
        for index, (name, color) in enumerate(entries)
    )
