"""Target: where a workload runs and with which numbers, as a user writes it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, cast

from tilesmith import settings
from tilesmith.arch import load_arch
from tilesmith.errors import BadCallError, DeviceError
from tilesmith.runtime import Device, open_device
from tilesmith.runtime.ttnn_arch import TTNN
from tilesmith.runtime.ttnn_library import MOCK, runs_nothing

_NUMBERS = ("chip", "fast")


@dataclass(frozen=True)
class Target:
    """A chip of the emulator ("wormhole", "p150"), or "ttnn": what the vendor's runtime opens.

    >>> Target.parse("blackhole:fast")
    Target(chip='blackhole', numbers='fast')
    >>> str(Target.parse("wormhole"))
    'wormhole:chip'
    """

    chip: str
    numbers: Literal["chip", "fast"] = "chip"

    @staticmethod
    def parse(text: str) -> Target:
        chip, _, numbers = text.partition(":")
        if not chip or (numbers and numbers not in _NUMBERS):
            raise BadCallError(
                f"{text!r} is no target",
                remedy="write a chip, and how it computes: wormhole, wormhole:fast, blackhole:chip, ttnn",
            )
        if chip != TTNN:
            load_arch(chip)  # refused now, not after the targets before it have run
        return Target(chip, cast(Literal["chip", "fast"], numbers or "chip"))

    def __str__(self) -> str:
        return self.chip if self.chip == TTNN else f"{self.chip}:{self.numbers}"

    @contextmanager
    def opened(self) -> Iterator[Device]:
        """The device, with the settings of the target in force."""
        if self.chip == TTNN and runs_nothing():
            raise DeviceError(
                f"{MOCK} makes ttnn open a mock cluster, which runs nothing: there would be no results",
                remedy="unset it, and let ttnn find a card or the vendor's simulator",
            )
        with settings.using(numbers=self.numbers), open_device(self.chip) as device:
            yield device
