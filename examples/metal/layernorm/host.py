"""Layer normalisation along rows, with float32 between bfloat16 input and output."""

from __future__ import annotations

import struct

import torch
from examples.metal.common import host

from tilesmith.formats import DataFormat
from tilesmith.program import ComputeConfig, Program
from tilesmith.runtime import Device, Tensor
from tilesmith.testing import Tolerance

# The matrix engine sees the float32 steps as TF32: one bfloat16 unit covers them all.
TOLERANCE = Tolerance.of(DataFormat.Float16_b, roundings=1)
EPSILON = 1e-5
CB_IN, CB_SCALER, CB_GAMMA, CB_BETA, CB_OUT = 0, 2, 3, 4, 16
CB_MEAN, CB_CENTRED, CB_SQUARE, CB_DEVIATION, CB_NORMAL, CB_SCALED = 24, 25, 26, 27, 28, 29


def float_bits(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def layernorm_program(device: Device, x: Tensor, gamma: Tensor, beta: Tensor, out: Tensor) -> Program:
    width = x.padded_shape[-1] // host.TILE
    shares = host.share_work(host.grid_of(device), x.num_pages // width)
    cores = host.rectangle(*host.grid_of(device))
    in_bfloat16 = {CB_IN: 2 * width, CB_GAMMA: width, CB_BETA: width, CB_OUT: 2}
    in_float32 = {CB_SCALER: 1, CB_MEAN: 1, CB_DEVIATION: 1} | dict.fromkeys(
        (CB_CENTRED, CB_SQUARE, CB_NORMAL, CB_SCALED), width
    )
    mean_scale = float_bits(1.0 / x.shape[-1])
    return Program(
        kernels=[
            host.reader(
                "layernorm/kernels/reader.cpp",
                cores,
                {
                    s.core: (x.address, gamma.address, beta.address, s.first, s.count, mean_scale)
                    for s in shares
                },
                [
                    *(CB_IN, CB_SCALER, CB_GAMMA, CB_BETA, width),
                    *(*host.accessor(x), *host.accessor(gamma), *host.accessor(beta)),
                ],
            ),
            host.compute(
                "layernorm/kernels/compute.cpp",
                cores,
                {s.core: (s.count, float_bits(EPSILON)) for s in shares},
                [
                    *(CB_IN, CB_SCALER, CB_GAMMA, CB_BETA, CB_MEAN, CB_CENTRED, CB_SQUARE),
                    *(CB_DEVIATION, CB_NORMAL, CB_SCALED, CB_OUT, width),
                ],
                ComputeConfig(fp32_dest_acc_en=True),
            ),
            host.writer(
                "common/kernels/write_tiles.cpp",
                cores,
                {s.core: (out.address, s.first * width, s.count * width) for s in shares},
                [CB_OUT, *host.accessor(out)],
            ),
        ],
        cbs=[
            *(host.tile_buffer(cb, DataFormat.Float16_b, tiles, cores) for cb, tiles in in_bfloat16.items()),
            *(host.tile_buffer(cb, DataFormat.Float32, tiles, cores) for cb, tiles in in_float32.items()),
        ],
    )


def run(device: Device, height: int, width: int, seed: int = 0) -> host.Result:
    x = host.random((height, width), seed)
    gamma, beta = host.random((1, width), seed + 1), host.random((1, width), seed + 2)
    out = device.empty((height, width))
    x_there, gamma_there, beta_there = (device.from_torch(t) for t in (x, gamma, beta))
    host.launch(device, layernorm_program(device, x_there, gamma_there, beta_there, out))
    expected = torch.nn.functional.layer_norm(
        x.float(), (width,), gamma.float().flatten(), beta.float().flatten(), EPSILON
    )
    return out.to_torch(), expected


def main() -> None:
    host.show(lambda device: run(device, 160, 96), TOLERANCE)


if __name__ == "__main__":
    main()
