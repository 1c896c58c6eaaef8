"""Who holds which bytes of L1 on which cores while a program runs: circular buffers and tensors."""

from __future__ import annotations

from collections.abc import Mapping

from tilesmith.arch import Arch
from tilesmith.arch.cores import CoreRange, CoreRangeSet
from tilesmith.profiling.model import L1Block
from tilesmith.program import Program
from tilesmith.program.l1 import Placement
from tilesmith.runtime.buffer import Buffer


def l1_blocks(
    arch: Arch, program: Program, placement: Placement, tensors: Mapping[int, Buffer]
) -> tuple[L1Block, ...]:
    """By address. A circular buffer that stands on a tensor takes no bytes of its own."""
    blocks = [
        L1Block(f"CB {', '.join(map(str, cb.indices))}", address, cb.total_size, _areas(cb.core_ranges))
        for cb, address in zip(program.cbs, placement.addresses, strict=True)
        if cb.is_allocated
    ]
    whole = ((0, 0, arch.grid.x - 1, arch.grid.y - 1),)
    for buffer in tensors.values():
        if buffer.num_pages and not buffer.in_dram:
            areas = _areas(CoreRangeSet.from_cores(buffer.spec.shard_cores)) if buffer.is_sharded else whole
            name = f"tensor {list(buffer.spec.shape)} {buffer.spec.dtype.name}"
            blocks.append(L1Block(name, buffer.address, buffer.size_per_bank, areas))
    return tuple(sorted(blocks, key=lambda block: block.address))


def _areas(cores: CoreRangeSet) -> tuple[tuple[int, int, int, int], ...]:
    """Rectangles, both corners included."""
    return tuple(map(_area, cores.ranges))


def _area(area: CoreRange) -> tuple[int, int, int, int]:
    return area.start.x, area.start.y, area.end.x, area.end.y
