"""Recording: every program that runs on any device while a recorder is on, with its profile."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from weakref import WeakKeyDictionary

from tilesmith.arch import Arch
from tilesmith.profiling.advice import Advisor, ProgramTrial, Trial
from tilesmith.profiling.analyse import analyse, program_name
from tilesmith.profiling.memory import MemoryProfiler
from tilesmith.profiling.model import Accuracy, ProgramProfile
from tilesmith.profiling.report import Profile
from tilesmith.profiling.timeline import MOST_INTERVALS
from tilesmith.program import Program
from tilesmith.program.executor import RunReport
from tilesmith.program.l1 import Placement
from tilesmith.runtime.buffer import Buffer
from tilesmith.runtime.device import Device
from tilesmith.runtime.observers import Observer, label, made_for, observing, origin

_LEAST_INTERVALS = 5_000  # of the timeline of any program


class Recorder(Observer):
    """Makes a profile of every run. Real chips bring no trace: their runs are left out, and counted."""

    wants_trace = True

    def __init__(self, title: str = "") -> None:
        self.title = title
        self.untraced = 0
        self._on_host: list[str] = []
        self._programs: list[ProgramProfile] = []
        self._arch: Arch | None = None
        self._numbers: WeakKeyDictionary[Buffer, int] = WeakKeyDictionary()
        self._next = 1
        self._memory = MemoryProfiler()
        self._trials: dict[Hashable, tuple[Trial, float]] = {}

    @property
    def profile(self) -> Profile:
        """What was recorded so far."""
        return Profile.of(
            self.title,
            self._arch,
            tuple(self._programs),
            self._memory.get_report(),
            self.untraced,
            tuple(self._on_host),
            Advisor(list(self._trials.values())),
        )

    def note_accuracy(self, buffer: Buffer, pcc: float, wanted: float) -> None:
        """Keep how well a result agrees with its reference, beside the program that ran last."""
        if self._programs:
            last = self._programs[-1]
            told = Accuracy(self._number(buffer), wanted, pcc)
            self._programs[-1] = last.with_accuracy(told)

    def ran(self, device: Device, program: Program, placement: Placement, report: RunReport) -> None:
        self._arch = self._arch or device.arch
        if report.trace is None:
            self.untraced += 1
            return
        held = {self._number(buffer): buffer for buffer in device.buffers()}
        # Recordings of many programs stay small: the later ones are drawn more coarsely.
        most = max(_LEAST_INTERVALS, MOST_INTERVALS // (len(self._programs) + 1))
        seen = analyse(label(), device.arch, program, placement, report, held, most)
        trial = self._trial(device, program, report)
        self._programs.append(
            replace(seen, launched_ns=time.time_ns(), made_for=made_for(), reader=trial.reader)
        )

    def _trial(self, device: Device, program: Program, report: RunReport) -> Trial:
        """What can be tried of what this program came from, with the time it took so far."""
        compiled = origin()
        trial = (
            compiled
            if isinstance(compiled, Trial)
            else ProgramTrial(label() or program_name(program), device.arch, program, report.cycles)
        )
        known, spent = self._trials.get(trial.key, (trial, 0.0))
        self._trials[trial.key] = (known, spent + device.arch.microseconds(report.cycles))
        return trial

    def ran_on_host(self, device: Device | None, name: str, seconds: float) -> None:  # noqa: ARG002
        self._on_host.append(name)

    def _number(self, buffer: Buffer) -> int:
        if buffer not in self._numbers:
            self._numbers[buffer] = self._next
            self._next += 1
        return self._numbers[buffer]


@contextmanager
def recording(title: str = "") -> Iterator[Recorder]:
    """Profile everything that runs inside the block.

    >>> from tilesmith.runtime import open_device
    >>> from tilesmith.program import Program
    >>> with recording() as recorder, open_device("n150") as device:
    ...     report = device.run(Program())
    >>> len(recorder.profile.programs)
    1
    """
    recorder = Recorder(title)
    with recorder._memory, observing(recorder):
        yield recorder
