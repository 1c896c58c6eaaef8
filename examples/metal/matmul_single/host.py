"""Matrix product on one core, tile by tile."""

from __future__ import annotations

from examples.metal.common import host

from tilesmith.formats import DataFormat
from tilesmith.program import ComputeConfig, CoreCoord, Program
from tilesmith.runtime import Device, Tensor
from tilesmith.testing import Tolerance

# DST is 32 bits wide here: only the operands and the stored result are rounded.
TOLERANCE = Tolerance.of(DataFormat.Float16_b, roundings=1)
CB_A, CB_B, CB_OUT = 0, 1, 16


def matmul_program(a: Tensor, b: Tensor, out: Tensor) -> Program:
    core = CoreCoord(0, 0)
    m_tiles, k_tiles = (size // host.TILE for size in a.padded_shape[-2:])
    n_tiles = b.padded_shape[-1] // host.TILE
    cores = host.rectangle(1, 1)
    return Program(
        kernels=[
            host.reader(
                "matmul_single/kernels/reader.cpp",
                cores,
                {core: (a.address, b.address, m_tiles, k_tiles, n_tiles)},
                [CB_A, CB_B, *host.accessor(a), *host.accessor(b)],
            ),
            host.compute(
                "matmul_single/kernels/compute.cpp",
                cores,
                {core: (m_tiles * n_tiles, k_tiles)},
                [CB_A, CB_B, CB_OUT],
                ComputeConfig(fp32_dest_acc_en=True),
            ),
            host.writer(
                "common/kernels/write_tiles.cpp",
                cores,
                {core: (out.address, 0, m_tiles * n_tiles)},
                [CB_OUT, *host.accessor(out)],
            ),
        ],
        cbs=[host.tile_buffer(cb, DataFormat.Float16_b, 2, cores) for cb in (CB_A, CB_B, CB_OUT)],
    )


def run(device: Device, m: int, k: int, n: int, seed: int = 0) -> host.Result:
    a, b = host.random((m, k), seed), host.random((k, n), seed + 1)
    a_there, b_there, out = device.from_torch(a), device.from_torch(b), device.empty((m, n))
    host.launch(device, matmul_program(a_there, b_there, out))
    return out.to_torch(), a.float() @ b.float()


def main() -> None:
    host.show(lambda device: run(device, 96, 128, 64), TOLERANCE)


if __name__ == "__main__":
    main()
