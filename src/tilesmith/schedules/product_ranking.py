"""How a matrix product is cut into blocks, and which cores share operands: the likely fastest first.

The estimate knows what decides on these chips: how long a core takes to bring its operands, how much all of
them ask of DRAM and of the rings of the NoC, and the matrix unit. It only has to rank them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from tilesmith.arch import Arch, load_arch
from tilesmith.schedules.cores import Mesh
from tilesmith.schedules.product import Product, ProductChoice, product_cycles
from tilesmith.schedules.rectangles import rectangle_choices
from tilesmith.schedules.stationary import stationary_choices
from tilesmith.schedules.sub_blocks import TILE

# Of a core's L1, what the circular buffers of a product may take; tensors lie beside them.
_L1_SHARE = 0.6
# What a block that is sent on waits, in latencies: its own read, and a part of the receivers' readiness.
_HANDSHAKE = 1.25
# Of what a core can read, what it gets from DRAM in blocks of tiles while others read too.
_READ_SHARE = 0.45
_DEEPEST = 768
_WIDEST = 256
# Where blocks may reach beyond the last column they may be wider, so that one for each core is enough.
_WIDEST_ALONE = 320
# Depths that are tried even if the last block reaches beyond the end, where nothing else is stored.
_DEPTHS_ALONE = (128, 256)


@lru_cache(maxsize=256)
def product_choices(product: Product, chip: str) -> tuple[ProductChoice, ...]:
    """Every way worth a look to carry out a product, the likely fastest first."""
    arch = load_arch(chip)
    shared = (*rectangle_choices(product, arch), *stationary_choices(product, arch))
    # Of equal ones, that with the longest rows of cores: fewer of them read what they share.
    choices = (*_choices(product, arch), *shared)
    return tuple(
        sorted(choices, key=lambda choice: (choice.cycles, -choice.mesh.columns if choice.mesh else 0))
    )


def cycles_alone(product: Product, block: tuple[int, int, int], chip: str) -> float:
    """What a product should take whose blocks are counted off to cores, each of which reads its own."""
    rows = -(-product.rows // block[0]) * block[0]
    return _cycles(replace(product, rows=rows), block, None, load_arch(chip))


def _choices(product: Product, arch: Arch) -> Iterator[ProductChoice]:
    for bm in _divisors(product.rows, _WIDEST):
        for bn in _widths(product):
            for bk in _depths(product):
                if _bytes(product, (bm, bn, bk)) > _L1_SHARE * (arch.l1_size - arch.l1_unreserved_base):
                    continue
                block = (bm, bn, bk)
                for mesh in (None, *_meshes(product, bm, bn, arch)):
                    yield ProductChoice(block, mesh, _cycles(product, block, mesh, arch))


def _widths(product: Product) -> list[int]:
    """Widths of blocks: those that divide the columns, and where the last may reach beyond them, any."""
    if not product.ends_alone:
        return _divisors(product.cols, _WIDEST)
    return list(range(TILE, min(product.cols, _WIDEST_ALONE) + 1, TILE))


def _divisors(size: int, most: int) -> list[int]:
    return [block for block in range(TILE, min(size, most) + 1, TILE) if size % block == 0]


def _depths(product: Product) -> list[int]:
    """Even numbers of tiles, if there are any: rows of weights then begin at fewer of the same banks."""
    depths = _divisors(product.depth, _DEEPEST)
    depths = [one for one in depths if one % (2 * TILE) == 0] or depths
    beyond = [one for one in _DEPTHS_ALONE if product.depth_ends_alone and one < product.depth]
    return sorted({*depths, *beyond})


def _meshes(product: Product, bm: int, bn: int, arch: Arch) -> Iterator[Mesh]:
    down, across = product.rows // bm, -(-product.cols // bn)
    if product.batches > 1:
        return
    for columns in range(2, arch.grid.x + 1):
        rows = -(-across // columns)
        exact = columns * rows == across
        if rows * down <= arch.grid.y and (exact or (product.ends_alone and columns * (rows - 1) < across)):
            yield Mesh(columns, rows, down)


def _bytes(product: Product, block: tuple[int, int, int]) -> float:
    bm, bn, bk = block
    loaded = bm * bk * product.row_bytes + product.weights * bn * bk * product.weight_bytes
    return 2 * loaded + bm * bn * (8 * product.weights + 4 * product.operands)


def _cycles(product: Product, block: tuple[int, int, int], mesh: Mesh | None, arch: Arch) -> float:
    bm, bn, bk = block
    timing, down, across = arch.timing, product.rows // bm, -(-product.cols // bn)
    steps = -(-product.depth // bk)
    row_bytes, weight_bytes = (
        bm * bk * product.row_bytes,
        bn * bk * product.weight_bytes * product.weights,
    )
    rate = timing.noc.l1_read_bytes
    wait = _latency(arch)
    blocks = down * across * product.batches
    turns = 1 if mesh else -(-blocks // arch.num_cores)
    tiles = bm * bn * bk // TILE**3 * product.weights
    math = tiles * product_cycles(product, bm // TILE, bn // TILE, arch)
    sums = (
        bm * bn // TILE**2 * product.weights * (timing.pack.start + 8 * TILE**2 / timing.pack.bytes_per_cycle)
    )
    math = max(math, sums)
    weights_read = (
        down * product.batches * product.cols * product.depth * product.weight_bytes * product.weights
    )
    rows_read = blocks * steps * row_bytes
    if mesh is None:
        step = max(2 * wait + (row_bytes + weight_bytes) / rate, math)
        traffic = (weights_read + rows_read) / (arch.grid.x * timing.noc.stream_bytes)
    else:
        sent = _HANDSHAKE * wait + row_bytes / rate + row_bytes / timing.noc.stream_bytes
        step = max(sent, wait + weight_bytes / rate, math)
        rows_read /= mesh.columns
        read = min(arch.grid.x * timing.noc.stream_bytes, blocks * _READ_SHARE * rate)
        traffic = (weights_read + rows_read) / read
    dram = (weights_read + rows_read) / (arch.num_dram_banks * timing.dram.read_bytes_by_packet[-1][1])
    finish = 2 * wait + bm * bn // TILE**2 * timing.sfpu.default * product.operands
    return max(turns * steps * step, traffic, dram) + turns * (steps * wait / 4 + finish) + 2 * step


def _latency(arch: Arch) -> float:
    """From asking a bank to having the answer, when others ask too: twice what one alone would wait."""
    noc = arch.timing.noc
    return 2 * (noc.read_round_trip + noc.hop * sum(arch.noc_grid) / 2 + arch.timing.dram.read_access)
