"""Pairs of cores pass a small array back and forth; semaphores say whose turn it is."""

from __future__ import annotations

import torch
from examples.metal.common import host

from tilesmith.formats import DataFormat
from tilesmith.program import CBFormat, CircularBuffer, CoreCoord, Program, Semaphore
from tilesmith.runtime import ROW_MAJOR_LAYOUT, Device, Tensor
from tilesmith.testing import Tolerance

TOLERANCE = Tolerance.of(DataFormat.Int32)
CB_BALL = 0
READY, TURN = 0, 1


def ping_pong_program(device: Device, pairs: int, words: int, hits: int, out: Tensor) -> Program:
    """Pair p plays between columns 0 and 1 of row p."""
    args: dict[CoreCoord, tuple[int, ...]] = {}
    for pair in range(pairs):
        left, right = CoreCoord(0, pair), CoreCoord(1, pair)
        for core, peer, serves in ((left, right, 1), (right, left, 0)):
            args[core] = (*device.arch.worker_noc_xy(peer), serves, hits, words, out.address, pair)
    cores = host.rectangle(2, pairs)
    ball = words * 4
    return Program(
        kernels=[
            host.reader(
                "ping_pong/kernels/player.cpp", cores, args, [CB_BALL, READY, TURN, *host.accessor(out)]
            )
        ],
        cbs=[CircularBuffer(ball, cores, CBFormat(CB_BALL, DataFormat.UInt32, ball))],
        semaphores=[Semaphore(READY, cores), Semaphore(TURN, cores)],
    )


def run(device: Device, pairs: int, words: int, hits: int, seed: int = 0) -> host.Result:
    """Nothing here is random: `seed` is the hit count's offset, so that different seeds differ."""
    hits += seed
    out = device.empty((pairs, words), dtype=DataFormat.UInt32, layout=ROW_MAJOR_LAYOUT)
    host.launch(device, ping_pong_program(device, pairs, words, hits, out))
    return out.to_torch(), torch.full((pairs, words), hits)


def main() -> None:
    host.show(lambda device: run(device, 3, 64, 7), TOLERANCE)


if __name__ == "__main__":
    main()
