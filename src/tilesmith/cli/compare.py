"""`tilesmith compare`, and the gate that `profile` and `bench` end with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tilesmith.errors import BadCallError
from tilesmith.profiling.runs.baseline import BaselineFile
from tilesmith.profiling.runs.compare import Comparison, compare
from tilesmith.profiling.runs.figures import RunFigures
from tilesmith.profiling.runs.gate import Verdict, judge, parse_tolerance
from tilesmith.profiling.runs.resolve import baseline_for, figures_named
from tilesmith.profiling.runs.store import RunStore


def compared(names: Sequence[str]) -> Comparison:
    """The comparison of what a user names: runs, saved profiles, baselines."""
    if len(names) < 2:
        raise BadCallError(
            "one run has nothing to be compared with",
            where="tilesmith compare",
            remedy="name two or more: `tilesmith compare last-1 last`",
        )
    store = RunStore()
    return compare([figures_named(name, store) for name in names])


@dataclass(frozen=True)
class Gate:
    """What a user asked of the gate: a baseline, how much slower is too slow, whether to renew it."""

    baseline: str = ""
    fail_over: str = "5%"
    update: bool = False

    def __post_init__(self) -> None:
        parse_tolerance(self.fail_over)
        if self.baseline.endswith(".json") and not self.update and not Path(self.baseline).is_file():
            raise BadCallError(
                f"there is no file {self.baseline}",
                where="--baseline",
                remedy="make one with --update-baseline",
            )
        if self.update and not self.baseline.endswith(".json"):
            raise BadCallError(
                "--update-baseline has no file to write",
                where="--baseline",
                remedy="name one that ends in .json: --baseline baseline.json --update-baseline",
            )

    def verdict(self, work: str, figures: RunFigures, store: RunStore) -> Verdict | None:
        """How the run stands against its baseline; None where none is asked for, or it was renewed."""
        if not self.baseline:
            return None
        if figures.is_measured and len(figures.samples_us) < 4:
            raise BadCallError(
                f"{work} was measured on the host once, which no gate can judge",
                where="--baseline",
                remedy="gate predictions, or measure with `tilesmith bench --backend`",
            )
        if self.update:
            BaselineFile(Path(self.baseline)).update(work, figures)
            return None
        known = baseline_for(self.baseline, work, figures, store)
        if known is None:
            if self.baseline == "best":  # the first run is the best so far
                return judge(figures, figures)
            raise BadCallError(
                f"{self.baseline} has no baseline for {work}",
                where="--baseline",
                remedy="make one with --update-baseline",
            )
        return judge(known, figures, parse_tolerance(self.fail_over))
