"""Predicted time of nearest and bilinear grid_sample on the same grids, and what bounds each.

Three set-ups: raw bfloat16 coordinates in DRAM, prepared grids in DRAM, prepared grids in each core's shard.
The clock does not count the RISCs' own arithmetic, which raw coordinates ask for in both modes. With --json
the last line is an object with `rows` and `median_ratio` for each set-up.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.grid_sample.case import Case, Memory, Mode, Size
from benchmarks.grid_sample.run import run_case
from tilesmith.formats import DataFormat
from tilesmith.profiling import recording
from tilesmith.runtime import Device, open_device

SIZES = (
    Size(1, 32, 32, 32, 32, 32),
    Size(1, 64, 64, 32, 96, 96),
    Size(1, 64, 64, 64, 96, 96),
    Size(1, 64, 64, 128, 96, 96),
    Size(1, 64, 64, 256, 64, 96),
    Size(4, 32, 32, 64, 64, 32),
    Size(1, 128, 128, 96, 96, 128),
    Size(1, 48, 160, 256, 64, 100),
    Size(1, 100, 100, 512, 40, 80),
    Size(8, 16, 16, 32, 64, 32),
)


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


def main() -> int:
    options = _options()
    with open_device(options.arch) as device:
        rows = [measure(device, size, setup) for setup in SETUPS for size in SIZES]
    for setup in SETUPS:
        own = [row for row in rows if row.setup == setup]
        ratios = [row.ratio for row in own]
        print(f"{setup}: {min(ratios):.1f} to {max(ratios):.1f} times, {median(ratios):.1f} in the median\n")
        print("\n".join([_HEAD, *map(_line, own), ""]))
    summary = {
        "rows": [{**asdict(row), "ratio": round(row.ratio, 2)} for row in rows],
        "median_ratio": {
            setup: round(median(row.ratio for row in rows if row.setup == setup), 2) for setup in SETUPS
        },
    }
    if options.json:
        print(json.dumps(summary))
    return 0


SETUPS: dict[str, tuple[bool, Memory]] = {
    "raw, in DRAM": (False, "dram"),
    "prepared, in DRAM": (True, "dram"),
    "prepared, in shards": (True, "shards"),
}
_HEAD = """| image | grid | nearest, us | bilinear, us | ratio | nearest is bound by | bilinear is bound by |
|--|--|--|--|--|--|--|"""


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


def _line(row: Row) -> str:
    times = f"{row.nearest.microseconds} | {row.bilinear.microseconds} | {row.ratio:.1f}"
    bounds = f"{row.nearest.bound} | {row.bilinear.bound}"
    return f"| {row.image} | {row.grid} | {times} | {bounds} |"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--arch", default="wormhole")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
