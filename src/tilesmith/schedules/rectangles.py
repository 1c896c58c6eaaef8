"""Products on a rectangle of cores that share both operands: which there are, and how long each should take.

The estimate follows the turns of a core: while the matrix unit works on one block along k, the next is sent
to a row or column by the core that has read it, and the one after is read. While a result leaves, DRAM has
less for reads. It only has to rank them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gcd

from tilesmith.arch import Arch, load_arch
from tilesmith.schedules.cores import Rectangle
from tilesmith.schedules.product import Product, ProductChoice, product_cycles
from tilesmith.schedules.sub_blocks import TILE, sub_block

# Of a core's L1, what the circular buffers of a product may take; tensors lie beside them.
_L1_SHARE = 0.75
# Rectangles whose cores would do so much more than those of the best are not looked at.
_WORSE = 1.3
_DEEPEST = 16
# Tiles of a block that is only a part of a core's work.
_SMALLEST = 16
# Cycles that a read waits behind those of other cores, besides its bytes.
_QUEUE = 275
# How much longer than later ones the first reads take: DRAM brings two turns of all rows and columns at once.
_AT_FIRST = 1.5
# Of a read and a send, which overlap, the share that a turn takes: two turns for both would be a half.
_OVERLAP = 0.65
# Of what DRAM could take, the share it takes when all cores store.
_WRITE_SHARE = 0.8
# The part of such a store that the turns beside it wait for.
_STORE_STALL = 0.5
# Of two things side by side neither quite hides the other, least where they take alike: a norm's exponent.
_SIDE_BY_SIDE = 5
# Links of the NoC beside the banks, which stand in two columns.
_LINKS = 4
# Of what a core can read, what it gets from the L1 of cores that send, too.
_READ_FROM_L1 = 0.6
# How many times as long as its bytes an L1 takes that several cores wait for.
_CROWDED = 2.0
# Sums of a section, in tiles.
_SECTION = 4
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


@lru_cache(maxsize=256)
def ranked_rectangles(product: Product, chip: str) -> tuple[ProductChoice, ...]:
    """The likely fastest first; of equal ones that with the longest rows of cores, of which fewer read x."""
    choices = rectangle_choices(product, load_arch(chip))
    return tuple(sorted(choices, key=lambda one: (one.cycles, -one.mesh.columns if one.mesh else 0)))


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
    timing, sums, tiles = arch.timing, mesh.across * mesh.down, bm * bn
    x = _Shared(bm * bk, product.row_bytes, mesh.columns, mesh.rows)
    weights = _Shared(bn * bk * product.weights, product.weight_bytes, mesh.rows, mesh.columns)
    read, out = _dram(product, (bm, bn, bk), mesh, arch)
    sources = _from_l1(product, x, bk, arch) if product.rows_in_l1 else _along_banks(x, arch)
    fetch = [max(_fetch(x, arch), _latency(arch) + sources), _fetch(weights, arch)]
    send = [_send(x, arch), _send(weights, arch)]
    turn = max(read, *map(_turn, fetch, send))
    work = _work(product, (bm, bn, bk), mesh.steps, arch)
    convert = tiles * product.weights * (_SUM_BYTES / timing.unpack.bytes_per_cycle + timing.pack.start)
    convert += tiles * timing.sfpu.default * (product.operands - 1)
    store = max(tiles * (timing.noc.issue_write + timing.noc.bank_address), out) + _latency(arch)
    start = max(*map(sum, zip(fetch, send, strict=True)), _AT_FIRST * read + _latency(arch))
    each = _beside(mesh.steps * turn, mesh.steps * work + convert) + _STORE_STALL * out
    last = mesh.steps * _beside(turn, work) + convert + store
    return start + (sums - 1) * each + last


@dataclass(frozen=True)
class _Shared:
    """A block of an operand that `cores` share, in each of so many lines of cores."""

    tiles: int
    element_bytes: float
    cores: int
    lines: int

    @property
    def bytes(self) -> float:
        return self.tiles * TILE * TILE * self.element_bytes


def _dram(product: Product, tiles: tuple[int, int, int], mesh: Rectangle, arch: Arch) -> tuple[float, float]:
    """What the banks take to bring the blocks of a turn, and what takes those of a sum to store them."""
    bm, bn, bk = tiles
    dram, banks = arch.timing.dram, arch.num_dram_banks
    row_tile, weight_tile = (TILE * TILE * one for one in (product.row_bytes, product.weight_bytes))
    of_x = _bank_share(product.depth // TILE, bk, banks)
    x = mesh.rows * bm * bk * row_tile
    weights = mesh.columns * bn * bk * product.weights * weight_tile
    read = 0.0 if product.rows_in_l1 else x / (of_x * _bank_rate(dram.read_bytes_by_packet, row_tile))
    read += weights / _bank_rate(dram.read_bytes_by_packet, weight_tile)
    stored = mesh.columns * mesh.rows * bm * bn * row_tile
    if product.results_in_l1:
        return read / banks, stored / (len(arch.l1_banks) * arch.timing.noc.l1_read_bytes)
    taken = _WRITE_SHARE * _bank_rate(dram.write_bytes_by_packet, row_tile)
    return read / banks, stored / (taken * banks)


def _along_banks(x: _Shared, arch: Arch) -> float:
    """The writer's NoC goes along the columns of the banks first, so that all of x comes over their links."""
    return x.lines * x.bytes / (_LINKS * arch.timing.noc.stream_bytes)


