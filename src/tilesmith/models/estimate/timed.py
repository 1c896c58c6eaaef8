"""What one launch takes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Timed:
    """One launch: what it takes, and the least that its products and its bytes could take."""

    name: str
    microseconds: float
    launch_us: float
    math_us: float
    dram_us: float
    link_us: float = 0.0

    @property
    def limit_us(self) -> float:
        return max(self.math_us, self.dram_us, self.link_us)
