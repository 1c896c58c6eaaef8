"""A matrix product by its sizes, a choice of how to carry it out, and what two of its tiles take."""

from __future__ import annotations

from dataclasses import dataclass

from tilesmith.arch import Arch
from tilesmith.schedules.cores import Cores
from tilesmith.schedules.sub_blocks import TILE, sub_block

# Tiles of DST that sums of a section take.
_SLOTS = 4


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
    rows_in_l1: bool = False
    """Whether rows lie in the L1 of all cores, not in DRAM. Only the estimate of rectangles knows."""
    results_in_l1: bool = False
    """The same of what is stored."""


@dataclass(frozen=True)
class ProductChoice:
    """Blocks of a product and the cores that share its operands, with an estimate of what it takes."""

    block: tuple[int, int, int]
    mesh: Cores | None
    cycles: float


def product_cycles(product: Product, rows: int, columns: int, arch: Arch) -> float:
    """What a product of two tiles takes in a block of rows x columns, by math or by unpacking."""
    timing = arch.timing
    height, width = sub_block(rows, columns, _SLOTS)
    left, right = product.row_bytes * TILE * TILE, product.weight_bytes * TILE * TILE
    if width >= height:
        unpack = height * (left + width * right) / timing.unpack.matmul_srca_bytes
    else:
        unpack = width * (right + height * left) / timing.unpack.matmul_srcb_bytes
    phases, overhead = timing.fpu.phases[product.fidelity], timing.fpu.matmul_overhead[product.fidelity]
    return max(unpack / (height * width), timing.fpu.matmul_per_phase * phases + overhead)
