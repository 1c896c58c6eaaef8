"""Turning tiles into a row-major matrix, on the packer."""

from __future__ import annotations

from examples.metal.common import host
from examples.metal.matmul_multi.host import largest_divisor

from tilesmith.formats import DataFormat
from tilesmith.program import Program
from tilesmith.runtime import ROW_MAJOR_LAYOUT, Device, Tensor
from tilesmith.testing import Tolerance

TOLERANCE = Tolerance.of(DataFormat.Int32)  # values are moved, not changed
CB_IN, CB_OUT = 0, 16


def untilize_program(device: Device, x: Tensor, out: Tensor) -> Program:
    height, width = (size // host.TILE for size in x.shape[-2:])
    block = largest_divisor(width, 4)
    shares = host.share_work(host.grid_of(device), height)
    cores = host.rectangle(*host.grid_of(device))
    return Program(
        kernels=[
            host.reader(
                "common/kernels/read_tiles.cpp",
                cores,
                {s.core: (x.address, s.first * width, s.count * width) for s in shares},
                [CB_IN, *host.accessor(x)],
            ),
            host.compute(
                "untilize/kernels/compute.cpp",
                cores,
                {s.core: (s.count,) for s in shares},
                [CB_IN, CB_OUT, width, block],
            ),
            host.writer(
                "untilize/kernels/writer.cpp",
                cores,
                {s.core: (out.address, s.first, s.count, out.page_size) for s in shares},
                [CB_OUT, width, *host.accessor(out)],
            ),
        ],
        cbs=[host.tile_buffer(cb, DataFormat.Float16_b, 2 * width, cores) for cb in (CB_IN, CB_OUT)],
    )


def run(device: Device, height: int, width: int, seed: int = 0) -> host.Result:
    x = host.random((height, width), seed)
    x_there, out = device.from_torch(x), device.empty((height, width), layout=ROW_MAJOR_LAYOUT)
    host.launch(device, untilize_program(device, x_there, out))
    return out.to_torch(), x.float()


def main() -> None:
    host.show(lambda device: run(device, 160, 192), TOLERANCE)


if __name__ == "__main__":
    main()
