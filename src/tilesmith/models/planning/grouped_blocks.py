"""Blocks of products of rows with the weights of their groups, for the sizes of a call and a chip."""

from __future__ import annotations

from dataclasses import replace

from tilesmith.arch import Arch
from tilesmith.kernels.grouped_linear import GroupedLinear, Shares
from tilesmith.models.planning.steps import Launch, Template
from tilesmith.models.planning.views import BYTES, TILE, padded

# Of a core's L1, what the buffers of a kernel may take; tensors lie beside them.
_L1_SHARE = 0.75
# Tiles of weights that come at once: enough reads under way to hide how long one takes.
_MOST_TILES = 64
_WIDEST = 8


def grouped_candidates(step: Launch, arch: Arch) -> list[Template]:
    """All cores share the columns, and hold the rows while one group after the other passes by.

    Rows that do not fit are read again for every group, by each core for itself.
    """
    template = step.template
    assert isinstance(template, GroupedLinear)
    rows, cols, depth = (padded(step.numbers[name]) for name in "mnk")
    usual = next(size for size in (4 * TILE, 2 * TILE, TILE) if size <= max(TILE, rows // template.groups))
    room = _L1_SHARE * (arch.l1_size - arch.l1_unreserved_base)
    found: list[Template] = []
    if template.x_access == "block" and step.storages["x"].cols == depth:
        for high in dict.fromkeys((usual, TILE)):
            shared = _shared(template, high, cols, depth, arch)
            if _bytes(shared, step, depth) <= room:
                found.append(shared)
    width = next(width for width in (2 * TILE, TILE) if cols % width == 0)
    deep = _deepest(depth // TILE, _MOST_TILES * TILE // 4 // width)
    return [*found, replace(template, block=(TILE, width, deep * TILE))]


def _shared(template: GroupedLinear, high: int, cols: int, depth: int, arch: Arch) -> GroupedLinear:
    """Blocks of columns for every core, the widest of those that leave the fewest columns to one."""
    cores, tiles = arch.num_cores, cols // TILE
    wide = min(range(1, _WIDEST + 1), key=lambda wide: (-(-tiles // (wide * cores)) * wide, -wide))
    blocks = -(-tiles // wide)
    columns = min(arch.grid.x, blocks)
    down = min(cores // arch.grid.x, -(-blocks // columns))
    shares = Shares(columns, down, -(-blocks // (columns * down)), depth)
    deep = _deepest(depth // TILE, _MOST_TILES // wide)
    return replace(template, block=(high, wide * TILE, deep * TILE), shares=shares)


def _deepest(tiles: int, most: int) -> int:
    return max(part for part in range(1, max(1, most) + 1) if tiles % part == 0)


def _bytes(template: GroupedLinear, step: Launch, depth: int) -> float:
    """What the buffers of a core take: rows once, weights twice, sums and results."""
    high, wide, deep = template.block
    rows = high * depth * BYTES[step.storages["x"].dtype]
    weights = 2 * wide * deep * BYTES[step.storages["w"].dtype]
    return rows + weights + 12 * high * wide * (1 + len(template.epilogue.operands))
