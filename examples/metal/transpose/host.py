"""Transposing a matrix: the reader permutes the tiles, the unpacker transposes each of them."""

from __future__ import annotations

from examples.metal.common import host

from tilesmith.formats import DataFormat
from tilesmith.program import Program
from tilesmith.runtime import Device, Tensor
from tilesmith.testing import Tolerance

TOLERANCE = Tolerance.of(DataFormat.Int32)  # values are moved, not changed
CB_IN, CB_OUT = 0, 16


def transpose_program(device: Device, x: Tensor, out: Tensor) -> Program:
    shares = host.share_work(host.grid_of(device), out.num_pages)
    cores = host.rectangle(*host.grid_of(device))
    height, width = (size // host.TILE for size in x.padded_shape[-2:])
    return Program(
        kernels=[
            host.reader(
                "transpose/kernels/reader.cpp",
                cores,
                {s.core: (x.address, s.first, s.count, height, width) for s in shares},
                [CB_IN, *host.accessor(x)],
            ),
            host.compute(
                "transpose/kernels/compute.cpp", cores, {s.core: (s.count,) for s in shares}, [CB_IN, CB_OUT]
            ),
            host.writer(
                "common/kernels/write_tiles.cpp",
                cores,
                {s.core: (out.address, s.first, s.count) for s in shares},
                [CB_OUT, *host.accessor(out)],
            ),
        ],
        cbs=[host.tile_buffer(cb, DataFormat.Float16_b, 2, cores) for cb in (CB_IN, CB_OUT)],
    )


def run(device: Device, height: int, width: int, seed: int = 0) -> host.Result:
    x = host.random((height, width), seed)
    x_there, out = device.from_torch(x), device.empty((width, height))
    host.launch(device, transpose_program(device, x_there, out))
    return out.to_torch(), x.float().T


def main() -> None:
    host.show(lambda device: run(device, 96, 160), TOLERANCE)


if __name__ == "__main__":
    main()
