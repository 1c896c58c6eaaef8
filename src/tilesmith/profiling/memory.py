"""MemoryProfiler: L1 and DRAM over time, their peaks, and which tensor or circular buffer held what."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from types import TracebackType

from tilesmith.profiling.host import HostFigures, HostMeter
from tilesmith.program import Program
from tilesmith.program.executor import RunReport
from tilesmith.program.l1 import Placement
from tilesmith.runtime.allocator import Allocation
from tilesmith.runtime.device import Device
from tilesmith.runtime.observers import Observer, label, made_for, observing
from tilesmith.runtime.tensor_spec import TensorSpec
from tilesmith.units import readable


@dataclass(frozen=True)
class MemorySample:
    """Bytes held after one event: of all DRAM banks together, and of L1 on the fullest core."""

    microseconds: float
    event: str
    dram: int
    l1: int


@dataclass(frozen=True)
class BufferLife:
    """A buffer, the samples between which it lived, and where it was made. `freed` is -1 while it lives."""

    name: str
    memory: str
    size: int
    allocated: int
    freed: int
    declared_at: str


@dataclass(frozen=True)
class MemoryReport:
    """What `MemoryProfiler.get_report` gives. Sizes are bytes; those of L1 are of one core."""

    dram_capacity: int
    l1_capacity: int
    samples: tuple[MemorySample, ...]
    buffers: tuple[BufferLife, ...]
    host: HostFigures | None = None
    """What the host took, where no device took part: for eager models and the backend "cpu"."""

    @property
    def peak_dram(self) -> int:
        return max((sample.dram for sample in self.samples), default=0)

    @property
    def peak_l1(self) -> int:
        return max((sample.l1 for sample in self.samples), default=0)

    def at_peak(self, memory: str) -> list[BufferLife]:
        """The buffers of "DRAM" or "L1" that were there at its peak, the largest first."""
        peak = self.peak_dram if memory == "DRAM" else self.peak_l1
        held = [one.dram if memory == "DRAM" else one.l1 for one in self.samples]
        at = held.index(peak) if held else 0
        there = [
            buffer
            for buffer in self.buffers
            if buffer.memory == memory and buffer.allocated <= at and not 0 <= buffer.freed <= at
        ]
        return sorted(there, key=lambda one: -one.size)

    def __str__(self) -> str:
        if self.host is not None:
            return str(self.host)
        lines = []
        for memory, peak, capacity in (
            ("DRAM", self.peak_dram, self.dram_capacity),
            ("L1", self.peak_l1, self.l1_capacity),
        ):
            each = " of the fullest core" if memory == "L1" else ""
            lines.append(f"{memory}{each}: {readable(peak)} of {readable(capacity)} at its peak")
            lines += [
                f"  {readable(buffer.size):>10}  {buffer.name}  {buffer.declared_at}"
                for buffer in self.at_peak(memory)
            ]
        return "\n".join(lines)


class MemoryProfiler(Observer, AbstractContextManager["MemoryProfiler"]):
    """Watches the memory of every device inside its block; where there is none, measures that of the host.

    >>> from tilesmith.runtime import open_device
    >>> with open_device("n150") as device, MemoryProfiler() as profiler:
    ...     tensor = device.empty((64, 64))
    >>> profiler.get_report().peak_dram
    24576
    """

    def __init__(self) -> None:
        self._microseconds = 0.0
        self._samples: list[MemorySample] = []
        self._lives: list[BufferLife] = []
        self._open: dict[tuple[int, bool, int], int] = {}  # device, in DRAM, address -> its life
        self._devices: dict[int, Device] = {}
        self._observing = observing(self)
        self._host: HostMeter | None = None

    def __enter__(self) -> MemoryProfiler:
        self._host = HostMeter()
        self._observing.__enter__()
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._observing.__exit__(exc_type, error, trace)
        if self._host is not None:
            self._host.stop()

    def get_report(self) -> MemoryReport:
        """What was seen so far."""
        chips = [device.arch for device in self._devices.values()]
        return MemoryReport(
            dram_capacity=sum(one.num_dram_banks * one.dram_bank_size for one in chips),
            l1_capacity=max((one.l1_size - one.l1_unreserved_base for one in chips), default=0),
            samples=tuple(self._samples),
            buffers=tuple(self._lives),
            host=self._host.figures() if self._host is not None and not chips else None,
        )

    # ---- what devices tell ----

    def allocated(self, device: Device, spec: TensorSpec, allocation: Allocation) -> None:
        self._meet(device)
        in_dram = spec.memory_config.in_dram
        self._hold(
            device, in_dram, allocation.address, allocation.size, allocation.name, allocation.declared_at
        )
        self._sample(f"{allocation.name} allocated")

    def freed(self, device: Device, in_dram: bool, address: int) -> None:
        life = self._open.pop((id(device), in_dram, address), None)
        if life is not None:
            self._lives[life] = replace(self._lives[life], freed=len(self._samples))
            self._sample(f"{self._lives[life].name} freed")

    def ran(self, device: Device, program: Program, placement: Placement, report: RunReport) -> None:
        """Circular buffers take L1 while their program runs, and give it back."""
        self._meet(device)
        name, place = label() or "program", made_for()
        keys = []
        for cb, address in zip(program.cbs, placement.addresses, strict=True):
            if cb.is_allocated:
                indices = ", ".join(map(str, cb.indices))
                self._hold(
                    device, False, address, cb.total_size, f"CB {indices} of {name}", place or cb.declared_at
                )
                keys.append((id(device), False, address))
        self._sample(f"{name} runs")
        self._microseconds += device.arch.microseconds(report.cycles)
        for key in keys:
            life = self._open.pop(key)
            self._lives[life] = replace(self._lives[life], freed=len(self._samples))
        self._sample(f"{name} ended")

    # ---- keeping book ----

    def _meet(self, device: Device) -> None:
        """What a device held before the profiler saw it counts from its first sample on."""
        if id(device) in self._devices:
            return
        self._devices[id(device)] = device
        for buffer in device.buffers():
            if buffer.num_pages:
                name = f"tensor {list(buffer.spec.shape)} {buffer.spec.dtype.name}"
                self._hold(
                    device, buffer.in_dram, buffer.address, buffer.size_per_bank, name, buffer.declared_at
                )

    def _hold(
        self, device: Device, in_dram: bool, address: int, per_bank: int, name: str, declared_at: str
    ) -> None:
        if (id(device), in_dram, address) in self._open:
            return
        size = per_bank * device.arch.num_dram_banks if in_dram else per_bank
        self._open[id(device), in_dram, address] = len(self._lives)
        memory = "DRAM" if in_dram else "L1"
        self._lives.append(BufferLife(name, memory, size, len(self._samples), -1, declared_at))

    def _sample(self, event: str) -> None:
        live = [self._lives[index] for index in self._open.values()]
        dram = sum(one.size for one in live if one.memory == "DRAM")
        l1 = sum(one.size for one in live if one.memory == "L1")
        self._samples.append(MemorySample(self._microseconds, event, dram, l1))
