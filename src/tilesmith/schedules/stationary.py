"""Products whose weights stay in L1: every core has rows of its own, and all columns.

Rows are many and weights few, as those of pixels are: what takes time is to bring rows and to store results.
"""

from __future__ import annotations

from collections.abc import Iterator

from tilesmith.arch import Arch
from tilesmith.schedules.cores import Stationary
from tilesmith.schedules.product import Product, ProductChoice, product_cycles
from tilesmith.schedules.sub_blocks import TILE

# Of a core's L1, what the circular buffers may take; tensors lie beside them.
_L1_SHARE = 0.5
_SUM_BYTES = 4 * TILE * TILE
_HIGHEST = 16
# The cores that read weights for their rows stand in one column: all of it comes over two links.
_LINKS = 2


def stationary_choices(product: Product, arch: Arch) -> Iterator[ProductChoice]:
    """Blocks of rows that fit beside all weights."""
    down, across, depth = (size // TILE for size in (product.rows, product.cols, product.depth))
    if product.batches > 1 or not product.ends_alone or down < arch.num_cores:
        return
    room = _L1_SHARE * (arch.l1_size - arch.l1_unreserved_base)
    for bm in range(1, _HIGHEST + 1):
        blocks = -(-down // bm)
        turns = -(-blocks // arch.num_cores)
        rows = -(-blocks // (turns * arch.grid.x))
        exact = bm * turns * rows * arch.grid.x == down
        if _bytes(product, bm, across, depth) <= room and (exact or product.rows_end_alone):
            mesh = Stationary(arch.grid.x, rows, turns)
            block = (bm * TILE, product.cols, product.depth)
            yield ProductChoice(block, mesh, _cycles(product, (bm, across, depth), mesh, arch))


def _bytes(product: Product, bm: int, across: int, depth: int) -> float:
    """Weights, rows twice, further operands twice, sums, results twice."""
    weights = 2 * product.weights * across * depth * product.weight_bytes
    rows = 2 * bm * (depth + product.operands * across) * product.row_bytes
    return (weights + rows) * TILE * TILE + product.weights * bm * across * _SUM_BYTES


def _cycles(product: Product, block: tuple[int, int, int], mesh: Stationary, arch: Arch) -> float:
    """Rows are read, multiplied and stored side by side; the first read and the last store are not."""
    bm, across, depth = block
    timing, tiles = arch.timing, bm * across
    tile_bytes = TILE * TILE * product.row_bytes
    wait = timing.noc.read_round_trip + timing.noc.hop * sum(arch.noc_grid) / 2 + timing.dram.read_access
    dram = 0.65 * arch.num_dram_banks * timing.dram.read_bytes_by_packet[-1][1]
    cores = mesh.columns * mesh.rows
    issue = timing.noc.issue_read + timing.noc.bank_address
    each = max(issue, tile_bytes / timing.noc.l1_read_bytes, cores * tile_bytes / dram)
    read = 2 * wait + (bm * depth + tiles * (product.operands - 2)) * each
    written = wait + tiles * max(
        timing.noc.issue_write + timing.noc.bank_address, 2 * cores * tile_bytes / dram
    )
    unpack = _SUM_BYTES / timing.unpack.bytes_per_cycle
    unpack += (product.operands - 1) * max(tile_bytes, 2048) / timing.unpack.both_bytes_per_cycle
    multiply = depth * product_cycles(product, bm, across, arch) * product.weights
    pack = timing.pack.start + _SUM_BYTES / timing.pack.bytes_per_cycle
    compute = tiles * (multiply + max(unpack, pack) + timing.pack.section)
    held = across * depth * TILE * TILE * product.weight_bytes * product.weights
    start = 4 * wait + (1 + mesh.rows / _LINKS) * held / timing.noc.stream_bytes
    return start + read + mesh.turns * max(read, written, compute) + written
