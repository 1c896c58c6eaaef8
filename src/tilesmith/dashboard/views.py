"""What the page asks for: runs, comparisons, regressions, what is running now; as JSON or HTML."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tilesmith.errors import BadCallError
from tilesmith.notebook import html_fields, html_table
from tilesmith.profiling.html import html_page
from tilesmith.profiling.runs.compare import compare
from tilesmith.profiling.runs.live import running
from tilesmith.profiling.runs.regressions import regressions
from tilesmith.profiling.runs.store import Run, RunStore
from tilesmith.profiling.runs.views import tables_html

_MOST = 2000  # runs in one answer


class Views:
    """Answers over one store. Nothing here executes what the store holds."""

    def __init__(self, store: RunStore) -> None:
        self.store = store

    def runs(self, query: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
        """The runs whose title, chip, commit or tags contain every word of `q`, the newest first."""
        words = " ".join(query.get("q", ())).lower().split()
        found = [_row(run) for run in self.store.runs(limit=_MOST)]
        return [row for row in found if all(word in row["text"] for word in words)]

    def live(self) -> list[dict[str, Any]]:
        return [asdict(one) for one in running(self.store.folder)]

    def regressions(self) -> list[dict[str, Any]]:
        return [
            {"run": regression.newest.id, "reference": regression.reference.id, "text": str(regression)}
            for regression in regressions(self.store.runs(limit=_MOST))
        ]

    def comparison(self, query: Mapping[str, Sequence[str]]) -> str:
        """Tables of two or more runs, the first compared with the others."""
        runs = [self.store.get(name) for name in query.get("run", ())]
        if len(runs) < 2:
            raise BadCallError("two runs are needed to compare", remedy="choose another one")
        return tables_html(compare([(f"#{run.id} {run.title}", run.figures) for run in runs]))

    def summary(self, name: str) -> str:
        """The figures of a run, and what it was made with."""
        run = self.store.get(name)
        figures, told = run.figures, run.circumstances
        lines = {
            "latency": f"{figures.latency_us:,.1f} us ({figures.source})",
            "launches": f"{figures.launch_us:,.1f} us of it",
            "power": _power(run),
            "chip": figures.chip,
            "level": figures.level,
            "backend": figures.backend,
            "commit": told.commit + (" with changes" if told.modified else ""),
            "settings": ", ".join(f"{key}={value}" for key, value in told.settings.items()),
            "versions": ", ".join(f"{key} {value}" for key, value in told.versions.items()),
        }
        given = {key: value for key, value in lines.items() if value}
        return html_fields(f"#{run.id} {run.title}", given) + _kernels(run) + _advice(run)

    def report(self, name: str) -> str:
        """The whole report of a run: timeline, core grid, DRAM banks, memory."""
        return html_page(self.store.get(name).profile())

    def tag(self, body: bytes) -> dict[str, Any]:
        """Add or remove a tag: `{"run": 3, "tag": "baseline", "remove": false}`."""
        try:
            wanted = json.loads(body)
            name, tag, remove = str(wanted["run"]), str(wanted["tag"]), bool(wanted.get("remove", False))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadCallError(f"this is no tag: {error}", remedy="send run and tag as JSON") from error
        self.store.tag(self.store.get(name), [tag], remove)
        return _row(self.store.get(name))


def _row(run: Run) -> dict[str, Any]:
    figures = run.figures
    row = {
        "id": run.id,
        "when": run.when,
        "created": run.created,
        "title": run.title,
        "chip": figures.chip or figures.source,
        "source": figures.source,
        "level": figures.level,
        "backend": figures.backend,
        "us": figures.latency_us,
        "findings": figures.findings,
        "commit": run.circumstances.commit,
        "tags": list(run.tags),
        "profile": run.has_profile,
    }
    words = (run.title, figures.chip, figures.level, figures.backend, run.circumstances.commit, *run.tags)
    return {**row, "text": " ".join(words).lower()}


def _power(run: Run) -> str:
    figures = run.figures
    if not figures.watts:
        return ""
    watts = f"{figures.watts:.0f} W ({figures.watts_low:.0f} to {figures.watts_high:.0f})"
    token = f", {figures.energy_per_token_uj / 1e6:.3g} J a token" if figures.tokens else ""
    return f"{watts}, {figures.energy_uj / 1e6:.3g} J a call{token}, estimated from activity"


def _advice(run: Run) -> str:
    rows = [(number, line) for number, line in enumerate(run.figures.advice, 1)]
    return html_table(("", "tried, and predicted to be faster"), rows) if rows else ""


def _kernels(run: Run) -> str:
    total = run.figures.kernel_us or 1.0
    rows = [
        (
            kernel.name,
            kernel.launches,
            f"{kernel.microseconds:,.1f} us",
            f"{kernel.microseconds / total:.0%}",
            kernel.sentence,
            kernel.change,
        )
        for kernel in sorted(run.figures.kernels, key=lambda kernel: -kernel.microseconds)
    ]
    header = ("kernel", "launches", "time", "part", "bound", "change first")
    shown = len(header) if any(row[-1] for row in rows) else len(header) - 1
    return html_table(header[:shown], [row[:shown] for row in rows]) if rows else ""
