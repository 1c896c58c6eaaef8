"""A line chart as SVG: both axes logarithmic to the base of 2, a dashed line where y grows as x does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import log2

WIDTH, HEIGHT = 640, 380
LEFT, RIGHT, TOP, BOTTOM = 60, 620, 50, 330
COLOURS = ("#0b6e99", "#c2410c", "#4d7c0f", "#7e22ce", "#a16207", "#be123c")


@dataclass(frozen=True)
class Series:
    """A name, and a value for each place on the x axis."""

    name: str
    values: Sequence[float]


@dataclass(frozen=True)
class _Axes:
    x: Sequence[float]
    top: float

    def place(self, x: float, y: float) -> tuple[float, float]:
        across = log2(x / self.x[0]) / log2(self.x[-1] / self.x[0])
        up = log2(max(y, 1.0)) / log2(self.top)
        return LEFT + across * (RIGHT - LEFT), BOTTOM - up * (BOTTOM - TOP)

    def line(self, values: Sequence[float]) -> str:
        places = (self.place(x, y) for x, y in zip(self.x, values, strict=True))
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def line_chart(title: str, x_title: str, x: Sequence[float], series: Sequence[Series]) -> str:
    """
    >>> "polyline" in line_chart("time", "work", (1, 2, 4), [Series("a", (1.0, 1.9, 3.6))])
    True
    """
    top = max(x[-1] / x[0], *(value for each in series for value in each.values))
    axes = _Axes(x, top)
    body = "\n".join((*_frame(axes, title, x_title), *_lines(axes, series)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" font-size="12">\n<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n'
        f"{body}\n</svg>\n"
    )


def _frame(axes: _Axes, title: str, x_title: str) -> Iterator[str]:
    yield f'<text x="{LEFT}" y="22" font-weight="bold">{escape(title)}</text>'
    yield f'<text x="{(LEFT + RIGHT) / 2}" y="{HEIGHT - 14}" text-anchor="middle">{escape(x_title)}</text>'
    yield f'<path d="M{LEFT} {TOP}V{BOTTOM}H{RIGHT}" fill="none" stroke="#444"/>'
    for x in axes.x:
        across, _ = axes.place(x, 1)
        yield f'<text x="{across:.1f}" y="{BOTTOM + 16}" text-anchor="middle">{x:g}</text>'
    for power in range(int(log2(axes.top)) + 1):
        _, up = axes.place(axes.x[0], 2**power)
        yield f'<path d="M{LEFT} {up:.1f}H{RIGHT}" stroke="#ddd"/>'
        yield f'<text x="{LEFT - 8}" y="{up + 4:.1f}" text-anchor="end">{2**power}</text>'


def _lines(axes: _Axes, series: Sequence[Series]) -> Iterator[str]:
    straight = axes.line([x / axes.x[0] for x in axes.x])
    yield f'<polyline points="{straight}" fill="none" stroke="#888" stroke-dasharray="4 4"/>'
    for number, each in enumerate(series):
        colour = COLOURS[number % len(COLOURS)]
        yield f'<polyline points="{axes.line(each.values)}" fill="none" stroke="{colour}" stroke-width="2"/>'
        for x, y in zip(axes.x, each.values, strict=True):
            across, up = axes.place(x, y)
            yield f'<circle cx="{across:.1f}" cy="{up:.1f}" r="3" fill="{colour}"/>'
        yield f'<text x="{LEFT + 14}" y="{TOP + 18 + 18 * number}" fill="{colour}">{escape(each.name)}</text>'
