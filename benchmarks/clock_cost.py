"""What the virtual clock costs: the GEMM benchmark with the clock on, over the same with the clock off.

    python benchmarks/clock_cost.py [--json] [--rounds 12]

Calls alternate, so that a slow minute of the machine hits both; the best of each counts. Checks are off.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

import tilesmith as ts
from benchmarks.gemm import tilesmith_matmul as matmul
from tilesmith import settings

SIZE = 1024


def ratio(run: Callable[[], object], rounds: int) -> float:
    """CPU seconds with the clock on, over those with it off."""
    best = {"on": float("inf"), "off": float("inf")}
    for _ in range(rounds):
        for clock in best:
            with settings.using(clock=clock):
                start = time.process_time()
                run()
                best[clock] = min(best[clock], time.process_time() - start)
    return best["on"] / best["off"]


def measure(rounds: int) -> dict[str, float]:
    share = SIZE // matmul.TILE // matmul.GRID
    figures = {}
    with ts.open_device("wormhole") as device:
        ones = np.ones((SIZE, SIZE), np.float32)
        a, b = (device.from_numpy(ones, dtype=ts.bfloat16, layout=ts.TILE_LAYOUT) for _ in range(2))
        y = device.empty((SIZE, SIZE), ts.bfloat16, ts.TILE_LAYOUT)
        for name, build in (("tiles", matmul.tile_program), ("blocks", matmul.block_program)):
            program = build(a, b, y, share, share)
            run = partial(device.run, program, checks="off", numbers="fast")
            run()
            figures[f"clock_cost_{name}"] = ratio(run, rounds)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--json", action="store_true", help="the last line is a JSON object")
    parser.add_argument("--rounds", type=int, default=12)
    options = parser.parse_args()
    figures = {name: round(value, 3) for name, value in measure(options.rounds).items()}
    for name, value in figures.items():
        print(f"{name}: {value}")
    if options.json:
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
