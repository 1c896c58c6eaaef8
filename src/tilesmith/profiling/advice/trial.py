"""Trials: the settings something has, each tried with the clock and without arithmetic."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tilesmith import settings
from tilesmith.errors import TilesmithError
from tilesmith.profiling.advice.advice import Advice
from tilesmith.runtime.observers import unobserved

_LEAST_GAIN = 0.01  # of the time: what saves less is not worth a line


@dataclass(frozen=True)
class Candidate:
    """Settings that may help, and how to predict the time with them."""

    code: str
    settings: dict[str, Any]
    predicted_us: Callable[[], float] = field(compare=False)
    caution: str = ""


class Trial(ABC):
    """Something that ran, and whose settings can be changed: a model, a kernel, a program."""

    reader: ClassVar[str] = ""
    subject: str

    @property
    @abstractmethod
    def key(self) -> Hashable:
        """Runs of one key are tried once."""

    @abstractmethod
    def predicted_us(self) -> float:
        """The time as it is."""

    @abstractmethod
    def candidates(self) -> Iterator[Candidate]:
        """What to try, the most promising first."""

    def confirmed(self, candidate: Candidate) -> bool:  # noqa: ARG002
        """Whether a candidate that helps still computes the same."""
        return True


def tried(trial: Trial, seconds: float) -> list[Advice]:
    """Every candidate that helps, the largest gain first. Begins nothing after so many seconds.

    What cannot be compiled, does not fit or does not end as before is left out.
    """
    deadline = time.monotonic() + seconds
    with clock_only():
        before = _time(trial.predicted_us)
        if not before:
            return []
        found = []
        for candidate in trial.candidates():
            if time.monotonic() > deadline:
                break
            after = _time(candidate.predicted_us)
            if after and after < (1 - _LEAST_GAIN) * before and trial.confirmed(candidate):
                found.append(_advice(trial, candidate, before, after))
    return sorted(found, key=lambda advice: advice.after_us)


def _advice(trial: Trial, candidate: Candidate, before: float, after: float) -> Advice:
    return Advice(
        trial.reader, trial.subject, candidate.code, before, after, candidate.settings, candidate.caution
    )


def _time(predict: Callable[[], float]) -> float:
    """The predicted time, or 0 where there is none."""
    try:
        return predict()
    except TilesmithError:
        return 0.0


@contextmanager
def clock_only() -> Iterator[None]:
    """Runs inside the block keep time and compute nothing, and no profiler sees them."""
    with unobserved(), settings.using(checks="off", kernel_optimization="0"):
        yield
