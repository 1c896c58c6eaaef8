"""Softmax along rows. A core takes whole rows of tiles and makes four passes over each while it is in L1."""

from __future__ import annotations

import torch
from examples.metal.common import host

from tilesmith.formats import DataFormat
from tilesmith.program import ComputeConfig, Program
from tilesmith.runtime import Device, Tensor
from tilesmith.testing import Tolerance

# The difference, the exponential and the inverse sum are each stored in bfloat16 on the way.
TOLERANCE = Tolerance.of(DataFormat.Float16_b, roundings=3)
CB_IN, CB_SCALER, CB_OUT, CB_MAX, CB_EXP, CB_INVERSE = 0, 2, 16, 24, 25, 26


def softmax_program(device: Device, x: Tensor, out: Tensor) -> Program:
    width = x.padded_shape[-1] // host.TILE
    shares = host.share_work(host.grid_of(device), x.num_pages // width)
    cores = host.rectangle(*host.grid_of(device))
    depth = {CB_IN: 2 * width, CB_SCALER: 1, CB_MAX: 1, CB_EXP: width, CB_INVERSE: 1, CB_OUT: 2}
    return Program(
        kernels=[
            host.reader(
                "softmax/kernels/reader.cpp",
                cores,
                {s.core: (x.address, s.first, s.count) for s in shares},
                [CB_IN, CB_SCALER, width, *host.accessor(x)],
            ),
            host.compute(
                "softmax/kernels/compute.cpp",
                cores,
                {s.core: (s.count,) for s in shares},
                [CB_IN, CB_SCALER, CB_MAX, CB_EXP, CB_INVERSE, CB_OUT, width],
                ComputeConfig(fp32_dest_acc_en=True),
            ),
            host.writer(
                "common/kernels/write_tiles.cpp",
                cores,
                {s.core: (out.address, s.first * width, s.count * width) for s in shares},
                [CB_OUT, *host.accessor(out)],
            ),
        ],
        cbs=[host.tile_buffer(cb, DataFormat.Float16_b, tiles, cores) for cb, tiles in depth.items()],
    )


def run(device: Device, height: int, width: int, seed: int = 0) -> host.Result:
    x = host.random((height, width), seed)
    x_there, out = device.from_torch(x), device.empty((height, width))
    host.launch(device, softmax_program(device, x_there, out))
    return out.to_torch(), torch.softmax(x.float(), dim=-1)


def main() -> None:
    host.show(lambda device: run(device, 160, 128), TOLERANCE)


if __name__ == "__main__":
    main()
