"""What a backend makes of a graph: something that runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from threading import RLock
from typing import Any

from tilesmith.models.report import Report

ONE_AT_A_TIME = RLock()
"""Held while a model is captured, compiled or run on the emulator: all models share what these change."""


class Executable(ABC):
    """A graph ready to run, and the report of how it was compiled."""

    report: Report

    @property
    def is_closed(self) -> bool:
        """Whether the device it was made for is gone."""
        return False

    @abstractmethod
    def run(self, inputs: Sequence[Any]) -> list[Any]:
        """The outputs of the graph for these inputs, in order."""
