"""What is slower than it should be: the newest run of each title against its baseline or its best run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tilesmith.profiling.runs.gate import DEFAULT_TOLERANCE, Verdict, judge
from tilesmith.profiling.runs.store import Run

BASELINE = "baseline"  # the tag that pins a run


@dataclass(frozen=True)
class Regression:
    """A title whose newest run is too slow. It stays one until a run is fast again, or another is pinned."""

    reference: Run
    newest: Run
    verdict: Verdict

    def __str__(self) -> str:
        pinned = "its baseline" if BASELINE in self.reference.tags else "its best run"
        return f"run {self.newest.id} against {pinned}, run {self.reference.id}: {self.verdict}"


def regressions(runs: Sequence[Run], tolerance: float = DEFAULT_TOLERANCE) -> list[Regression]:
    """The worst first. Runs may come in any order."""
    groups: dict[tuple[str, ...], list[Run]] = {}
    for run in sorted(runs, key=lambda one: one.id):
        entry = run.figures
        groups.setdefault((entry.title, entry.chip, entry.level, entry.backend, entry.source), []).append(run)
    found = [_of(same, tolerance) for same in groups.values()]
    return sorted((one for one in found if one is not None), key=lambda one: -one.verdict.ratio)


def _of(same: list[Run], tolerance: float) -> Regression | None:
    newest = same[-1]
    pinned = [run for run in same if BASELINE in run.tags]
    reference = pinned[-1] if pinned else min(same, key=lambda run: run.figures.latency_us)
    if reference is newest or (newest.figures.is_measured and not newest.figures.samples_us):
        return None  # one measurement of the host says nothing
    verdict = judge(reference.figures, newest.figures, tolerance)
    return None if verdict.ok else Regression(reference, newest, verdict)
