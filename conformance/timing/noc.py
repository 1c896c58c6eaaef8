"""NoC and DRAM: the vendor's data-movement measurements, run again on the emulator."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from pathlib import Path

from conformance.timing.rows import NocRow, Outcome
from tilesmith.program import (
    CoreCoord,
    CoreRange,
    CoreRangeSet,
    DataMovementConfig,
    Kernel,
    Processor,
    Program,
)
from tilesmith.runtime import Device

KERNELS = Path(__file__).parent / "kernels"
CHIPS = {"wormhole": "n150", "blackhole": "p100a"}  # whose boards were measured
DRAM_ADDRESS = 1 << 21


def run_row(device: Device, row: NocRow) -> Outcome:
    """Where the measurement spans several cores, from the first start to the last end; else the mean core."""
    report = device.run(_program(device, row), checks="off", numbers="fast")
    cycles = [zone.end - zone.begin for zone in report.zones]
    predicted = sum(cycles) / len(cycles)
    if row.memory != "l1" and row.cores > 1:
        predicted = max(cycles) + device.arch.timing.dispatch.start_spread_cycles
    return Outcome(row.label, row.taken, row.cycles, predicted, row.group)


def _program(device: Device, row: NocRow) -> Program:
    senders = _senders(device, row)
    args = {core: _arguments(device, row, core, index) for index, core in enumerate(senders)}
    name, words = _kernel(row)
    reads = "from" in row.pattern
    processor = Processor.RISCV_1 if reads else Processor.RISCV_0
    cores = CoreRangeSet([CoreRange(core, core) for core in senders])
    config = DataMovementConfig(processor, row.noc)
    return Program([Kernel(KERNELS / name, cores, config, compile_time_args=words, runtime_args=args)], [])


def _kernel(row: NocRow) -> tuple[str, tuple[int, ...]]:
    if row.mechanism.startswith("multicast"):
        return "multicasts.cpp", ()
    if row.mechanism == "atomic":
        return "atomics.cpp", ()
    reads = "from" in row.pattern
    if row.memory != "l1":
        return "dram.cpp", (int(reads), int(row.memory == "dram_pages"))
    return ("l1_reads.cpp" if reads else "l1_writes.cpp"), (row.stateful,)


def _senders(device: Device, row: NocRow) -> list[CoreCoord]:
    if row.memory != "l1":
        return list(device.arch.grid_range.cores())[: row.cores]
    if row.cores > 1:
        return _grid(device, row.targets)
    if row.pattern == "one_to_row":
        return [CoreCoord(0, 1)]
    if row.pattern == "one_to_column":
        return [CoreCoord(1, 0)]
    if row.pattern == "one_to_grid" and row.targets + 1 < device.arch.num_cores:
        return [CoreCoord(isqrt(row.targets), 0)]  # just right of the square
    return [CoreCoord(0, 0)]


def _grid(device: Device, targets: int) -> list[CoreCoord]:
    side = isqrt(targets)
    if side * side == targets and side <= device.arch.grid.y:
        return list(CoreRange((0, 0), (side - 1, side - 1)).cores())
    return list(device.arch.grid_range.cores())


def _arguments(device: Device, row: NocRow, core: CoreCoord, index: int) -> tuple[int, ...]:
    local = device.arch.l1_unreserved_base
    first = (row.transactions, row.bytes, local)
    if row.memory != "l1":
        start = index % device.arch.num_dram_banks if row.memory == "dram_bank" else index * row.transactions
        return (*first, start, DRAM_ADDRESS)
    targets = _targets(device, row, core)
    if row.mechanism.startswith("multicast"):
        corners = (device.arch.worker_noc_xy(targets[0]), device.arch.worker_noc_xy(targets[-1]))
        return (*first, len(targets), int(row.mechanism == "multicast_linked"), *corners[0], *corners[1])
    return (*first, len(targets), *(word for one in targets for word in device.arch.worker_noc_xy(one)))


def _targets(device: Device, row: NocRow, core: CoreCoord) -> Sequence[CoreCoord]:
    if row.pattern in ("one_from_one", "one_to_one", "adjacent", "other_axis"):
        return [CoreCoord(0, 1) if row.axis == "same" or row.pattern == "adjacent" else CoreCoord(1, 1)]
    if row.pattern == "one_to_row":
        return [CoreCoord(x, 0) for x in range(device.arch.grid.x)]
    if row.pattern == "one_to_column":
        return [CoreCoord(0, y) for y in range(device.arch.grid.y)]
    everyone = row.targets + 1 == device.arch.num_cores
    cores = list(device.arch.grid_range.cores()) if everyone else _grid(device, row.targets)
    return [one for one in cores if one != core] if everyone else cores
