"""Adding 32-bit integers on the vector unit. Sums wrap around, as in C."""

from __future__ import annotations

import torch
from examples.metal.common import host

from tilesmith.formats import DataFormat
from tilesmith.program import ComputeConfig, Program
from tilesmith.runtime import Device, Tensor
from tilesmith.testing import Tolerance

TOLERANCE = Tolerance.of(DataFormat.Int32)
CB_A, CB_B, CB_OUT = 0, 1, 16


def add_program(device: Device, a: Tensor, b: Tensor, out: Tensor) -> Program:
    shares = host.share_work(host.grid_of(device), out.num_pages)
    cores = host.rectangle(*host.grid_of(device))
    return Program(
        kernels=[
            host.reader(
                "common/kernels/read_tiles_pair.cpp",
                cores,
                {s.core: (a.address, b.address, s.first, s.count) for s in shares},
                [CB_A, CB_B, *host.accessor(a), *host.accessor(b)],
            ),
            host.compute(
                "int32_add/kernels/add_int.cpp",
                cores,
                {s.core: (s.count,) for s in shares},
                [CB_A, CB_B, CB_OUT],
                ComputeConfig(fp32_dest_acc_en=True),
            ),
            host.writer(
                "common/kernels/write_tiles.cpp",
                cores,
                {s.core: (out.address, s.first, s.count) for s in shares},
                [CB_OUT, *host.accessor(out)],
            ),
        ],
        cbs=[host.tile_buffer(cb, DataFormat.Int32, 2, cores) for cb in (CB_A, CB_B, CB_OUT)],
    )


def run(device: Device, shape: tuple[int, ...], seed: int = 0) -> host.Result:
    generator = torch.Generator().manual_seed(seed)
    a, b = (torch.randint(-(2**31), 2**31, shape, generator=generator, dtype=torch.int64) for _ in range(2))
    a, b = a.to(torch.int32), b.to(torch.int32)
    out = device.empty(shape, dtype=DataFormat.Int32)
    a_there, b_there = (device.from_torch(t, dtype=DataFormat.Int32) for t in (a, b))
    host.launch(device, add_program(device, a_there, b_there, out))
    return out.to_torch(), a + b


def main() -> None:
    host.show(lambda device: run(device, (3, 32, 160)), TOLERANCE)


if __name__ == "__main__":
    main()
