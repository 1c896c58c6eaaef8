"""A linear layer whose weights stay in L1: three ways to write it badly, and what the profile says of each.

    python -m examples.profile.linear reader|math|pack

prints the profile of the kernel as it was, does what the profile says first, and prints the profile after.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from examples.metal.common import host

import tilesmith
from tilesmith.formats import DataFormat
from tilesmith.profiling import Profile, recording
from tilesmith.program import ComputeConfig, CoreCoord, MathFidelity, Program
from tilesmith.runtime import Device, Tensor
from tilesmith.runtime.observers import labelled
from tilesmith.testing import Tolerance, assert_close

KERNELS = Path(__file__).with_name("kernels")
CB_A, CB_B, CB_OUT = 0, 1, 16
GRID = CoreCoord(4, 4)
ROWS, COLUMNS, INNER = 2, 4, 8  # of a block, in tiles: as many output tiles as half of DST holds
BLOCKS = 8  # for each core
TOLERANCE = Tolerance(
    0.05, 0.3, 0.999
)  # operands have 7 bits, and sums in L1 are rounded to bfloat16 each time


@dataclass(frozen=True)
class Choices:
    """How the kernel is written."""

    reader: str = "reader_by_block.cpp"
    compute: str = "compute_in_dst.cpp"
    fidelity: MathFidelity = MathFidelity.HiFi2


GOOD = Choices()
BEFORE = {
    "reader": replace(GOOD, reader="reader_by_tile.cpp"),
    "math": replace(GOOD, fidelity=MathFidelity.HiFi4),
    "pack": replace(GOOD, compute="compute_through_l1.cpp"),
}


def linear_program(choices: Choices, a: Tensor, b: Tensor, out: Tensor) -> Program:
    """out = a x b on a grid of cores, each with its own rows of a."""
    cores = host.rectangle(*GRID)
    shares = [(core, i * BLOCKS) for i, core in enumerate(cores.cores())]
    a_tiles, out_tiles = ROWS * INNER, ROWS * COLUMNS
    formats = {CB_A: a.dtype, CB_B: b.dtype, CB_OUT: out.dtype}
    sizes = {CB_A: 2 * a_tiles, CB_B: INNER * COLUMNS, CB_OUT: 2 * out_tiles}
    return Program(
        kernels=[
            host.reader(
                str(KERNELS / choices.reader),
                cores,
                {
                    core: (a.address, b.address, first * a_tiles, BLOCKS * a_tiles, INNER * COLUMNS, a_tiles)
                    for core, first in shares
                },
                [CB_A, CB_B, *host.accessor(a), *host.accessor(b)],
            ),
            host.compute(
                str(KERNELS / choices.compute),
                cores,
                {core: (BLOCKS,) for core, _ in shares},
                [CB_A, CB_B, CB_OUT, ROWS, COLUMNS, INNER],
                ComputeConfig(math_fidelity=choices.fidelity),
            ),
            host.writer(
                str(KERNELS / "writer.cpp"),
                cores,
                {
                    core: (out.address, first * out_tiles, BLOCKS * out_tiles, out_tiles)
                    for core, first in shares
                },
                [CB_OUT, *host.accessor(out)],
            ),
        ],
        cbs=[host.tile_buffer(cb, formats[cb], sizes[cb], cores) for cb in (CB_A, CB_B, CB_OUT)],
    )


def run(device: Device, choices: Choices, seed: int = 0) -> host.Result:
    rows = GRID.x * GRID.y * BLOCKS * ROWS * host.TILE
    a = host.random((rows, INNER * host.TILE), seed)
    b = host.random((INNER * host.TILE, COLUMNS * host.TILE), seed + 1)
    there = [device.from_torch(one, DataFormat.Bfp8_b) for one in (a, b)]
    out = device.empty((rows, COLUMNS * host.TILE))
    with labelled("linear"):
        device.run(linear_program(choices, there[0], there[1], out))
    return out.to_torch(), a.float() @ b.float()


def profiled(choices: Choices, title: str, arch: str = "wormhole") -> Profile:
    """The profile of one run, whose result is right."""
    with tilesmith.open_device(arch) as device, recording(title) as recorder:
        result, expected = run(device, choices)
    assert_close(result, expected, TOLERANCE)
    return recorder.profile


def main() -> None:
    torch.manual_seed(0)
    kind = sys.argv[1] if len(sys.argv) > 1 else ""
    if kind not in BEFORE:
        sys.exit(f"say which: {', '.join(BEFORE)}")
    before, after = profiled(BEFORE[kind], f"{kind}-bound linear"), profiled(GOOD, "after the change")
    before.show()
    after.show()
    print(f"{before.microseconds:.1f} us before, {after.microseconds:.1f} us after")


if __name__ == "__main__":
    main()
