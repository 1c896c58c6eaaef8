"""Predicted time of both modes of grid_sample on one grid, and what bounds each."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.grid_sample.case import Case, Memory, Mode, Size
from conformance.grid_sample.run import run_case
from tilesmith.formats import DataFormat
from tilesmith.profiling import recording
from tilesmith.runtime import Device

SETUPS: dict[str, tuple[bool, Memory]] = {
    "raw, in DRAM": (False, "dram"),
    "prepared, in DRAM": (True, "dram"),
    "prepared, in shards": (True, "shards"),
}


@dataclass(frozen=True)
class Timing:
    """One call: microseconds, and what it waits for."""

    microseconds: float
    bound: str


@dataclass(frozen=True)
class Row:
    """Both modes on one grid."""

    image: str
    grid: str
    setup: str
    nearest: Timing
    bilinear: Timing

    @property
    def ratio(self) -> float:
        return self.bilinear.microseconds / self.nearest.microseconds


def measure(device: Device, size: Size, setup: str) -> Row:
    """Both modes, the image in DRAM."""
    image = f"{size.images} x {size.height} x {size.width} x {size.channels}"
    grid = f"{size.images} x {size.grid_height} x {size.grid_width}"
    return Row(image, grid, setup, *(_time(device, size, setup, mode) for mode in ("nearest", "bilinear")))


def _time(device: Device, size: Size, setup: str, mode: Mode) -> Timing:
    prepared, memory = SETUPS[setup]
    case = Case(size, mode, prepared=prepared, grid_type=DataFormat.Float16_b, grid_memory=memory)
    with recording(f"grid_sample {mode}") as recorded:
        run_case(device, case)
    program = recorded.profile.programs[-1]
    return Timing(round(program.microseconds, 1), program.bound.sentence)
