"""Arch: what a chip is, typed. The figures live in wormhole.toml and blackhole.toml, each with its source."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal, cast

from tilesmith import settings
from tilesmith.arch.cores import CoreCoord, CoreRange
from tilesmith.arch.timing import Timing, timing_from_toml
from tilesmith.errors import DeviceError

Family = Literal["wormhole", "blackhole"]
Coordinates = tuple[tuple[int, int], ...]

# Names that leave the chip to the settings.
ANY_CHIP = ("tenstorrent", "tt")

_FILES = {"wormhole": "wormhole.toml", "blackhole": "blackhole.toml"}


@dataclass(frozen=True)
class Arch:
    """One chip of one product.

    >>> n150 = load_arch("n150")
    >>> n150.grid, n150.worker_noc_xy(CoreCoord(0, 0)), n150.l1_size
    (CoreCoord(x=8, y=8), (18, 18), 1499136)
    """

    name: str
    product: str
    family: Family
    grid: CoreCoord
    clock_ghz: float
    noc_grid: tuple[int, int]
    l1_size: int
    l1_unreserved_base: int
    l1_alignment: int
    num_dram_banks: int
    dram_bank_size: int
    dram_reserved: int
    dram_alignment: int
    dram_write_alignment: int
    num_circular_buffers: int
    num_semaphores: int
    max_cb_pages: int
    max_noc_packet: int
    noc_transaction_ids: int
    dst_tiles_16bit_half: int
    dst_tiles_16bit_full: int
    dst_tiles_32bit_half: int
    dst_tiles_32bit_full: int
    worker_virtual_columns: tuple[int, ...]
    worker_virtual_rows: tuple[int, ...]
    worker_physical_columns: tuple[int, ...]
    worker_physical_rows: tuple[int, ...]
    dram_virtual: tuple[Coordinates, Coordinates]
    dram_physical: tuple[Coordinates, Coordinates]
    dram_address_offset: tuple[int, ...]
    timing: Timing

    @property
    def num_cores(self) -> int:
        return self.grid.x * self.grid.y

    @property
    def grid_range(self) -> CoreRange:
        return CoreRange((0, 0), (self.grid.x - 1, self.grid.y - 1))

    @cached_property
    def l1_banks(self) -> tuple[CoreCoord, ...]:
        """The cores that interleaved L1 buffers go round, in bank order."""
        return tuple(self.grid_range.cores())

    def has_core(self, core: CoreCoord) -> bool:
        return 0 <= core.x < self.grid.x and 0 <= core.y < self.grid.y

    def worker_noc_xy(self, core: CoreCoord) -> tuple[int, int]:
        """The coordinates kernels use for a worker; the same on both NoCs."""
        return self.worker_virtual_columns[core.x], self.worker_virtual_rows[core.y]

    def worker_physical_xy(self, core: CoreCoord) -> tuple[int, int]:
        """Where the worker stands on the NoC grid, if the last rows or columns are the ones fused off."""
        return self.worker_physical_columns[core.x], self.worker_physical_rows[core.y]

    def dram_noc_xy(self, bank: int, noc: int = 0) -> tuple[int, int]:
        """The coordinates kernels use for a DRAM bank on the NoC given."""
        return self.dram_virtual[noc][bank]

    def dram_physical_xy(self, bank: int, noc: int = 0) -> tuple[int, int]:
        """Where that endpoint stands on the NoC grid (counted as NoC 0 does)."""
        return self.dram_physical[noc][bank]

    def microseconds(self, cycles: float) -> float:
        """
        >>> load_arch("p150").microseconds(1350)
        1.0
        """
        return cycles / (self.clock_ghz * 1e3)

    def dst_tiles(self, fp32: bool, full_sync: bool) -> int:
        """How many 32x32 tiles a compute kernel may hold in DST at once.

        >>> load_arch("wormhole").dst_tiles(fp32=True, full_sync=False)
        4
        """
        if fp32:
            return self.dst_tiles_32bit_full if full_sync else self.dst_tiles_32bit_half
        return self.dst_tiles_16bit_full if full_sync else self.dst_tiles_16bit_half


def load_arch(name: str) -> Arch:
    """The chip of that family or product name; "tenstorrent" and "tt" mean the chip of the settings.

    >>> load_arch("wormhole").product, load_arch("p100a").num_dram_banks
    ('n150', 7)
    """
    if name in ANY_CHIP:
        name = settings.current().arch
    if name not in _found and name in _finders:
        return _finders[name]()
    return _found.get(name) or _listed_arch(name)


def add_arch(arch: Arch) -> None:
    """Let `load_arch` give a chip that was found only at run time."""
    _found[arch.name] = arch


def add_finder(name: str, find: Callable[[], Arch]) -> None:
    """Let `load_arch` look for a chip that is known only once it is opened."""
    _finders[name] = find


_found: dict[str, Arch] = {}
_finders: dict[str, Callable[[], Arch]] = {}


@cache
def _listed_arch(name: str) -> Arch:
    for family in _FILES:
        data = chip_data(family)
        product = data["default_product"] if name == family else name
        if product in data["products"]:
            return _arch(name, product, data)
    raise DeviceError(f"unknown chip {name!r}", remedy=f"choose one of: {', '.join(arch_names())}")


def arch_names() -> list[str]:
    """Every name `load_arch` takes.

    >>> arch_names()
    ['wormhole', 'n150', 'n300', 'galaxy', 'blackhole', 'p100a', 'p150']
    """
    return [name for family in _FILES for name in (family, *chip_data(family)["products"])]


@cache
def chip_data(family: str) -> Mapping[str, Any]:
    """The TOML file of a family, as read."""
    return tomllib.loads(Path(__file__).with_name(_FILES[family]).read_text(encoding="utf-8"))


def _arch(name: str, product: str, data: Mapping[str, Any]) -> Arch:
    chip, workers, l1, dram = data["chip"], data["workers"], data["l1"], data["dram"]
    options = data["products"][product]
    banks = options["num_dram_banks"]
    return Arch(
        name=name,
        product=product,
        family=cast(Family, data["family"]),
        grid=CoreCoord(*options["compute_grid"]),
        clock_ghz=chip["clock_ghz"],
        noc_grid=(chip["noc_grid"][0], chip["noc_grid"][1]),
        l1_size=l1["size"],
        l1_unreserved_base=_l1_unreserved_base(l1, dram["read_alignment"]),
        l1_alignment=l1["alignment"],
        num_dram_banks=banks,
        dram_bank_size=dram["bank_size"],
        dram_reserved=dram["reserved"],
        dram_alignment=dram["read_alignment"],
        dram_write_alignment=dram["write_alignment"],
        **data["core"],
        worker_virtual_columns=tuple(workers["virtual_columns"]),
        worker_virtual_rows=tuple(workers["virtual_rows"]),
        worker_physical_columns=tuple(workers["physical_columns"]),
        worker_physical_rows=tuple(workers["physical_rows"]),
        dram_virtual=(_pairs(dram["virtual_noc0"], banks), _pairs(dram["virtual_noc1"], banks)),
        dram_physical=(_pairs(dram["physical_noc0"], banks), _pairs(dram["physical_noc1"], banks)),
        dram_address_offset=tuple(dram["address_offset"][:banks]),
        timing=timing_from_toml(data["timing"]),
    )


def _l1_unreserved_base(l1: Mapping[str, int], alignment: int) -> int:
    """As the vendor computes it: after the firmware's map and the kernel configuration, aligned for DRAM."""
    end = l1["map_end"] + l1["kernel_config_size"]
    return -(-end // alignment) * alignment


def _pairs(items: list[list[int]], count: int) -> Coordinates:
    return tuple((x, y) for x, y in items[:count])
