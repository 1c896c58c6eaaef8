"""What transfers cost, handed from the arch data to the runtime."""

from __future__ import annotations

from collections.abc import Sequence

from tilesmith.arch import Arch
from tilesmith.emulator import library

_PASSED_ON = (
    "hop", "read_round_trip", "write_round_trip", "atomic_round_trip", "packet_cycles", "bank_address",
    "multicast_reserve", "multicast_per_hop", "loopback", "stream_bytes", "l1_read_bytes", "router_buffer",
    "convoy_end",
)  # fmt: skip


def noc_timing(arch: Arch) -> library.Timing:
    """The [timing.noc] and [timing.dram] figures of a chip, as the runtime reads them."""
    noc, dram, risc = arch.timing.noc, arch.timing.dram, arch.timing.risc
    return library.Timing(
        issue_read=(noc.issue_read, noc.issue_read_stateful, noc.issue_read_object),
        issue_write=(noc.issue_write, noc.issue_write_stateful, noc.issue_write_object),
        dram_read_access=dram.read_access,
        dram_write_access=dram.write_access,
        max_packet=arch.max_noc_packet,
        cb_operation=risc.l1_load + risc.l1_store,
        semaphore_operation=risc.l1_load,
        noc_width=arch.noc_grid[0],
        noc_height=arch.noc_grid[1],
        dram_read_bytes=_by_packet(dram.read_bytes_by_packet),
        dram_write_bytes=_by_packet(dram.write_bytes_by_packet),
        **{name: getattr(noc, name) for name in _PASSED_ON},
    )


def _by_packet(table: Sequence[tuple[int, float]]) -> library.BytesByPacket:
    slots = library.BytesByPacket()
    for index, (size, rate) in enumerate(table):
        slots.size[index], slots.bytes[index] = size, rate
    return slots