def _from_l1(product: Product, x: _Shared, bk: int, arch: Arch) -> float:
    """What x takes from the L1 of all cores, where tiles lie in turn: rows may begin at the same few."""
    banks, rate = len(arch.l1_banks), arch.timing.noc.l1_read_bytes
    asked = min(banks, bk * banks // gcd(product.depth // TILE, banks))
    return max(x.bytes / (_READ_FROM_L1 * rate), _CROWDED * x.lines * x.bytes / (asked * rate))


def _bank_share(depth: int, bk: int, banks: int) -> float:
    """How well reads of x in one turn spread over the banks, by tiles of its depth and of a block's.

    Tiles lie in the banks in turn, row by row. Where rows are a multiple of the banks long, all rows of a
    block begin at the same bank. Half of what that costs is made up for by turns that overlap. Of weights
    cores side by side read blocks side by side.

    >>> _bank_share(32, 2, 8), _bank_share(33, 2, 8)
    (0.5, 1.0)
    """
    return float(min(1.0, bk / gcd(depth, banks)) ** 0.5)


def _bank_rate(rates: Sequence[tuple[int, float]], packet: float) -> float:
    return next((rate for size, rate in rates if packet <= size), rates[-1][1])


def _fetch(operand: _Shared, arch: Arch) -> float:
    """Until a block has been read: to ask for its tiles may take longer than to bring them."""
    noc = arch.timing.noc
    asked = operand.tiles * (noc.issue_read + noc.bank_address)
    return _latency(arch) + max(asked, operand.bytes / noc.l1_read_bytes)


def _send(operand: _Shared, arch: Arch) -> float:
    if operand.cores < 2:
        return 0.0
    return _latency(arch) + operand.bytes / arch.timing.noc.stream_bytes


def _turn(fetch: float, send: float) -> float:
    """One core reads while another sends; a core that shares with none reads every block itself."""
    return max(send, _OVERLAP * (fetch + send)) if send else fetch


def _beside(first: float, second: float) -> float:
    """What two things take that go on side by side.

    >>> round(_beside(100, 100)), round(_beside(100, 50))
    (115, 101)
    """
    longer, shorter = max(first, second), min(first, second)
    return float(longer * (1 + (shorter / longer) ** _SIDE_BY_SIDE) ** (1 / _SIDE_BY_SIDE))


def _work(product: Product, tiles: tuple[int, int, int], steps: int, arch: Arch) -> float:
    """A turn of the matrix unit and the packer, side by side."""
    bm, bn, bk = tiles
    pack, sums = arch.timing.pack, bm * bn
    height, width = sub_block(bm, bn, _SECTION)
    math = sums * bk * product.weights * product_cycles(product, bm, bn, arch)
    again = pack.l1_accumulate_factor if steps > 1 else 1.0
    packed = sums * product.weights * (pack.start + again * _SUM_BYTES / pack.bytes_per_cycle)
    return max(math, packed) + pack.section * sums * product.weights / (height * width)


def _latency(arch: Arch) -> float:
    """From asking a bank to having the answer."""
    noc = arch.timing.noc
    return noc.read_round_trip + noc.hop * sum(arch.noc_grid) / 2 + arch.timing.dram.read_access + _QUEUE
