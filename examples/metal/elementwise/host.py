"""Elementwise operations: a + b, a - b, a * b on the matrix engine, and a chain of vector-unit steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from examples.metal.common import host

from tilesmith.formats import DataFormat
from tilesmith.program import Program
from tilesmith.runtime import Device, Tensor
from tilesmith.testing import Tolerance

TOLERANCE = Tolerance.of(DataFormat.Float16_b, roundings=1)
CB_A, CB_B, CB_OUT = 0, 1, 16
REFERENCE: Mapping[str, Callable[..., torch.Tensor]] = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "sigmoid": torch.sigmoid,
}


def binary_program(device: Device, operation: str, a: Tensor, b: Tensor, out: Tensor) -> Program:
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
                "elementwise/kernels/binary.cpp",
                cores,
                {s.core: (s.count,) for s in shares},
                [CB_A, CB_B, CB_OUT],
                defines={"BINARY_INIT": f"{operation}_init", "BINARY_TILES": f"{operation}_tiles"},
            ),
            host.writer(
                "common/kernels/write_tiles.cpp",
                cores,
                {s.core: (out.address, s.first, s.count) for s in shares},
                [CB_OUT, *host.accessor(out)],
            ),
        ],
        cbs=[host.tile_buffer(cb, DataFormat.Float16_b, 2, cores) for cb in (CB_A, CB_B, CB_OUT)],
    )


def sigmoid_program(device: Device, x: Tensor, out: Tensor) -> Program:
    shares = host.share_work(host.grid_of(device), out.num_pages)
    cores = host.rectangle(*host.grid_of(device))
    return Program(
        kernels=[
            host.reader(
                "common/kernels/read_tiles.cpp",
                cores,
                {s.core: (x.address, s.first, s.count) for s in shares},
                [CB_A, *host.accessor(x)],
            ),
            host.compute(
                "elementwise/kernels/sigmoid_chain.cpp",
                cores,
                {s.core: (s.count,) for s in shares},
                [CB_A, CB_OUT],
            ),
            host.writer(
                "common/kernels/write_tiles.cpp",
                cores,
                {s.core: (out.address, s.first, s.count) for s in shares},
                [CB_OUT, *host.accessor(out)],
            ),
        ],
        cbs=[host.tile_buffer(cb, DataFormat.Float16_b, 2, cores) for cb in (CB_A, CB_OUT)],
    )


def run(device: Device, shape: tuple[int, ...], operation: str = "add", seed: int = 0) -> host.Result:
    a, b = host.random(shape, seed), host.random(shape, seed + 1)
    a_there, b_there, out = device.from_torch(a), device.from_torch(b), device.empty(shape)
    if operation == "sigmoid":
        host.launch(device, sigmoid_program(device, a_there, out))
        return out.to_torch(), REFERENCE[operation](a.float())
    host.launch(device, binary_program(device, operation, a_there, b_there, out))
    return out.to_torch(), REFERENCE[operation](a.float(), b.float())


def main() -> None:
    host.show(lambda device: run(device, (7, 64, 96)), TOLERANCE)


if __name__ == "__main__":
    main()
