"""What a device needs of whatever runs its programs, and what a run tells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tilesmith.arch import Arch
from tilesmith.program import CoreCoord, Program
from tilesmith.program.findings import Finding
from tilesmith.program.l1 import Placement
from tilesmith.program.trace import Trace, Work


class LiveBuffer(NamedTuple):
    """Memory that is allocated during a run; `size` is that on every bank or core.

    Pages of `page_size` bytes go round the banks; sharded tensors have none that do. `written` is the address
    of a byte for each page, set when a kernel writes to it; 0 where nobody keeps count.
    """

    in_dram: bool
    address: int
    size: int
    page_size: int = 0
    pages: int = 0
    written: int = 0


@dataclass(frozen=True)
class ByteRange:
    """Bytes of a DRAM bank, or of a core's L1."""

    in_dram: bool
    bank: int | CoreCoord
    address: int
    size: int


def _anything(_ranges: Sequence[ByteRange]) -> bool:
    return True


@dataclass(frozen=True)
class RunOptions:
    """How to run. `allocations` are all live buffers.

    `is_element` says whether elements of tensors depend on some bytes, or only their padding.
    """

    checks: Literal["on", "off"] = "on"
    numbers: Literal["chip", "fast", "none"] = "chip"
    seed: int = 0
    allocations: Sequence[LiveBuffer] = ()
    trace: bool = False
    suppress: tuple[str, ...] = ()
    is_element: Callable[[Sequence[ByteRange]], bool] = _anything


@dataclass(frozen=True)
class RoleTime:
    """How long one role of one core ran, in cycles, how much of that it waited, and what the rest went to."""

    core: CoreCoord
    role: str
    kernel: str
    cycles: int
    waited: int
    work: tuple[int, ...] = (0,) * len(Work)


@dataclass(frozen=True)
class ZoneTime:
    """A zone the kernel marked: `DeviceZoneScopedN("name")`."""

    name: str
    role: RoleTime
    begin: int
    end: int


@dataclass(frozen=True)
class Printed:
    """One DPRINT."""

    core: CoreCoord
    role: str
    text: str


@dataclass(frozen=True)
class KernelTraffic:
    """What one kernel moved, over all its cores."""

    name: str
    noc_reads: int
    noc_writes: int
    read_bytes: int
    written_bytes: int
    dram_read_bytes: int
    dram_written_bytes: int
    multicasts: int
    multicast_bytes: int
    atomics: int
    tile_products: int = 0
    matmul_cycles: int = 0


@dataclass(frozen=True)
class RunReport:
    """What a run showed. `suppressed` was found and not raised. Lists per core are made when asked for.

    >>> from tilesmith import CoreCoord, Kernel, Program, ReaderConfig, SourceType, open_device
    >>> kernel = Kernel("void kernel_main() {}", CoreCoord(0, 0), ReaderConfig(), SourceType.SOURCE_CODE)
    >>> with open_device("wormhole") as device:
    ...     device.run(Program(kernels=(kernel,))).suppressed
    ()
    """

    findings: tuple[Finding, ...] = ()
    suppressed: tuple[Finding, ...] = ()
    cycles: int = 0
    steps: int = 0
    details: Callable[[], dict[str, Any]] = field(default=dict, repr=False)
    trace: Trace | None = field(default=None, repr=False)
    launch: Callable[[], float] = field(default=float, repr=False)

    @cached_property
    def launch_us(self) -> float:
        """Dispatch, on top of the kernels' cycles, when programs follow each other."""
        return self.launch()

    @cached_property
    def _lists(self) -> dict[str, Any]:
        return self.details()

    @property
    def roles(self) -> list[RoleTime]:
        return list(self._lists.get("roles", ()))

    @property
    def zones(self) -> list[ZoneTime]:
        return list(self._lists.get("zones", ()))

    @property
    def prints(self) -> list[Printed]:
        return list(self._lists.get("prints", ()))

    @property
    def traffic(self) -> list[KernelTraffic]:
        return list(self._lists.get("traffic", ()))


class Executor(Protocol):
    """Runs programs on one chip and shows its memories."""

    arch: Arch

    def dram(self, bank: int) -> NDArray[np.uint8]:
        """The bank's bytes; writing to the array writes to the bank."""

    def l1(self, core: CoreCoord) -> NDArray[np.uint8]:
        """The core's L1, likewise."""

    def note_host_write(
        self, memory: Literal["dram", "l1"], index: int | CoreCoord, address: int, size: int
    ) -> None:
        """The host has written these bytes through a view: they count as initialised."""

    def begin(self, options: RunOptions) -> None:
        """Start what takes long before any program is known, beside what the caller goes on to do."""

    def build(self, programs: Sequence[Program], options: RunOptions) -> None:
        """Compile the kernels of programs that will run with these options, where that is quicker at once."""

    def run(self, program: Program, placement: Placement, options: RunOptions) -> RunReport:
        """Run to the end. Findings are in the report; the device decides what to raise."""

    def close(self) -> None:
        """Give the memories back; nothing may be used afterwards."""
