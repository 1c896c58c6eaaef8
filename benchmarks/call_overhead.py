"""What a call of ttnn.add costs on the host when its program is cached, beyond the emulated work.

    python benchmarks/call_overhead.py [--json] [--calls N]

The emulated work is the time inside the native runtime; everything else is ours: checking arguments, output
specs, allocation, the program cache, handing arguments over.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from tilesmith import settings, ttnn
from tilesmith.emulator.library import runtime

SHAPES = ((32, 32), (64, 64), (256, 256), (512, 512))
LIMIT_MICROSECONDS = 200


@dataclass
class NativeTime:
    """Stands before the native run and adds up what it takes."""

    function: Callable[..., Any]
    seconds: float = 0.0
    calls: list[float] = field(default_factory=list)

    def __call__(self, *args: Any) -> Any:
        begin = time.perf_counter()
        result = self.function(*args)
        self.calls.append(time.perf_counter() - begin)
        return result


def measure(
    shape: tuple[int, int], calls: int, device: ttnn.MeshDevice, native: NativeTime
) -> dict[str, float]:
    """Microseconds per call: all of it, the emulated part, and the rest; medians."""
    values = torch.randn(shape).bfloat16()
    a, b = (ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT, device=device) for _ in range(2))
    ttnn.add(a, b)
    native.calls.clear()
    totals = []
    for _ in range(calls):
        begin = time.perf_counter()
        ttnn.add(a, b)
        totals.append(time.perf_counter() - begin)
    rest = [total - run for total, run in zip(totals, native.calls, strict=True)]
    return {
        "total": statistics.median(totals) * 1e6,
        "emulated": statistics.median(native.calls) * 1e6,
        "overhead": statistics.median(rest) * 1e6,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--calls", type=int, default=300)
    options = parser.parse_args()
    with settings.using(checks="off"), ttnn.manage_device(device_id=0) as device:
        ttnn.add(ttnn.ones([32, 32], layout=ttnn.TILE_LAYOUT, device=device), 1.0)
        functions: Any = runtime().functions
        native = NativeTime(functions.tsh_run)
        functions.tsh_run = native
        rows = {f"{h}x{w}": measure((h, w), options.calls, device, native) for h, w in SHAPES}
        functions.tsh_run = native.function
    if options.json:
        print(json.dumps({"limit_us": LIMIT_MICROSECONDS, "microseconds": rows}))
        return
    print(f"{'shape':>10} {'call':>10} {'emulated':>10} {'overhead':>10}   microseconds")
    for shape, row in rows.items():
        print(f"{shape:>10} {row['total']:10.0f} {row['emulated']:10.0f} {row['overhead']:10.0f}")


if __name__ == "__main__":
    main()
