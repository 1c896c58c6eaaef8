"""DRAM at its fastest: one core per bank, with large reads."""

from __future__ import annotations

from conformance.timing.ops.plan import Plan, grid
from tilesmith.arch import Arch
from tilesmith.program import CoreCoord
from tilesmith.runtime import Device

BYTES = 8192
DRAM_ADDRESS = 1 << 21


def _next_to_banks(arch: Arch) -> list[CoreCoord]:
    """For each bank the free core that is the fewest hops behind it as NoC 0 runs: right, then down."""
    free = grid(*arch.grid)
    chosen = []
    for bank in range(arch.num_dram_banks):
        x, y = arch.dram_physical_xy(bank)
        place = {core: arch.worker_physical_xy(core) for core in free}
        hops = {
            core: (there[0] - x) % arch.noc_grid[0] + (there[1] - y) % arch.noc_grid[1]
            for core, there in place.items()
        }
        chosen.append(min(free, key=lambda core: hops[core]))
        free.remove(chosen[-1])
    return chosen


def dram_read(device: Device, transactions: int) -> float:
    """The vendor's DRAM benchmark: reads of 8 KiB from each bank by a core of its own, next to it."""
    cores = _next_to_banks(device.arch)
    plan = Plan(device, cores, traced=True)
    local = device.arch.l1_unreserved_base
    given: dict[CoreCoord, tuple[int, ...]] = {
        core: (transactions, BYTES, local, bank, DRAM_ADDRESS) for bank, core in enumerate(cores)
    }
    plan.reader("../dram.cpp", (1, 0), given)
    return plan.cycles()
