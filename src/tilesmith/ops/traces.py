"""Traces: programs noted while they run, and run again in the same order on the same memory."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import count
from weakref import WeakKeyDictionary

from tilesmith.ops.checks import fatal
from tilesmith.ops.device import MeshDevice
from tilesmith.program import Program
from tilesmith.runtime import Device
from tilesmith.runtime.observers import Observer, observing

MeshTraceId = int
Step = Callable[[], object]


class _Capture(Observer):
    """Notes what runs on one device."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.steps: list[Step] = []
        self.seen: AbstractContextManager[None] | None = None

    def running(self, device: Device, program: Program) -> None:
        if device is self.device:
            self.steps.append(lambda: device.run(program))


class _Traces:
    """Of one device: those that are complete, and the one that is being captured."""

    def __init__(self) -> None:
        self.numbers = count()
        self.complete: dict[int, list[Step]] = {}
        self.open: tuple[int, _Capture] | None = None


_traces: WeakKeyDictionary[Device, _Traces] = WeakKeyDictionary()


def _of(device: MeshDevice) -> _Traces:
    return _traces.setdefault(device.device, _Traces())


def begin_trace_capture(device: MeshDevice, *, cq_id: int | None = None) -> MeshTraceId:
    """Note every program from now on. They run as usual, so that shapes and memory are known."""
    traces = _of(device)
    fatal(traces.open is None, "Cannot begin trace capture while another capture is in progress")
    capture = _Capture(device.device)
    capture.seen = observing(capture)
    capture.seen.__enter__()
    number = next(traces.numbers)
    traces.open = (number, capture)
    return number


def end_trace_capture(device: MeshDevice, trace_id: MeshTraceId, *, cq_id: int | None = None) -> None:
    """The trace is complete."""
    traces = _of(device)
    fatal(traces.open is not None and traces.open[0] == trace_id, f"Trace {trace_id} is not being captured")
    assert traces.open is not None
    capture = traces.open[1]
    traces.open = None
    assert capture.seen is not None
    capture.seen.__exit__(None, None, None)
    traces.complete[trace_id] = capture.steps


def execute_trace(
    device: MeshDevice, trace_id: MeshTraceId, *, cq_id: int | None = None, blocking: bool = True
) -> None:
    """Run the programs of a trace again, in their order, on the tensors they had."""
    traces = _of(device)
    fatal(trace_id in traces.complete, f"Trace instance {trace_id} must exist on device")
    fatal(traces.open is None, "Cannot execute a trace while another is being captured")
    for step in traces.complete[trace_id]:
        step()


def release_trace(device: MeshDevice, trace_id: MeshTraceId) -> None:
    """Forget a trace."""
    _of(device).complete.pop(trace_id, None)


def captured(device: Device, step: Step) -> None:
    """Note a step on the host, where a trace is being captured."""
    traces = _traces.get(device)
    if traces is not None and traces.open is not None:
        traces.open[1].steps.append(step)
