"""Predicted time of nearest and bilinear grid_sample on the same grids, and what bounds each.

Three set-ups: raw bfloat16 coordinates in DRAM, prepared grids in DRAM, prepared grids in each core's shard.
The clock does not count the RISCs' own arithmetic, which raw coordinates ask for in both modes. With --json
the last line is an object with `rows` and `median_ratio` for each set-up.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conformance.grid_sample.case import Size
from conformance.grid_sample.predicted_time import SETUPS, Row, measure

from tilesmith.runtime import open_device

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


_HEAD = """| image | grid | nearest, us | bilinear, us | ratio | nearest is bound by | bilinear is bound by |
|--|--|--|--|--|--|--|"""


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
