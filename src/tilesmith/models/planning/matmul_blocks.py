"""How a matrix product is cut into blocks, and which cores share operands: the likely fastest first.

The estimate knows what decides on these chips: how long a core takes to bring its operands, how much all of
them ask of DRAM and of the rings of the NoC, and the matrix unit. It only has to rank them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from tilesmith.arch import Arch, load_arch
from tilesmith.kernels.linear import Linear, Mesh, Rectangle, Stationary
from tilesmith.models.planning.rectangles import product_cycles, rectangle_choices
from tilesmith.models.planning.stationary import stationary_choices
from tilesmith.models.planning.steps import Launch
from tilesmith.models.planning.views import BYTES, TILE, padded

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


@dataclass(frozen=True)
class Product:
    """The sizes of a product: `rows` of each batch, in whole tiles."""

    rows: int
    cols: int
    depth: int
    batches: int
    weights: int
    row_bytes: float
    weight_bytes: float
    operands: int
    fidelity: str
    ends_alone: bool
    """Whether blocks may reach beyond the last column, since nothing else is stored there."""
    rows_end_alone: bool = False
    """The same of the last row."""
    shares_weights: bool = True
    """Whether all batches have the same."""
    depth_ends_alone: bool = False
    """Whether blocks may reach beyond the end of what is added up: there both operands read zeros."""

    @staticmethod
    def of(step: Launch, fidelity: str) -> Product:
        template = step.template
        assert isinstance(template, Linear)
        numbers = step.numbers
        cols = padded(numbers["n"])
        results = [step.storages[result.out.name] for result in template.epilogue.results]
        return Product(
            padded(numbers["m"]),
            cols,
            padded(numbers["k"]),
            numbers["nb1"] * numbers["nb2"],
            template.weights,
            BYTES[step.storages["x"].dtype] * (3 if template.dtype == "int8" else 1),  # split in two
            BYTES[step.storages["w0"].dtype],
            len(template.epilogue.operands),
            fidelity,
            all(storage.cols == cols for storage in results),
            all(
                storage.rows == padded(numbers["m"]) * numbers["nb1"] * numbers["nb2"] for storage in results
            ),
            not any(
                numbers.get(f"w{number}_{stride}{batch}", 0)
                for number in range(template.weights)
                for stride in ("row", "col")
                for batch in (1, 2)
            ),
            _depth_ends_alone(step, template),
        )


def _depth_ends_alone(step: Launch, template: Linear) -> bool:
    """Whether both operands end where their tensors do: a block beyond reads nothing but zeros."""
    if template.x_access != "block" or template.dtype == "int8":
        return False
    weights = (step.storages[f"w{number}"] for number in range(template.weights))
    ends = [one.cols if template.transposed else one.rows for one in weights]
    x = step.storages["x"]
    ends.append(x.rows if template.x_transposed else x.cols)
    return all(end == padded(step.numbers["k"]) for end in ends)


def product_candidates(step: Launch, arch: Arch, fidelity: str) -> list[Linear]:
    """The template of a launch with other blocks, by how long each should take."""
    template = step.template
    assert isinstance(template, Linear)
    return list(_templates(template, Product.of(step, fidelity), arch.product))


@lru_cache(maxsize=256)
def _templates(template: Linear, product: Product, chip: str) -> tuple[Linear, ...]:
    """Thousands, so that the equal layers of a model share them."""
    choices = _ranked(product, chip)
    if template.x_access != "block" or template.x_transposed:
        choices = [one for one in choices if one.mesh is None]
    return tuple(replace(template, block=one.block, mesh=one.mesh) for one in choices)


@dataclass(frozen=True)
class _Choice:
    block: tuple[int, int, int]
    mesh: Mesh | Rectangle | Stationary | None
    cycles: float


@lru_cache(maxsize=256)
def _ranked(product: Product, chip: str) -> list[_Choice]:
    arch = load_arch(chip)
    meshes = [_Choice(one.block, one.mesh, one.cycles) for one in rectangle_choices(product, arch)]
    meshes += [_Choice(one.block, one.mesh, one.cycles) for one in stationary_choices(product, arch)]
    # Of equal ones, that with the longest rows of cores: fewer of them read what they share.
    return sorted(
        [*_choices(product, arch), *meshes],
        key=lambda one: (one.cycles, -one.mesh.columns if one.mesh else 0),
    )


def _choices(product: Product, arch: Arch) -> Iterator[_Choice]:
    for bm in _divisors(product.rows, _WIDEST):
        for bn in _widths(product):
            for bk in _depths(product):
                if _bytes(product, (bm, bn, bk)) > _L1_SHARE * (arch.l1_size - arch.l1_unreserved_base):
                    continue
                block = (bm, bn, bk)
                for mesh in (None, *_meshes(product, bm, bn, arch)):
                    yield _Choice(block, mesh, _cycles(product, block, mesh, arch))


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
