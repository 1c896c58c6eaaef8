"""GEMMs too large to run block by block: the same model, linear in the blocks along k and of the output."""

from __future__ import annotations

from dataclasses import replace

from conformance.timing.gemm import GemmRow, emulate
from tilesmith.runtime import Device

FULL_LIMIT = 8_000_000  # products of tiles over all cores that are emulated one by one
K_BLOCKS = (6, 8)
OUTPUT_BLOCKS = (2, 3)


def is_extendable(row: GemmRow) -> bool:
    """Whether the row has more blocks both ways than the runs the form is made from."""
    return not row.sharded and row.blocks > K_BLOCKS[-1] - 1 and row.outer > OUTPUT_BLOCKS[-1]


def extended(device: Device, row: GemmRow) -> float:
    """Cycles of the whole row from four runs of a few blocks each."""
    cycles = {
        (outer, blocks): emulate(device, _part(row, outer, blocks))
        for outer in OUTPUT_BLOCKS
        for blocks in K_BLOCKS
    }

    def along_k(outer: int) -> float:
        few, more = K_BLOCKS
        slope = (cycles[outer, more] - cycles[outer, few]) / (more - few)
        return cycles[outer, few] + slope * (row.blocks - few)

    first, second = OUTPUT_BLOCKS
    return along_k(first) + (along_k(second) - along_k(first)) * (row.outer - first)


def _part(row: GemmRow, outer: int, blocks: int) -> GemmRow:
    return replace(row, k_tiles=blocks * row.k_block, per_core_m=row.block_m, per_core_n=row.block_n * outer)
