"""Products on a rectangle of cores that share both operands: which there are, and how long each should take.

The estimate follows the turns of a core: while the matrix unit works on one block along k, the next is read
by one core and sent to its row or column. It only has to rank them.
"""

from __future__ import annotations

from collections.abc import Iterator

from tilesmith.arch import Arch
from tilesmith.compiler.analysis.tile_geometry import TILE
from tilesmith.schedules.cores import Rectangle
from tilesmith.schedules.product import Product, ProductChoice, product_cycles

# Of a core's L1, what the circular buffers of a product may take; tensors lie beside them.
_L1_SHARE = 0.75
# Rectangles whose cores would do so much more than those of the best are not looked at.
_WORSE = 1.3
_DEEPEST = 16
# Tiles of a block that is only a part of a core's work.
_SMALLEST = 16
# What a turn waits besides its bytes, in latencies: receivers say that they have room, senders that it came.
_HANDSHAKE = 1.1
_SUM_BYTES = 4 * TILE * TILE


def rectangle_choices(product: Product, arch: Arch) -> Iterator[ProductChoice]:
    """Every rectangle worth a look, with the blocks that fit into L1."""
    if product.batches > 1 and not product.shares_weights:
        return
    depth, each = product.depth // TILE, product.rows // TILE
    for columns, rows, wide, high in _rectangles(product, arch):
        for bm, bn in _core_blocks(high, wide):
            if product.batches > 1 and each % bm:
                continue
            for bk in _depths(depth):
                choice = (bm * TILE, bn * TILE, bk * TILE)
                if rectangle_bytes(product, choice) <= _L1_SHARE * (arch.l1_size - arch.l1_unreserved_base):
                    batch = each // bm if product.batches > 1 else 0
                    mesh = Rectangle(columns, rows, wide // bn, high // bm, depth // bk, batch)
                    yield ProductChoice(choice, mesh, _cycles(product, choice, mesh, arch))


def _rectangles(product: Product, arch: Arch) -> list[tuple[int, int, int, int]]:
    """Columns and rows of cores, and the tiles each has across and down; no result beside it is touched."""
    across, down = product.cols // TILE, product.rows // TILE * product.batches
    found: dict[tuple[int, int], tuple[int, int, int, int]] = {}
    for columns in range(1, arch.grid.x + 1):
        for rows in range(1, arch.grid.y + 1):
            wide, high = -(-across // columns), -(-down // rows)
            used = -(-across // wide), -(-down // high)
            exact = (wide * used[0] == across or product.ends_alone) and (
                high * used[1] == down or product.rows_end_alone
            )
            if exact and used != (1, 1) and used not in found:
                found[used] = (*used, wide, high)
    least = min((wide * high for _, _, wide, high in found.values()), default=0)
    return [one for one in found.values() if one[2] * one[3] <= _WORSE * least]


def _core_blocks(high: int, wide: int) -> Iterator[tuple[int, int]]:
    """A core's tiles at once, or in equal parts one way or both."""
    for bm in range(1, high + 1):
        for bn in range(1, wide + 1):
            if high % bm == 0 and wide % bn == 0 and (bm * bn >= _SMALLEST or (bm, bn) == (high, wide)):
                yield bm, bn


def _depths(depth: int) -> list[int]:
    return [bk for bk in range(1, min(depth, _DEEPEST) + 1) if depth % bk == 0]


def rectangle_bytes(product: Product, block: tuple[int, int, int]) -> float:
    """Blocks of both operands three times (two in use, one staged), sums and results."""
    bm, bn, bk = block
    loaded = bm * bk * product.row_bytes + product.weights * bn * bk * product.weight_bytes
    return 3 * loaded + bm * bn * (4 * product.weights + 2 + 4 * (product.operands - 1))


def _cycles(product: Product, block: tuple[int, int, int], mesh: Rectangle, arch: Arch) -> float:
    bm, bn, bk = (size // TILE for size in block)
    timing, blocks = arch.timing, mesh.across * mesh.down
    wait, tiles = _latency(arch), bm * bn
    x_bytes = bm * bk * TILE * TILE * product.row_bytes
    w_bytes = bn * bk * TILE * TILE * product.weight_bytes * product.weights
    math = tiles * bk * product.weights * product_cycles(product, bm, bn, arch)
    again = timing.pack.l1_accumulate_factor if mesh.steps > 1 else 1.0
    pack = tiles * product.weights * (timing.pack.start + again * _SUM_BYTES / timing.pack.bytes_per_cycle)
    sent = _HANDSHAKE * wait + max(_sent(x_bytes, mesh.columns, arch), _sent(w_bytes, mesh.rows, arch))
    read = (mesh.rows * x_bytes + mesh.columns * w_bytes) / _dram_rate(arch)
    turn = max(math, pack, sent, read) + wait / 4
    convert = tiles * product.weights * (_SUM_BYTES / timing.unpack.bytes_per_cycle + timing.pack.start)
    convert += tiles * timing.sfpu.default * (product.operands - 1)
    written = mesh.columns * mesh.rows * tiles * TILE * TILE * product.row_bytes / (_dram_rate(arch) / 2)
    start = 2 * wait + max(x_bytes, w_bytes) / timing.noc.l1_read_bytes
    # The first blocks of the next sum are sent while the result of the one before is made and leaves.
    return blocks * (mesh.steps * turn + convert + wait) + start + written


def _sent(block_bytes: float, cores: int, arch: Arch) -> float:
    return block_bytes / arch.timing.noc.stream_bytes if cores > 1 else 0.0


def _dram_rate(arch: Arch) -> float:
    """What all cores together get from interleaved DRAM, in bytes per cycle."""
    return 0.65 * arch.num_dram_banks * arch.timing.dram.read_bytes_by_packet[-1][1]


def _latency(arch: Arch) -> float:
    """From asking a bank to having the answer."""
    noc = arch.timing.noc
    return noc.read_round_trip + noc.hop * sum(arch.noc_grid) / 2 + arch.timing.dram.read_access + 200
