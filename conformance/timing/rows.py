"""Published rows and what came of them."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

DATA = Path(__file__).parents[1] / "data"


@dataclass(frozen=True)
class NocRow:
    """One measurement of the data-movement suite. `taken`: figures of the arch data come from this group."""

    arch: str
    memory: str
    pattern: str
    mechanism: str
    noc: int
    axis: str
    stateful: int
    cores: int
    targets: int
    bytes: int
    transactions: int
    cycles: float
    taken: bool

    @property
    def group(self) -> str:
        return f"{self.arch} {self.memory} {self.pattern} {self.mechanism} NoC {self.noc}"

    @property
    def label(self) -> str:
        how = " stateful" if self.stateful else ""
        far = " same axis" if self.axis == "same" else ""
        return f"{self.group}{far}{how}, {self.targets} targets, {self.transactions} x {self.bytes} B"


@dataclass(frozen=True)
class Outcome:
    """What was measured and what the emulator predicts, in the same unit."""

    label: str
    taken: bool
    measured: float
    predicted: float
    group: str = ""

    @property
    def error(self) -> float:
        """As a fraction of the measurement; positive: predicted too slow."""
        return self.predicted / self.measured - 1


def noc_rows() -> list[NocRow]:
    numbers = ("noc", "stateful", "cores", "targets", "bytes", "transactions")
    return [
        NocRow(
            arch=row["arch"],
            memory=row["memory"],
            pattern=row["pattern"],
            mechanism=row["mechanism"],
            axis=row["axis"],
            cycles=float(row["cycles"]),
            taken=row["taken"] == "1",
            **{name: int(row[name]) for name in numbers},
        )
        for row in read_rows("noc.csv")
    ]


def read_rows(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def quantile(errors: Iterable[float], share: float) -> float:
    """The smallest error that so large a share of all of them does not exceed.

    >>> quantile([0.4, 0.1, 0.2, 0.3], 0.5)
    0.2
    """
    ordered = sorted(errors)
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)] if ordered else 0.0


def median_error(outcomes: Sequence[Outcome]) -> float:
    return median(abs(one.error) for one in outcomes) if outcomes else 0.0


def p90_error(outcomes: Sequence[Outcome]) -> float:
    return quantile((abs(one.error) for one in outcomes), 0.9)
