"""Converting a large float32 array to tiles, as a multiple of the time a plain copy of it takes."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable

import numpy as np

from tilesmith.formats import (
    DataFormat,
    bfloat2_b,
    bfloat4_b,
    bfloat8_b,
    bfloat16,
    float16,
    float32,
    pack_tiles,
    unpack_tiles,
)

FORMATS = (bfloat16, float32, float16, bfloat8_b, bfloat4_b, bfloat2_b)


def best_of(repeat: int, action: Callable[[], object]) -> float:
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def measure(size: int, repeat: int) -> dict[str, float]:
    values = np.random.default_rng(0).standard_normal((size, size), np.float32)
    target = np.empty_like(values)
    copy = best_of(repeat, lambda: np.copyto(target, values))
    figures = {"size": size, "copy_ms": copy * 1e3}
    for format_ in FORMATS:
        pack, unpack = measure_format(values, format_, repeat)
        figures[f"pack_{format_.name}_per_copy"] = pack / copy
        figures[f"unpack_{format_.name}_per_copy"] = unpack / copy
    return figures


def measure_format(values: np.ndarray, format_: DataFormat, repeat: int) -> tuple[float, float]:
    packed = pack_tiles(values, format_)
    pack = best_of(repeat, lambda: pack_tiles(values, format_))
    return pack, best_of(repeat, lambda: unpack_tiles(packed, format_, values.shape))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=4096, help="rows and columns")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    figures = measure(options.size, options.repeat)
    if options.json:
        print(json.dumps({**figures, "ratio_bf16_tiles_vs_copy": figures["pack_Float16_b_per_copy"]}))
        return
    for name, figure in figures.items():
        print(f"{name:28} {figure:8.2f}")


if __name__ == "__main__":
    main()
