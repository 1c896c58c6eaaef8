"""Matrix product with the output tiles shared among all cores."""

from __future__ import annotations

from examples.metal.common import host

from tilesmith.formats import DataFormat
from tilesmith.program import ComputeConfig, CoreCoord, Program
from tilesmith.runtime import Device, Tensor
from tilesmith.testing import Tolerance

TOLERANCE = Tolerance.of(DataFormat.Float16_b, roundings=1)
CB_A, CB_B, CB_OUT = 0, 1, 16


def largest_divisor(number: int, limit: int) -> int:
    """The largest divisor of `number` that is at most `limit`."""
    return max(d for d in range(1, limit + 1) if number % d == 0)


def matmul_program(grid: CoreCoord, a: Tensor, b: Tensor, out: Tensor) -> Program:
    k_tiles = a.padded_shape[-1] // host.TILE
    n_tiles = b.padded_shape[-1] // host.TILE
    k_block = largest_divisor(k_tiles, 4)
    shares = host.share_work(grid, out.num_pages)
    cores = host.rectangle(*grid)
    return Program(
        kernels=[
            host.reader(
                "matmul_multi/kernels/reader.cpp",
                cores,
                {s.core: (a.address, b.address, s.first, s.count, k_tiles, n_tiles) for s in shares},
                [CB_A, CB_B, k_block, *host.accessor(a), *host.accessor(b)],
            ),
            host.compute(
                "matmul_multi/kernels/compute.cpp",
                cores,
                {s.core: (s.count, k_tiles // k_block) for s in shares},
                [CB_A, CB_B, CB_OUT, k_block],
                ComputeConfig(fp32_dest_acc_en=True),
            ),
            host.writer(
                "common/kernels/write_tiles.cpp",
                cores,
                {s.core: (out.address, s.first, s.count) for s in shares},
                [CB_OUT, *host.accessor(out)],
            ),
        ],
        cbs=[
            host.tile_buffer(CB_A, a.dtype, 2 * k_block, cores),
            host.tile_buffer(CB_B, b.dtype, 2 * k_block, cores),
            host.tile_buffer(CB_OUT, out.dtype, 2, cores),
        ],
    )


def run(
    device: Device, m: int, k: int, n: int, data_format: DataFormat = DataFormat.Float16_b, seed: int = 0
) -> host.Result:
    """`data_format` is the format of A, B and the result."""
    a = device.from_torch(host.random((m, k), seed), dtype=data_format)
    b = device.from_torch(host.random((k, n), seed + 1), dtype=data_format)
    out = device.empty((m, n), dtype=data_format)
    host.launch(device, matmul_program(host.grid_of(device), a, b, out))
    return out.to_torch(), a.to_torch().float() @ b.to_torch().float()


def main() -> None:
    host.show(lambda device: run(device, 160, 192, 224), TOLERANCE)


if __name__ == "__main__":
    main()
