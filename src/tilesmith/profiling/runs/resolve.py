"""What a user names a run by: its number, a tag, `last`, a saved profile, or a file of baselines."""

from __future__ import annotations

from pathlib import Path

from tilesmith.errors import RunStoreError
from tilesmith.profiling.performance import PerformanceProfiler
from tilesmith.profiling.report import PROFILE_FILE
from tilesmith.profiling.runs.baseline import BaselineFile
from tilesmith.profiling.runs.figures import RunFigures, figures_of
from tilesmith.profiling.runs.store import RunStore


def figures_named(name: str, store: RunStore) -> tuple[str, RunFigures]:
    """The figures a name stands for, and how to call them in a table."""
    path = Path(name)
    if path.is_dir() or path.name == PROFILE_FILE:
        return name, figures_of(PerformanceProfiler(path).profile)
    file, _, title = name.partition("::")
    if file.endswith(".json") or Path(file).is_file():
        return name, _from_baselines(file, title)
    run = store.get(name)
    level = f" {run.figures.level}" if run.figures.level else ""
    return f"#{run.id} {run.title}{level}", run.figures


def _from_baselines(file: str, title: str) -> RunFigures:
    known = BaselineFile(file).read()
    if not title and len(known) == 1:
        return next(iter(known.values()))
    if title in known:
        return known[title]
    names = ", ".join(known) or "none"
    raise RunStoreError(
        f"{file} has no baseline {title!r}" if title else f"{file} has {len(known)} baselines",
        where=file,
        remedy=f"name one as FILE::NAME; it has {names}",
    )


def baseline_for(name: str, work: str, figures: RunFigures, store: RunStore) -> RunFigures | None:
    """The baseline of a piece of work: of a file, of a run, or the best run so far; None if there is none."""
    if name == "best":
        best = store.best(figures)
        return best.figures if best else None
    if name.endswith(".json"):
        return BaselineFile(name).get(work)
    return store.get(name).figures
