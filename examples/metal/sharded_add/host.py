"""Adding two tensors that are already spread over the cores' L1: circular buffers stand on the shards."""

from __future__ import annotations

from math import ceil

from examples.metal.common import host

from tilesmith.formats import DataFormat
from tilesmith.program import Program, num_cores_to_corerangeset
from tilesmith.runtime import Device, Tensor, cb_from_sharded_tensor, height_sharded
from tilesmith.testing import Tolerance

TOLERANCE = Tolerance.of(DataFormat.Float16_b, roundings=1)
CB_A, CB_B, CB_OUT = 0, 1, 16
ROWS_PER_SHARD = 2


def add_program(a: Tensor, b: Tensor, out: Tensor) -> Program:
    cores = out.cores
    height, width = (size // host.TILE for size in out.padded_shape[-2:])
    # The last shard may be only partly filled.
    rows = [min(ROWS_PER_SHARD, height - first) for first in range(0, height, ROWS_PER_SHARD)]
    tiles = {core: (count * width,) for core, count in zip(cores.cores(), rows, strict=True)}
    return Program(
        kernels=[
            host.reader("sharded_add/kernels/announce.cpp", cores, tiles, [CB_A, CB_B]),
            host.compute("sharded_add/kernels/compute.cpp", cores, tiles, [CB_A, CB_B, CB_OUT]),
            host.writer("sharded_add/kernels/collect.cpp", cores, tiles, [CB_OUT]),
        ],
        cbs=[cb_from_sharded_tensor(cb, t) for cb, t in ((CB_A, a), (CB_B, b), (CB_OUT, out))],
    )


def run(device: Device, tile_rows: int, width: int, seed: int = 0) -> host.Result:
    """A tensor of `tile_rows` rows of tiles, `width` elements wide."""
    shape = (tile_rows * host.TILE, width)
    a, b = host.random(shape, seed), host.random(shape, seed + 1)
    cores = num_cores_to_corerangeset(ceil(tile_rows / ROWS_PER_SHARD), device.arch.grid, row_wise=True)
    memory = height_sharded(cores, (ROWS_PER_SHARD * host.TILE, width))
    out = device.empty(shape, memory_config=memory)
    a_there, b_there = (device.from_torch(t, memory_config=memory) for t in (a, b))
    host.launch(device, add_program(a_there, b_there, out))
    return out.to_torch(), a.float() + b.float()


def main() -> None:
    host.show(lambda device: run(device, 13, 96), TOLERANCE)


if __name__ == "__main__":
    main()
