"""One emulated chip: its memories as numpy arrays, and runs of loaded programs."""

from __future__ import annotations

import ctypes as c
import gc
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tilesmith.arch import Arch
from tilesmith.emulator import library
from tilesmith.emulator.engine_timing import install_engine_timing
from tilesmith.emulator.loading import LoadedProgram, core_index
from tilesmith.emulator.noc_timing import noc_timing
from tilesmith.errors import DeviceError
from tilesmith.program import CoreCoord, Program
from tilesmith.program.executor import LiveBuffer
from tilesmith.program.trace import EVENT, Trace, Work

# Just below the memory programs may use, where the vendor keeps a kernel's configuration: 16 semaphores of
# 16 bytes, and the two kinds of runtime arguments of five roles.
_SEMAPHORE_BYTES = 16 * 16
_ARGUMENT_BYTES = 2 * 5 * 4096
_NUMBERS = ("chip", "fast", "none")  # as the runtime counts them


class Machine:
    """Memories of a chip and the runtime's handle to them. Memory that is never touched costs nothing."""

    def __init__(self, arch: Arch) -> None:
        self.arch = arch
        self._functions = library.runtime().functions
        install_engine_timing(self._functions, arch)
        config = _config(arch)
        self.handle: int | None = self._functions.tsh_machine_new(c.byref(config))
        if not self.handle:  # chips that nobody holds may wait for the garbage collector
            gc.collect()
            self.handle = self._functions.tsh_machine_new(c.byref(config))
        if not self.handle:
            raise DeviceError(
                "there is no room for another emulated chip in this process",
                remedy="close devices that are no longer used: each takes address space below 4 GiB",
            )
        self._dram: dict[int, NDArray[np.uint8]] = {}

    def l1(self, core: CoreCoord) -> NDArray[np.uint8]:
        pointer = self._functions.tsh_l1(self.handle, core_index(core, self.arch))
        return _view(pointer, self.arch.l1_size)

    def dram(self, bank: int) -> NDArray[np.uint8]:
        # Every upload and download asks for every bank: making the view costs more than copying a few tiles.
        view = self._dram.get(bank)
        if view is None:
            view = _view(self._functions.tsh_dram(self.handle, bank), self.arch.dram_bank_size)
            self._dram[bank] = view
        return view

    def note_host_write(self, core: int, address: int, size: int) -> None:
        """These bytes of L1 count as initialised."""
        self._functions.tsh_note_host_write(self.handle, core, address, size)

    def note_host_dram_write(self, bank: int, address: int, size: int) -> None:
        self._functions.tsh_note_host_dram_write(self.handle, bank, address, size)

    def run(self, loaded: LoadedProgram, program: Program, options: library.RunOptions) -> library.RunResult:
        result = library.RunResult()
        arguments = loaded.arguments(program)
        self._functions.tsh_run(loaded.handle, c.byref(options), arguments, c.byref(result))
        return result

    def snapshot(self, loaded: LoadedProgram) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Of the last run: cycles, waited and work of every fiber, and the counters of every kernel."""
        times = np.empty((len(loaded.fibers), 2 + len(Work)), np.uint64)
        counters = np.empty((len(loaded.kernel_names), len(library.COUNTERS)), np.uint64)
        self._functions.tsh_snapshot(loaded.handle, times.ctypes.data, counters.ctypes.data)
        return times, counters

    def trace(self, loaded: LoadedProgram) -> Trace:
        """What the last run recorded, handed over: a second call finds nothing."""
        events, files, dropped = c.c_uint64(), c.c_uint64(), c.c_uint64()
        self._functions.tsh_trace_size(loaded.handle, c.byref(events), c.byref(files), c.byref(dropped))
        recorded = np.empty(events.value, EVENT)
        names = (c.c_char_p * files.value)()
        self._functions.tsh_trace_take(loaded.handle, recorded.ctypes.data, names)
        return Trace(
            recorded, tuple((name or b"").decode("utf-8", "replace") for name in names), dropped.value
        )

    def report(self, loaded: LoadedProgram) -> str:
        text: bytes = self._functions.tsh_report(loaded.handle)
        return text.decode("utf-8", "replace")

    def close(self) -> None:
        if self.handle:
            self._functions.tsh_machine_free(self.handle)
            self.handle = None
            self._dram.clear()


def run_options(
    *,
    checks: bool,
    numbers: str,
    seed: int,
    step_limit: int,
    stuck_seconds: float,
    allocations: Sequence[LiveBuffer],
    constants: Sequence[int] = (),
    trace: bool = False,
    clock: bool = True,
    threads: int = 1,
) -> library.RunOptions:
    """Options of one run. `constants` are the compile-time arguments, which may name tensors in L1."""
    array = (library.Allocation * len(allocations))(
        *(
            library.Allocation(
                *(
                    allocation.address,
                    allocation.size,
                    allocation.in_dram,
                    allocation.page_size,
                    allocation.pages,
                    allocation.written,
                ),
                any(
                    allocation.address <= value < allocation.address + allocation.size for value in constants
                ),
            )
            for allocation in allocations
        )
    )
    return library.RunOptions(
        checks=checks,
        numbers=_NUMBERS.index(numbers),
        seeded=seed != 0,
        seed=seed,
        step_limit=step_limit,
        stuck_seconds=stuck_seconds,
        allocations=array,
        allocation_count=len(allocations),
        trace=trace,
        clock=clock,
        threads=threads,
    )


def _view(pointer: int, size: int) -> NDArray[np.uint8]:
    return np.ctypeslib.as_array(c.cast(pointer, c.POINTER(c.c_uint8)), (size,))


def _config(arch: Arch) -> library.MachineConfig:
    cores = [CoreCoord(x, y) for y in range(arch.grid.y) for x in range(arch.grid.x)]
    workers = [coordinate for core in cores for coordinate in arch.worker_noc_xy(core)]
    places = [coordinate for core in cores for coordinate in arch.worker_physical_xy(core)]
    banks = (library.BankConfig * arch.num_dram_banks)()
    for index, bank in enumerate(banks):
        for noc in (0, 1):
            bank.noc_x[noc], bank.noc_y[noc] = arch.dram_noc_xy(index, noc)
            bank.physical_x[noc], bank.physical_y[noc] = arch.dram_physical_xy(index, noc)
        bank.address_offset = arch.dram_address_offset[index]
    return library.MachineConfig(
        grid_x=arch.grid.x,
        grid_y=arch.grid.y,
        l1_size=arch.l1_size,
        l1_unreserved_base=arch.l1_unreserved_base,
        semaphore_base=arch.l1_unreserved_base - _SEMAPHORE_BYTES,
        argument_base=arch.l1_unreserved_base - _SEMAPHORE_BYTES - _ARGUMENT_BYTES,
        num_dram_banks=arch.num_dram_banks,
        dram_bank_size=arch.dram_bank_size,
        l1_alignment=arch.l1_alignment,
        dram_read_alignment=arch.dram_alignment,
        dram_write_alignment=arch.dram_write_alignment,
        l1_cached=arch.family == "blackhole",
        worker_noc_xy=(c.c_uint32 * len(workers))(*workers),
        worker_physical_xy=(c.c_uint32 * len(places))(*places),
        dram_banks=banks,
        timing=noc_timing(arch),
    )
