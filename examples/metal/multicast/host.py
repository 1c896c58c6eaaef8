"""One core reads tiles and multicasts them to a rectangle of cores; every core writes its copy."""

from __future__ import annotations

from examples.metal.common import host

from tilesmith.formats import DataFormat
from tilesmith.program import CoreCoord, CoreRangeSet, Program, Semaphore
from tilesmith.runtime import Device, Tensor
from tilesmith.testing import Tolerance

TOLERANCE = Tolerance.of(DataFormat.Int32)  # values are moved, not changed
CB_STAGING, CB = 0, 1
READY, ARRIVED = 0, 1


def multicast_program(device: Device, grid: tuple[int, int], x: Tensor, out: Tensor) -> Program:
    everyone = host.rectangle(*grid)
    sender = CoreCoord(0, 0)
    receivers = CoreRangeSet.from_cores(core for core in everyone.cores() if core != sender)
    corner = device.arch.worker_noc_xy(everyone.end)
    sender_xy = device.arch.worker_noc_xy(sender)
    tiles = x.num_pages
    return Program(
        kernels=[
            host.reader(
                "multicast/kernels/sender.cpp",
                sender,
                {sender: (x.address, tiles, *sender_xy, *corner, everyone.num_cores - 1)},
                [CB_STAGING, CB, READY, ARRIVED, *host.accessor(x)],
            ),
            host.reader(
                "multicast/kernels/receiver.cpp",
                receivers,
                dict.fromkeys(receivers.cores(), (*sender_xy, tiles)),
                [CB, READY, ARRIVED],
            ),
            host.writer(
                "common/kernels/write_tiles.cpp",
                everyone,
                {core: (out.address, i * tiles, tiles) for i, core in enumerate(everyone.cores())},
                [CB, *host.accessor(out)],
            ),
        ],
        cbs=[host.tile_buffer(CB_STAGING, x.dtype, 1, everyone), host.tile_buffer(CB, x.dtype, 2, everyone)],
        semaphores=[Semaphore(READY, everyone), Semaphore(ARRIVED, everyone)],
    )


def run(device: Device, grid: tuple[int, int], tiles: int, seed: int = 0) -> host.Result:
    """`grid` is the rectangle: columns, rows; at least two cores."""
    x = host.random((host.TILE, tiles * host.TILE), seed)
    copies = grid[0] * grid[1]
    x_there, out = device.from_torch(x), device.empty((copies, host.TILE, tiles * host.TILE))
    host.launch(device, multicast_program(device, grid, x_there, out))
    return out.to_torch(), x.float().expand(copies, -1, -1)


def main() -> None:
    host.show(lambda device: run(device, (4, 3), 5), TOLERANCE)


if __name__ == "__main__":
    main()
