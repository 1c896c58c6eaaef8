"""Running a workload while noting what it does."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tilesmith import settings
from tilesmith.arch import Arch, load_arch
from tilesmith.compiler.launch import lent_device
from tilesmith.errors import BadCallError
from tilesmith.formats import DataFormat
from tilesmith.program import Program
from tilesmith.program.executor import RunReport
from tilesmith.program.l1 import Placement
from tilesmith.recording.addresses import bindings_between
from tilesmith.recording.flatten import self_contained
from tilesmith.recording.model import LaunchRecord, Recording
from tilesmith.recording.workload import Workload
from tilesmith.runtime import (
    DRAM_MEMORY_CONFIG,
    L1_MEMORY_CONFIG,
    ROW_MAJOR_LAYOUT,
    Device,
    Tensor,
    open_device,
)
from tilesmith.runtime.buffer import Buffer, Bytes
from tilesmith.runtime.observers import Observer, observing
from tilesmith.runtime.tensor_spec import TensorSpec


@dataclass
class Noted:
    """One launch as it was seen, its addresses plain numbers. `places` are (address, bytes) on a bank."""

    program: Program
    places: dict[int, tuple[int, int]]
    uploads: dict[int, Bytes]
    results: dict[int, Bytes] = field(default_factory=dict)


class Recorder(Observer):
    """Notes the launches of one device and its tensors, but for those that were there before.

    A tensor nobody wrote is filled with zeros before a program runs, so that what comes out is determined.
    """

    def __init__(self, device: Device) -> None:
        self._device = device
        self._ignored = device.buffers()
        self._kept: list[Buffer] = []
        self._known: dict[int, tuple[int, Bytes]] = {}
        self.launches: list[Noted] = []

    @property
    def specs(self) -> list[TensorSpec]:
        return [buffer.spec for buffer in self._kept]

    def running(self, device: Device, program: Program) -> None:
        if device is not self._device:
            return
        noted = Noted(self_contained(program), {}, {})
        for number, buffer in self._buffers():
            if not buffer.times_written:
                buffer.write(np.zeros((buffer.num_pages, buffer.page_size), np.uint8))
            times, pages = self._known.get(number, (0, np.empty(0, np.uint8)))
            if times != buffer.times_written:
                pages = noted.uploads[number] = buffer.read()
            self._known[number] = (buffer.times_written, pages)
            noted.places[number] = (buffer.address, buffer.size_per_bank)
        self.launches.append(noted)

    def ran(self, device: Device, program: Program, placement: Placement, report: RunReport) -> None:  # noqa: ARG002
        if device is not self._device:
            return
        for number, buffer in self._buffers():
            times, before = self._known[number]
            after = buffer.read()
            if not np.array_equal(before, after):
                self.launches[-1].results[number] = after
                self._known[number] = (times, after)

    def _buffers(self) -> list[tuple[int, Buffer]]:
        """Those that hold something, numbered in the order in which they were first seen; they stay alive."""
        known = {id(one) for one in (*self._kept, *self._ignored)}
        self._kept += [one for one in self._device.buffers() if one.num_pages and id(one) not in known]
        return [(number, one) for number, one in enumerate(self._kept) if one.is_allocated]


def record(workload: Workload, arch: str | Arch | None = None) -> Recording:
    """What `workload` does on a chip of the emulator. It runs twice, the second time at other addresses.

    >>> record(Workload("nothing", lambda device: None), "wormhole").launches
    ()
    """
    first = noted_on(workload, arch, shifted=False)
    second = noted_on(workload, arch, shifted=True)
    if first.specs != second.specs or len(first.launches) != len(second.launches):
        raise BadCallError(
            f"{workload.title} did something else when it ran a second time",
            remedy="make what it launches depend on its arguments only",
        )
    launches = tuple(
        LaunchRecord(
            launch.program,
            bindings_between((launch.program, launch.places), (other.program, other.places)),
            launch.uploads,
            launch.results,
        )
        for launch, other in zip(first.launches, second.launches, strict=True)
    )
    chip = arch if isinstance(arch, Arch) else load_arch(arch or settings.current().arch)
    return Recording(workload.title, chip.product, tuple(first.specs), launches)


def noted_on(workload: Workload, arch: str | Arch | None, *, shifted: bool) -> Recorder:
    """Run the workload on a device of its own and note what it does."""
    with open_device(arch) as device:
        ballast = _ballast(device) if shifted else []
        recorder = Recorder(device)
        with observing(recorder), lent_device(device):
            workload.run(device)
        for tensor in ballast:
            tensor.deallocate()
        return recorder


def _ballast(device: Device) -> list[Tensor]:
    """Room taken before the workload starts, so that its tensors lie elsewhere."""
    return [
        device.empty((1, words), DataFormat.UInt32, ROW_MAJOR_LAYOUT, place)
        for place, words in ((DRAM_MEMORY_CONFIG, 97 * 16), (L1_MEMORY_CONFIG, 61 * 16))
    ]
