"""Turning a row-major matrix into tiles."""

from __future__ import annotations

from examples.metal.common import host

from tilesmith.formats import DataFormat
from tilesmith.program import Program
from tilesmith.runtime import ROW_MAJOR_LAYOUT, Device, Tensor
from tilesmith.testing import Tolerance

TOLERANCE = Tolerance.of(DataFormat.Int32)  # values are moved, not changed
CB_IN, CB_OUT = 0, 16


def tilize_program(device: Device, x: Tensor, out: Tensor) -> Program:
    height, width = (size // host.TILE for size in x.shape[-2:])
    shares = host.share_work(host.grid_of(device), height)
    cores = host.rectangle(*host.grid_of(device))
    return Program(
        kernels=[
            host.reader(
                "tilize/kernels/reader.cpp",
                cores,
                {s.core: (x.address, s.first, s.count, x.page_size) for s in shares},
                [CB_IN, width, *host.accessor(x)],
            ),
            host.compute(
                "tilize/kernels/compute.cpp",
                cores,
                {s.core: (s.count,) for s in shares},
                [CB_IN, CB_OUT, width],
            ),
            host.writer(
                "common/kernels/write_tiles.cpp",
                cores,
                {s.core: (out.address, s.first * width, s.count * width) for s in shares},
                [CB_OUT, *host.accessor(out)],
            ),
        ],
        cbs=[host.tile_buffer(cb, DataFormat.Float16_b, 2 * width, cores) for cb in (CB_IN, CB_OUT)],
    )


def run(device: Device, height: int, width: int, seed: int = 0) -> host.Result:
    x = host.random((height, width), seed)
    x_there, out = device.from_torch(x, layout=ROW_MAJOR_LAYOUT), device.empty((height, width))
    host.launch(device, tilize_program(device, x_there, out))
    return out.to_torch(), x.float()


def main() -> None:
    host.show(lambda device: run(device, 160, 96), TOLERANCE)


if __name__ == "__main__":
    main()
