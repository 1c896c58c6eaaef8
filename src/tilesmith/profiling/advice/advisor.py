"""The advisor of a profile: tries the settings of what ran when somebody asks, once."""

from __future__ import annotations

import time
from collections.abc import Sequence

from tilesmith import settings
from tilesmith.profiling.advice.advice import Advice
from tilesmith.profiling.advice.trial import Trial, tried
from tilesmith.progress import tracked

_MOST_TRIALS = 3  # of the things that ran: those that took longest


class Advisor:
    """Advice for what ran, the longest first. Nothing is tried before `advice` is read."""

    def __init__(self, trials: Sequence[tuple[Trial, float]]) -> None:
        self._trials = [trial for trial, _ in sorted(trials, key=lambda pair: -pair[1])[:_MOST_TRIALS]]
        self.known: tuple[Advice, ...] = ()
        self._asked = False

    @property
    def advice(self) -> tuple[Advice, ...]:
        """What helps, the largest saving first; as much as `advice_seconds` has time for."""
        limit = settings.current().advice_seconds
        if not self._asked and limit > 0:
            self._asked = True
            end = time.monotonic() + limit
            found = [
                advice
                for trial in tracked(self._trials, "trying settings")
                if (left := end - time.monotonic()) > 0
                for advice in tried(trial, left)
            ]
            self.known = tuple(sorted(found, key=lambda advice: -advice.saving_us))
        return self.known
