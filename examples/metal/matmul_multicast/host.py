"""Matrix product with block reuse: each core keeps a block of the output.

The first core of every row reads A, the first of every column reads B, and they multicast what they read.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from examples.metal.common import host
from examples.metal.matmul_multi.host import largest_divisor

from tilesmith.formats import DataFormat
from tilesmith.program import ComputeConfig, CoreCoord, CoreRange, Kernel, Program, Semaphore
from tilesmith.runtime import Device, Tensor
from tilesmith.testing import Tolerance

TOLERANCE = Tolerance.of(DataFormat.Float16_b, roundings=1)
CB_A, CB_B, CB_OUT, CB_PARTIALS = 0, 1, 16, 24
A_READY, A_ARRIVED, B_READY, B_ARRIVED = 0, 1, 2, 3


@dataclass(frozen=True)
class Blocking:
    """The problem and how it is cut, in tiles: cores have blocks of m x n, DST holds sub-blocks."""

    m_tiles: int
    k_tiles: int
    n_tiles: int
    block_m: int
    block_n: int
    k_block: int
    sub_m: int
    sub_n: int

    @staticmethod
    def of(m: int, k: int, n: int, grid: CoreCoord) -> Blocking:
        block_m, block_n = ceil(m / grid.y), ceil(n / grid.x)
        sub_n = largest_divisor(block_n, 4)  # a 32-bit DST half holds four tiles
        sub_m = largest_divisor(block_m, 4 // sub_n)
        return Blocking(m, k, n, block_m, block_n, largest_divisor(k, 2), sub_m, sub_n)

    @property
    def columns(self) -> int:
        return ceil(self.n_tiles / self.block_n)

    @property
    def rows(self) -> int:
        return ceil(self.m_tiles / self.block_m)

    @property
    def k_blocks(self) -> int:
        return self.k_tiles // self.k_block

    def output(self, core: CoreCoord) -> tuple[int, int, int, int]:
        return core.y * self.block_m, core.x * self.block_n, self.m_tiles, self.n_tiles


def a_kernels(device: Device, cut: Blocking, a: Tensor) -> list[Kernel]:
    """The first column sends along its rows on NoC 0, which runs to the right."""
    args: dict[CoreCoord, tuple[int, ...]] = {}
    for y in range(cut.rows):
        sender = device.arch.worker_noc_xy(CoreCoord(0, y))
        nearest = device.arch.worker_noc_xy(CoreCoord(min(1, cut.columns - 1), y))
        farthest = device.arch.worker_noc_xy(CoreCoord(cut.columns - 1, y))
        first_row = y * cut.block_m
        args[CoreCoord(0, y)] = (
            *(a.address, first_row, cut.m_tiles, cut.k_tiles),
            *(*nearest, *farthest, cut.columns - 1),
        )
        for x in range(1, cut.columns):
            args[CoreCoord(x, y)] = (*sender, cut.k_blocks)
    folder = "matmul_multicast/kernels"
    senders, receivers = CoreRange((0, 0), (0, cut.rows - 1)), None
    if cut.columns > 1:
        receivers = CoreRange((1, 0), (cut.columns - 1, cut.rows - 1))
    semaphores = [A_READY, A_ARRIVED]
    kernels = [
        host.reader(
            f"{folder}/in0_sender.cpp",
            senders,
            {core: args[core] for core in senders.cores()},
            [CB_A, cut.block_m, cut.k_block, *semaphores, *host.accessor(a)],
        )
    ]
    if receivers is not None:
        kernels.append(
            host.reader(
                f"{folder}/in0_receiver.cpp",
                receivers,
                {core: args[core] for core in receivers.cores()},
                [CB_A, cut.block_m * cut.k_block, *semaphores],
            )
        )
    return kernels


def b_kernels(device: Device, cut: Blocking, b: Tensor, out: Tensor) -> list[Kernel]:
    """The first row sends down its columns on NoC 1, which runs upwards: from the far end."""
    args: dict[CoreCoord, tuple[int, ...]] = {}
    for x in range(cut.columns):
        sender = device.arch.worker_noc_xy(CoreCoord(x, 0))
        nearest = device.arch.worker_noc_xy(CoreCoord(x, min(1, cut.rows - 1)))
        farthest = device.arch.worker_noc_xy(CoreCoord(x, cut.rows - 1))
        top = CoreCoord(x, 0)
        args[top] = (
            *(b.address, out.address, *cut.output(top), cut.k_tiles),
            *(*farthest, *nearest, cut.rows - 1),
        )
        for y in range(1, cut.rows):
            core = CoreCoord(x, y)
            args[core] = (*sender, cut.k_blocks, out.address, *cut.output(core))
    folder = "matmul_multicast/kernels"
    senders = CoreRange((0, 0), (cut.columns - 1, 0))
    shape = [CB_B, CB_OUT, cut.block_m, cut.block_n, cut.k_block, cut.sub_m, cut.sub_n, B_READY, B_ARRIVED]
    kernels = [
        host.writer(
            f"{folder}/in1_sender_writer.cpp",
            senders,
            {core: args[core] for core in senders.cores()},
            [*shape, *host.accessor(b), *host.accessor(out)],
        )
    ]
    if cut.rows > 1:
        receivers = CoreRange((0, 1), (cut.columns - 1, cut.rows - 1))
        kernels.append(
            host.writer(
                f"{folder}/in1_receiver_writer.cpp",
                receivers,
                {core: args[core] for core in receivers.cores()},
                [*shape, *host.accessor(out)],
            )
        )
    return kernels


def matmul_program(device: Device, cut: Blocking, a: Tensor, b: Tensor, out: Tensor) -> Program:
    cores = host.rectangle(cut.columns, cut.rows)
    block = cut.block_m * cut.block_n
    return Program(
        kernels=[
            *a_kernels(device, cut, a),
            *b_kernels(device, cut, b, out),
            host.compute(
                "matmul_multicast/kernels/compute.cpp",
                cores,
                dict.fromkeys(cores.cores(), (cut.k_blocks,)),
                [
                    *(CB_A, CB_B, CB_PARTIALS, CB_OUT),
                    *(cut.block_m, cut.block_n, cut.k_block, cut.sub_m, cut.sub_n),
                ],
                ComputeConfig(fp32_dest_acc_en=True, unpack_to_dest_fp32=(CB_PARTIALS,)),
            ),
        ],
        cbs=[
            host.tile_buffer(CB_A, a.dtype, 2 * cut.block_m * cut.k_block, cores),
            host.tile_buffer(CB_B, b.dtype, 2 * cut.k_block * cut.block_n, cores),
            host.tile_buffer(CB_PARTIALS, DataFormat.Float32, block, cores),
            host.tile_buffer(CB_OUT, out.dtype, block, cores),
        ],
        semaphores=[Semaphore(i, cores) for i in (A_READY, A_ARRIVED, B_READY, B_ARRIVED)],
    )


def run(device: Device, m: int, k: int, n: int, grid: tuple[int, int] = (4, 4), seed: int = 0) -> host.Result:
    """`grid` bounds the cores used: columns, rows."""
    a, b = host.random((m, k), seed), host.random((k, n), seed + 1)
    cut = Blocking.of(m // host.TILE, k // host.TILE, n // host.TILE, CoreCoord(*grid))
    a_there, b_there, out = device.from_torch(a), device.from_torch(b), device.empty((m, n))
    host.launch(device, matmul_program(device, cut, a_there, b_there, out))
    return out.to_torch(), a.float() @ b.float()


def main() -> None:
    host.show(lambda device: run(device, 256, 128, 224), TOLERANCE)


if __name__ == "__main__":
    main()
