"""Windows over images in tiles: which rows of the image a block needs, and how the work is cut.

The estimate follows the steps of a core: while the matrix unit works on the patches of one tap, the next are
copied within L1, and the weights after them are sent. It only has to rank.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tilesmith.arch import Arch
from tilesmith.kernels.convolution import Convolution, Windowed
from tilesmith.kernels.halo import Cores, Halo, HaloConvolution, HaloWindowed
from tilesmith.models.planning.steps import Launch
from tilesmith.models.planning.views import BYTES, TILE, padded
from tilesmith.schedules.product import Product, product_cycles

# Of a core's L1, what the circular buffers may take; tensors lie beside them.
_L1_SHARE = 0.7
_HIGHEST = 16
_DEEPEST = 16
# Steps whose products are added up before they go to L1; each needs circular buffers of its own.
_TOGETHER = 4
# What each operand of the epilogue costs a tile, and what roles wait for each other in a step.
_FINISH, _STEP = 250, 700
_SUM_BYTES = 4 * TILE * TILE
# What a tile of the halo and the start of a block cost, in copies within L1.
_LOADED, _STARTED = 8, 60


def halo_template(
    step: Launch, arch: Arch, fidelity: str, weights: str = ""
) -> HaloConvolution | HaloWindowed | None:
    """The template that does the work of a launch on an image in tiles; None if there is none.

    `weights` is the dtype they will lie in, if another than that of the image.
    """
    template = step.template
    if not _is_plain(step.numbers) or template.tensors[0].dtype not in ("bfloat16", "float32"):
        return None
    if isinstance(template, Convolution) and not template.sparse:
        return _convolution(step, template, arch, fidelity, weights)
    return _windowed(step, template, arch) if isinstance(template, Windowed) else None


def _is_plain(numbers: Mapping[str, int]) -> bool:
    """Whether pixels lie one behind the other, and count once."""
    lines = numbers["pitch"] == numbers["width"] and numbers["step"] == 1 and numbers["x_row"] == 0
    whole = numbers["area"] == numbers["height"] * numbers["width"]
    return lines and whole and (numbers["zoom_h"], numbers["zoom_w"]) == (1, 1)


# ---- rows ----


def halo_of(numbers: Mapping[str, int], rows: int, blocks: int, clamped: bool = False) -> Halo | None:
    """The halo of blocks of so many rows; None if later windows may begin before earlier ones."""
    same = numbers["out_width"] == numbers["width"] and numbers["out_area"] == numbers["area"]
    if same and (numbers["stride_h"], numbers["stride_w"]) == (1, 1) and not clamped:
        first, last = (_shift(numbers, tap) for tap in (0, numbers["taps"] - 1))
        before, after = -(min(first, 0) // TILE), -(-max(last, 0) // TILE)
        return Halo(before + rows // TILE + after, before, shifts=True)
    lines = np.arange(rows * blocks)
    # Where a tap is beyond the border, the pixel that is taken for it lies between these two.
    starts, ends = (_source(numbers, lines, tap).reshape(blocks, rows) for tap in (0, numbers["taps"] - 1))
    if (starts < starts[:, :1]).any():
        return None
    tops = ends.max(axis=1) // TILE
    tiles = int((tops - np.maximum(starts[:, 0], 0) // TILE).max()) + 1
    return Halo(tiles, 0, shifts=False)


def _shift(numbers: Mapping[str, int], tap: int) -> int:
    down, across = divmod(tap, numbers["taps_w"])
    down, across = down * numbers["dil_h"] - numbers["pad_h"], across * numbers["dil_w"] - numbers["pad_w"]
    return down * numbers["width"] + across


def _source(numbers: Mapping[str, int], lines: Any, tap: int) -> Any:
    """The row under a tap of each window, inside the image or not."""
    image, inner = np.divmod(lines, numbers["out_area"])
    y, x = np.divmod(inner, numbers["out_width"])
    rows = image * numbers["area"] + y * numbers["stride_h"] * numbers["width"] + x * numbers["stride_w"]
    return rows + _shift(numbers, tap)


# ---- convolutions ----


@dataclass(frozen=True)
class _Choice:
    template: HaloConvolution
    cycles: float


def _convolution(
    step: Launch, template: Convolution, arch: Arch, fidelity: str, weights: str
) -> HaloConvolution | None:
    choices = list(_choices(step, template, arch, _product(step, template, fidelity, weights)))
    return min(choices, key=lambda one: one.cycles).template if choices else None


def _choices(step: Launch, template: Convolution, arch: Arch, product: Product) -> Iterator[_Choice]:
    numbers = step.numbers
    down, across, depth = padded(numbers["m"]) // TILE, padded(numbers["n"]) // TILE, numbers["depth"] // TILE
    room = _L1_SHARE * (arch.l1_size - arch.l1_unreserved_base)
    for wide in (one for one in range(1, min(arch.grid.x, across) + 1) if across % one == 0):
        each = arch.grid.x // wide
        for bm in range(1, _HIGHEST + 1):
            blocks = -(-down // bm)
            turns = -(-blocks // (each * arch.grid.y))
            mesh = Cores(each * wide, -(-blocks // (each * turns)), wide, turns)
            halo = halo_of(numbers, bm * TILE, each * mesh.rows * turns)
            if halo is None:
                continue
            for bk in (one for one in range(1, min(depth, _DEEPEST) + 1) if depth % one == 0):
                cut = HaloConvolution(
                    template.epilogue,
                    (bm * TILE, across // wide * TILE, bk * TILE),
                    mesh,
                    halo,
                    numbers["depth"],
                    numbers["taps"],
                    template.dtype,
                )
                for together in range(1, _TOGETHER + 1):
                    for whole in _holding(replace(cut, together=together), product, room):
                        yield _Choice(whole, _cycles(product, whole, arch))


def _holding(cut: HaloConvolution, product: Product, room: float) -> Iterator[HaloConvolution]:
    """The template with as many channels held at a time as fit into L1, and with those of one step.

    Pixels with the channels of one step lie one behind the other: all under a tap are one copy.
    """
    steps = cut.depth // cut.block[2]
    wanted = (1,) if cut.loads_each_step else (part for part in range(1, steps + 1) if steps % part == 0)
    for parts in wanted:
        whole = cut if parts == 1 else replace(cut, channels=cut.depth // parts)
        if cut.taps * steps // parts % cut.together == 0 and _bytes(product, whole) <= room:
            yield whole
            if parts != steps and cut.taps % cut.together == 0:
                yield replace(cut, channels=cut.block[2])
            return


def _product(step: Launch, template: Convolution, fidelity: str, weights: str) -> Product:
    numbers, size = step.numbers, BYTES[template.dtype]
    held = BYTES[weights] if weights and template.dtype == "bfloat16" else size
    rows, cols, depth = padded(numbers["m"]), padded(numbers["n"]), numbers["depth"] * numbers["taps"]
    return Product(rows, cols, depth, 1, 1, size, held, len(template.epilogue.operands), fidelity, True)


def _bytes(product: Product, template: HaloConvolution) -> float:
    """What is held twice and once in row-major order, patches as they lie and in tiles, weights, results."""
    bm, bn, bk = (size // TILE for size in template.block)
    held = 3 * template.halo.tiles * (template.held // TILE)
    tiles = held + template.together * 3 * bm * bk + 2 * bm * bn * product.operands
    weights = template.together * 3 * bk * bn * product.weight_bytes
    return TILE * TILE * (tiles * product.row_bytes + weights) + bm * bn * _SUM_BYTES


def _cycles(product: Product, template: HaloConvolution, arch: Arch) -> float:
    """The steps of a turn: copies, compute and what is sent go on side by side; its ends do not."""
    bm, bn, bk = (size // TILE for size in template.block)
    timing, mesh = arch.timing, template.mesh
    tile_bytes = TILE * TILE * product.row_bytes
    steps = template.taps * template.depth // TILE // bk
    wait = timing.noc.read_round_trip + timing.noc.hop * sum(arch.noc_grid) / 2 + timing.dram.read_access
    dram = 0.65 * arch.num_dram_banks * timing.dram.read_bytes_by_packet[-1][1]
    at_once = template.depth if template.loads_each_step else template.held
    cores, halo_tiles = mesh.columns * mesh.rows, template.halo.tiles * at_once // TILE
    load = 2 * wait + halo_tiles * tile_bytes * max(cores / dram, 1 / timing.noc.l1_read_bytes)
    moved = bm * bk * tile_bytes / timing.noc.l1_read_bytes
    gather = wait / 2 + max(_copies(template) * timing.noc.issue_read, moved)
    repack = timing.pack.start + timing.pack.section + tile_bytes / timing.pack.bytes_per_cycle
    sums = timing.pack.start + timing.pack.l1_accumulate_factor * _SUM_BYTES / timing.pack.bytes_per_cycle
    pack = bm * bk * repack + bm * bn * sums / template.together
    unpack = bm * bk * (timing.unpack.tilize_start + tile_bytes / timing.unpack.tilize_bytes)
    math = bm * bn * bk * product_cycles(product, bm, bn, arch)
    sent = 2 * wait + bk * bn * TILE * TILE * product.weight_bytes / timing.noc.stream_bytes
    stored = bm * bn * (_FINISH * product.operands + tile_bytes * cores / dram)
    work = max(gather, pack, unpack + math)
    if template.loads_each_step:
        # The writer brings pixels and weights, one after the other.
        loop = load + steps * (2 * wait + sent + work) + halo_tiles * repack
        load, halo_tiles = 0.0, 0
    else:
        loop = steps * max(work, sent) + steps / template.together * _STEP
    # Every core that will send weights asks for its first block at once, and half of them for the same one.
    start = 2 * cores * template.together * bk * bn * TILE * TILE * product.weight_bytes / dram
    held = template.depth // at_once * (load + halo_tiles * repack + gather)
    return start + mesh.turns * (held + loop + stored + wait)


def _copies(template: HaloConvolution) -> int:
    """Of the pixels under one tap: rows of pixels in float32 stay in tiles, of sixteen elements each."""
    bm, _, bk = (size // TILE for size in template.block)
    if template.dtype != "bfloat16":
        return bm * bk * (2 * 4 if template.halo.shifts else 2 * TILE)
    return 1 if template.halo.shifts and template.held == template.block[2] else bm * TILE


# ---- channel by channel ----


def _windowed(step: Launch, template: Windowed, arch: Arch) -> HaloWindowed | None:
    """Blocks as wide as before, and as high as takes the least copies in all turns."""
    numbers, (_, wide) = step.numbers, template.block
    wide = min(wide, padded(numbers["n"]))
    if 2 * -(-numbers["m"] // TILE) * -(-padded(numbers["n"]) // wide) <= arch.num_cores:
        wide = TILE
    room = _L1_SHARE * (arch.l1_size - arch.l1_unreserved_base)
    size = BYTES[template.dtype] * TILE * TILE
    best: tuple[float, HaloWindowed] | None = None
    for high in range(1, _HIGHEST + 1):
        down, across = -(-numbers["m"] // (high * TILE)), -(-padded(numbers["n"]) // wide)
        halo = halo_of(numbers, high * TILE, down, clamped=template.operation == "max")
        tiles = (halo.tiles if halo else 0) + (6 + 2 * len(template.epilogue.operands)) * high
        if halo is None or tiles * (wide // TILE) * size > room:
            continue
        copies = (
            numbers["taps"] * high * (2 * 4 if halo.shifts else 2 * TILE) + _LOADED * halo.tiles + _STARTED
        )
        turns = -(-down * across // arch.num_cores)
        if best is None or turns * copies < best[0]:
            block = (high * TILE, wide)
            best = (
                turns * copies,
                HaloWindowed(
                    template.operation, template.epilogue, block, halo, numbers["taps"], template.dtype
                ),
            )
    return None if best is None else best[1]
