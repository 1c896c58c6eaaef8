"""Advice: a setting to change, as its reader writes it, and what the clock says of the change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Advice:
    """A change that was tried. `settings` is what a program changes, `code` is what a person writes.

    `reader` says whose settings they are: those of a model, of a TileLang kernel, or of a metal program.

    >>> print(Advice("metal", "add", "CB 0: 4 pages instead of 2", 20.0, 15.0, {"pages": {"0": 4}}))
    CB 0: 4 pages instead of 2 (add: 15.0 us instead of 20.0 us, -25 %)
    """

    reader: str
    subject: str
    code: str
    before_us: float
    after_us: float
    settings: dict[str, Any] = field(default_factory=dict)
    caution: str = ""

    @property
    def saving_us(self) -> float:
        return self.before_us - self.after_us

    def __str__(self) -> str:
        percent = 100 * (self.after_us / self.before_us - 1) if self.before_us else 0.0
        gain = (
            f"{self.subject}: {self.after_us:,.1f} us instead of {self.before_us:,.1f} us, {percent:+.0f} %"
        )
        return f"{self.code} ({gain})" + (f"; {self.caution}" if self.caution else "")
