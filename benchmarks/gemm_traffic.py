"""DRAM traffic of a generated GEMM, counted by the emulator: 2048 x 2048 x 2048 in bf16, 256 x 256 per core.

    python benchmarks/gemm_traffic.py [--json]

`minimum_bytes` is what the blocking makes necessary when shared operands are multicast: on a grid of cores of
R rows and C columns, each block of A is read once per row of cores and each block of B once per column.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
from examples.tilelang.gemm import gemm

import tilesmith
from tilesmith import settings
from tilesmith.testing import Tolerance, compare

BYTES = 2  # of a bf16


def measure(size: int, block: int, block_k: int, checks: str) -> dict[str, Any]:
    a, b = torch.randn(size, size).bfloat16(), torch.randn(size, size).bfloat16()
    c = torch.full((size, size), float("nan"), dtype=torch.bfloat16)
    compiled = tilesmith.compile(gemm(size, size, size, block=(block, block, block_k)), "wormhole")
    with settings.using(checks=checks, numbers="fast"):
        summary = compiled.summary(a, b, c)
    verdict = compare(c, a.float() @ b.float(), Tolerance(2.0**-7, 2.0**-7, 0.999))
    if not verdict.ok:
        raise SystemExit(f"the product is wrong: {verdict}")
    dram_bytes = sum(kernel.dram_read_bytes for kernel in summary.traffic)
    minimum = 2 * size * size * BYTES  # a row of cores shares its rows of A, a column its columns of B
    return {
        "dram_bytes": dram_bytes,
        "minimum_bytes": minimum,
        "ratio": round(dram_bytes / minimum, 4),
        "cores": (size // block) ** 2,
        "cycles": summary.cycles,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="the last line is a JSON object")
    parser.add_argument("--size", type=int, default=2048)
    parser.add_argument("--block", type=int, default=256)
    parser.add_argument("--block-k", type=int, default=64)
    parser.add_argument("--checks", default="off", choices=("on", "off"))
    options = parser.parse_args()
    told = measure(options.size, options.block, options.block_k, options.checks)
    print(json.dumps(told) if options.json else "\n".join(f"{k:15} {v}" for k, v in told.items()))


if __name__ == "__main__":
    main()
