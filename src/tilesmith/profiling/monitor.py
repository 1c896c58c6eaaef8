"""PerformanceMonitor: tells whoever asked about every program, when it has run."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol

from tilesmith.program import Program
from tilesmith.program.executor import RunReport
from tilesmith.program.l1 import Placement
from tilesmith.runtime.device import Device
from tilesmith.runtime.observers import Observer, label, observing


@dataclass(frozen=True)
class ProgramRan:
    """A program has run: what it was called, and what it would take on the chip."""

    name: str
    cycles: int
    microseconds: float


class Handler(Protocol):
    """Something that is told of events."""

    def handle(self, event: ProgramRan) -> None: ...


class PerformanceMonitor(Observer):
    """Inside its block, every program of any device is an event.

    >>> class Printed:
    ...     def handle(self, event):
    ...         print(event.name)
    >>> monitor = PerformanceMonitor()
    >>> monitor.add_observer(Printed())
    >>> monitor.notify(ProgramRan("softmax", 1000, 1.0))
    softmax
    """

    def __init__(self) -> None:
        self.observers: list[Handler] = []
        self._open = ExitStack()

    def add_observer(self, observer: Handler) -> None:
        self.observers.append(observer)

    def notify(self, event: ProgramRan) -> None:
        """Tell every observer."""
        for observer in self.observers:
            observer.handle(event)

    def ran(self, device: Device, program: Program, placement: Placement, report: RunReport) -> None:  # noqa: ARG002
        time = device.arch.microseconds(report.cycles) + report.launch_us
        self.notify(ProgramRan(label() or "program", report.cycles, time))

    def __enter__(self) -> PerformanceMonitor:
        self._open.enter_context(observing(self))
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()
