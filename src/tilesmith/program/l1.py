"""Where circular buffers stand in L1: bottom-up as declared, each at one address on all its cores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilesmith.arch.cores import CoreCoord
from tilesmith.program.circular_buffer import CircularBuffer
from tilesmith.program.program import Program

if TYPE_CHECKING:
    from tilesmith.arch import Arch


@dataclass(frozen=True)
class Placement:
    """`addresses[i]` is the L1 address of `program.cbs[i]`; `cbs_on[core]` lists the indices i on a core.

    Every core that has a kernel or a circular buffer has an entry.
    """

    addresses: tuple[int, ...]
    cbs_on: Mapping[CoreCoord, tuple[int, ...]]
    end: Mapping[CoreCoord, int]

    @property
    def top(self) -> int:
        """One past the highest byte any program-allocated circular buffer takes."""
        return max(self.end.values(), default=0)


def layout_l1(program: Program, arch: Arch, l1_floor: int | None = None) -> Placement:
    """Place every circular buffer of a program.

    >>> from tilesmith.arch import load_arch
    >>> layout_l1(Program(), load_arch("wormhole")).addresses
    ()
    """
    floor = arch.l1_unreserved_base if l1_floor is None else l1_floor
    end: dict[CoreCoord, int] = dict.fromkeys(program.cores, floor)
    addresses: list[int] = []
    cbs_on: dict[CoreCoord, list[int]] = {core: [] for core in program.cores}
    for index, cb in enumerate(program.cbs):
        cores = cb.core_ranges.cores()
        for core in cores:
            cbs_on.setdefault(core, []).append(index)
        if cb.buffer is not None:
            addresses.append(_on_buffer(cb))
            continue
        # The vendor aligns to DRAM's alignment, so that pages can be read from DRAM into any CB.
        address = _align(max((end.get(core, floor) for core in cores), default=floor), arch.dram_alignment)
        addresses.append(address)
        for core in cores:
            end[core] = address + cb.total_size
    return Placement(tuple(addresses), {core: tuple(cbs) for core, cbs in cbs_on.items()}, end)


def rebind(placement: Placement, program: Program) -> Placement:
    """The same layout for another call: circular buffers that stand on tensors follow them."""
    if all(cb.buffer is None for cb in program.cbs):
        return placement
    addresses = tuple(
        old if cb.buffer is None else _on_buffer(cb)
        for old, cb in zip(placement.addresses, program.cbs, strict=True)
    )
    return Placement(addresses, placement.cbs_on, placement.end)


def _on_buffer(cb: CircularBuffer) -> int:
    assert cb.buffer is not None
    return cb.buffer.address + cb.address_offset


def _align(value: int, alignment: int) -> int:
    return -(-value // alignment) * alignment
