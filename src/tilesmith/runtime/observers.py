"""Whoever wants to see what devices do. They see every device of the process while they are added."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from tilesmith.program import Program
from tilesmith.program.executor import RunReport
from tilesmith.program.l1 import Placement
from tilesmith.runtime.allocator import Allocation
from tilesmith.runtime.tensor_spec import TensorSpec

if TYPE_CHECKING:
    from tilesmith.runtime.device import Device


class Observer:
    """Does nothing; profilers override what they want to see."""

    wants_trace = False

    def running(self, device: Device, program: Program) -> None:
        """A program that passed the checks is about to run."""

    def ran(self, device: Device, program: Program, placement: Placement, report: RunReport) -> None:
        """A program has ended, with findings or without."""

    def ran_on_host(self, device: Device | None, name: str, seconds: float) -> None:
        """An operation that has no kernel was computed on the host."""

    def allocated(self, device: Device, spec: TensorSpec, allocation: Allocation) -> None:
        """A tensor has got its memory."""

    def freed(self, device: Device, in_dram: bool, address: int) -> None:
        """A tensor's memory is free again."""


_observers: list[Observer] = []
_hidden: ContextVar[bool] = ContextVar("hidden", default=False)


def observers() -> tuple[Observer, ...]:
    if not _observers or _hidden.get():  # asked several times at every launch, nearly always for nobody
        return ()
    return tuple(_observers)


def trace_wanted() -> bool:
    return any(observer.wants_trace for observer in observers())


@contextmanager
def observing(observer: Observer) -> Iterator[None]:
    """Show `observer` what happens inside the block.

    >>> with observing(Observer()):
    ...     len(observers())
    1
    """
    _observers.append(observer)
    try:
        yield
    finally:
        _observers.remove(observer)


@contextmanager
def unobserved() -> Iterator[None]:
    """No observer sees what happens inside the block.

    >>> with observing(Observer()), unobserved():
    ...     observers()
    ()
    """
    token = _hidden.set(True)
    try:
        yield
    finally:
        _hidden.reset(token)


_names: ContextVar[tuple[str, str]] = ContextVar("label and what it was made for", default=("", ""))


def label() -> str:
    """What the program that runs now is called; empty where nobody named it."""
    return _names.get()[0]


def made_for() -> str:
    """The module and line of a model that the program which runs now was made for; empty without a model."""
    return _names.get()[1]


@contextmanager
def labelled(name: str, made_for: str = "") -> Iterator[None]:
    """Name the programs that run inside the block, for profiles. The outermost name counts.

    >>> with labelled("ttnn.softmax"), labelled("reduce"):
    ...     label()
    'ttnn.softmax'
    """
    label, place = _names.get()
    token = _names.set((label or name, place or made_for))
    try:
        yield
    finally:
        _names.reset(token)


_origin: ContextVar[object] = ContextVar("origin", default=None)


def origin() -> object:
    """What the program that runs now was compiled from; None if its user wrote it as it is."""
    return _origin.get()


@contextmanager
def originating(compiled: object) -> Iterator[None]:
    """Programs inside the block run for `compiled`: a model, or a kernel. The outermost counts.

    >>> with originating("a model"), originating("its kernel"):
    ...     origin()
    'a model'
    """
    token = _origin.set(_origin.get() or compiled)
    try:
        yield
    finally:
        _origin.reset(token)
