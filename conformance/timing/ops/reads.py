"""DRAM at its fastest: one core per bank, with large reads."""

from __future__ import annotations

from conformance.timing.ops.plan import Plan, grid
from tilesmith.program import CoreCoord
from tilesmith.runtime import Device

BYTES = 8192
DRAM_ADDRESS = 1 << 21


def dram_read(device: Device, transactions: int) -> float:
    """test_dram_offchip: as many reads of 8 KiB from each bank, by a core of its own."""
    cores = grid(*device.arch.grid)[: device.arch.num_dram_banks]
    plan = Plan(device, cores, traced=True)
    local = device.arch.l1_unreserved_base
    given: dict[CoreCoord, tuple[int, ...]] = {
        core: (transactions, BYTES, local, bank, DRAM_ADDRESS) for bank, core in enumerate(cores)
    }
    plan.reader("../dram.cpp", (1, 0), given)
    return plan.cycles()
