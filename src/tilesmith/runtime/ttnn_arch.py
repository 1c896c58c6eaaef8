"""The Arch of a chip that ttnn has opened: our figures for its family, with the grid it really has."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tilesmith.arch import Arch, arch_names, load_arch
from tilesmith.errors import DeviceError
from tilesmith.program import CoreCoord

# The name under which `open_device` knows the chip that ttnn drives.
TTNN = "ttnn"

_FAMILIES = {"WORMHOLE_B0": "wormhole", "BLACKHOLE": "blackhole"}


def arch_of(ttnn: Any, mesh: Any) -> Arch:
    """Harvested chips differ in their grid, and coordinates on the NoC are the driver's to say."""
    size = mesh.compute_with_storage_grid_size()
    columns = [mesh.worker_core_from_logical_core(ttnn.CoreCoord(x, 0)).x for x in range(size.x)]
    rows = [mesh.worker_core_from_logical_core(ttnn.CoreCoord(0, y)).y for y in range(size.y)]
    base = _nearest(mesh.arch().name, CoreCoord(size.x, size.y), mesh.dram_grid_size().x)
    return replace(
        base,
        name=TTNN,
        grid=CoreCoord(size.x, size.y),
        worker_virtual_columns=tuple(columns),
        worker_virtual_rows=tuple(rows),
    )


def _nearest(chip: str, grid: CoreCoord, dram_banks: int) -> Arch:
    """The product with that grid; where none has it, one with as many DRAM banks."""
    if chip not in _FAMILIES:
        raise DeviceError(f"the chip is a {chip}", remedy="tilesmith knows Wormhole B0 and Blackhole")
    products = [arch for arch in map(load_arch, arch_names()) if arch.family == _FAMILIES[chip]]
    fitting = [arch for arch in products if arch.num_dram_banks == dram_banks]
    if not fitting:
        raise DeviceError(f"the chip is a {_FAMILIES[chip]} with {dram_banks} DRAM banks, as no product has")
    return next((arch for arch in fitting if arch.grid == grid), fitting[0])
