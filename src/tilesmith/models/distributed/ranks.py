"""Ranks as threads of one process, of which one runs at a time: it passes on only where it waits for others.

So torch.compile, random numbers and the emulator are never in the hands of two ranks at once. When no rank
can go on any more, that is known at once.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from threading import Condition, Thread
from typing import Any

import numpy as np
import torch

from tilesmith.errors import CollectiveError
from tilesmith.models.executable import ONE_AT_A_TIME

_rank: ContextVar[int | None] = ContextVar("rank of this thread", default=None)


def current_rank() -> int | None:
    """The rank whose code runs, where ranks are threads."""
    return _rank.get()


@dataclass(frozen=True)
class ProcessState:
    """What belongs to the process, and what every rank takes for its own."""

    torch_seed: torch.Tensor
    numpy_seed: Any
    python_seed: Any
    dtype: torch.dtype
    main: Any

    @classmethod
    def now(cls) -> ProcessState:
        return cls(
            torch.get_rng_state(),
            np.random.get_state(),
            random.getstate(),
            torch.get_default_dtype(),
            sys.modules["__main__"],
        )

    def restore(self) -> None:
        torch.set_rng_state(self.torch_seed)
        np.random.set_state(self.numpy_seed)
        random.setstate(self.python_seed)
        torch.set_default_dtype(self.dtype)
        sys.modules["__main__"] = self.main


@dataclass(frozen=True)
class Wait:
    """What a rank waits for, in words and as a question."""

    what: str
    done: Callable[[], bool]


class Ranks:
    """The threads of a run."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._waits: dict[int, Wait] = {}
        self._ended: dict[int, BaseException | None] = {}
        self._results: dict[int, Any] = {}
        self._changed = Condition(ONE_AT_A_TIME)
        self._stuck = False

    def run(self, function: Callable[[int], Any]) -> list[Any]:
        """Call a function once for every rank. The error of a rank ends those that wait for it.

        Settings of the caller, ours and those of torch.compile, are the ranks': new threads have none.
        """
        threads = [
            Thread(target=copy_context().run, args=(self._body, rank, function), daemon=True)
            for rank in range(self.size)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for rank, error in self._ended.items():  # the first to fail: others only waited for it
            if error is not None:
                error.add_note(f"on rank {rank} of {self.size}")
                raise error
        return [self._results[rank] for rank in range(self.size)]

    def wait(self, what: str, done: Callable[[], bool]) -> None:
        """Let others run until `done`. When no rank can go on any more, this raises a CollectiveError."""
        if done():
            self._changed.notify_all()
            return
        rank = current_rank()
        assert rank is not None
        state = ProcessState.now()
        self._waits[rank] = Wait(what, done)
        self._look_around()
        self._changed.wait_for(lambda: done() or self._stuck)
        del self._waits[rank]
        state.restore()
        if not done():
            raise CollectiveError(
                f"rank {rank} waits in {what}, and no rank can go on: {self._others(rank)}",
                remedy="every rank of a group must run the same collectives in the same order",
            )

    def _body(self, rank: int, function: Callable[[int], Any]) -> None:
        _rank.set(rank)
        error: BaseException | None = None
        with self._changed, torch.autograd.set_multithreading_enabled(False):
            state = ProcessState.now()
            try:
                self._results[rank] = function(rank)
            except SystemExit as stop:
                self._results[rank] = None
                error = stop if stop.code else None
            except BaseException as raised:
                error = raised
            state.restore()
            self._ended[rank] = error
            self._look_around()

    def _look_around(self) -> None:
        """Wake those that wait; if that is everybody who has not ended, nobody can go on."""
        idle = len(self._waits) + len(self._ended) == self.size
        self._stuck = self._stuck or (idle and not any(wait.done() for wait in self._waits.values()))
        self._changed.notify_all()

    def _others(self, rank: int) -> str:
        states = []
        for other in range(self.size):
            if other in self._ended:
                error = self._ended[other]
                how = f"failed ({type(error).__name__})" if error is not None else "has ended"
                states.append(f"rank {other} {how}")
            elif other != rank and other in self._waits:
                states.append(f"rank {other} waits in {self._waits[other].what}")
        return ", ".join(states)
