"""Power and energy of a profile, estimated from what its programs kept busy. Always with a range."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tilesmith.profiling.model import ProgramProfile
from tilesmith.profiling.report import Chip, Profile

_TABLE = Path(__file__).with_name("board.toml")
_EDGES = ("low", "middle", "high")
ESTIMATED = "chip, estimated"


@dataclass(frozen=True)
class Power:
    """Watts over a span, and the energy of it. An estimate has a range; a reading is a range of nothing."""

    watts: float
    low: float
    high: float
    microseconds: float
    limit: float
    source: str = ESTIMATED

    @property
    def energy_uj(self) -> float:
        return self.watts * self.microseconds

    def __str__(self) -> str:
        energy = f"{self.energy_uj / 1e6:.3g} J a call"
        if self.source != ESTIMATED:
            return f"{self.watts:.0f} W, {energy} ({self.source})"
        return f"{self.watts:.0f} W ({self.low:.0f} to {self.high:.0f}), {energy} (estimate from activity)"


@dataclass(frozen=True)
class Activity:
    """What was busy, from 0 to 1 of the whole chip, and the rate of DRAM in bytes a second."""

    matrix: float = 0.0
    vector: float = 0.0
    noc: float = 0.0
    dram_rate: float = 0.0


def estimate(chip: Chip, activity: Activity, microseconds: float = 0.0) -> Power:
    """The power of a chip with this activity, kept below the limit of its board.

    >>> from tilesmith.arch import load_arch
    >>> idle = estimate(Chip.of(load_arch("n150")), Activity())
    >>> round(idle.watts), round(idle.low), round(idle.high)
    (19, 8, 40)
    """
    table = _table()
    limit = float(table["limit"].get(chip.product, max(table["limit"].values())))
    low, middle, high = (_watts(table, edge, limit, activity) for edge in _EDGES)
    return Power(middle, low, high, microseconds, limit)


def _watts(table: dict[str, Any], edge: str, limit: float, activity: Activity) -> float:
    idle = table["idle"][edge] * limit
    above = (limit - idle) * (
        table["matrix"][edge] * activity.matrix
        + table["vector"][edge] * activity.vector
        + table["noc"][edge] * activity.noc
    )
    memory = table["dram"][edge] * 1e-12 * 8 * activity.dram_rate
    return float(min(limit, idle + above + memory))


def activity_of(program: ProgramProfile, chip: Chip) -> Activity:
    """What a program kept busy."""
    use = program.utilisation
    part = program.cores / max(1, chip.grid_x * chip.grid_y)
    seconds = program.microseconds * 1e-6
    return Activity(
        matrix=use.matrix,
        vector=use.vector_used * part,
        noc=sum(use.noc) / 2 * part,
        dram_rate=program.roofline.dram_bytes_moved / seconds if seconds else 0.0,
    )


def power_of(profile: Profile) -> Power | None:
    """The estimate for all programs of a profile, launches counted as idle; None where no chip took part."""
    chip = profile.chip
    if chip is None or not profile.programs:
        return None
    parts = [estimate(chip, activity_of(one, chip), one.microseconds) for one in profile.programs]
    return _joined([*parts, estimate(chip, Activity(), profile.launch_us)])


def _joined(parts: Sequence[Power]) -> Power:
    total = sum(part.microseconds for part in parts) or 1.0

    def mean(edge: str) -> float:
        return float(sum(getattr(part, edge) * part.microseconds for part in parts) / total)

    return Power(mean("watts"), mean("low"), mean("high"), total, parts[0].limit)


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(_TABLE.read_text(encoding="utf-8"))
