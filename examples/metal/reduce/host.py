"""Sum and maximum over rows, over columns, and over whole matrices."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from examples.metal.common import host

from tilesmith.formats import DataFormat
from tilesmith.program import ComputeConfig, Program
from tilesmith.runtime import Device, Tensor
from tilesmith.testing import Tolerance

TOLERANCE = Tolerance.of(DataFormat.Float16_b, roundings=1)
CB_IN, CB_SCALER, CB_OUT = 0, 2, 16


@dataclass(frozen=True)
class Walk:
    """Result r starts at (r // group) * group_stride + (r % group) * step: `length` tiles, `stride` apart."""

    results: int
    group: int
    group_stride: int
    step: int
    length: int
    stride: int

    @staticmethod
    def of(over: str, images: int, height: int, width: int) -> Walk:
        if over == "row":
            return Walk(images * height, 1, width, 0, width, 1)
        if over == "column":
            return Walk(images * width, width, height * width, 1, height, width)
        return Walk(images, 1, height * width, 0, height * width, 1)

    @property
    def arguments(self) -> tuple[int, ...]:
        return self.group, self.group_stride, self.step, self.length, self.stride


def reduce_program(device: Device, operation: str, over: str, walk: Walk, x: Tensor, out: Tensor) -> Program:
    shares = host.share_work(host.grid_of(device), walk.results)
    cores = host.rectangle(*host.grid_of(device))
    dimension = {"row": "ROW", "column": "COL", "matrix": "SCALAR"}[over]
    return Program(
        kernels=[
            host.reader(
                "reduce/kernels/reader.cpp",
                cores,
                {s.core: (x.address, s.first, s.count, *walk.arguments) for s in shares},
                [CB_IN, CB_SCALER, *host.accessor(x)],
            ),
            host.compute(
                "reduce/kernels/compute.cpp",
                cores,
                {s.core: (s.count, walk.length) for s in shares},
                [CB_IN, CB_SCALER, CB_OUT],
                ComputeConfig(fp32_dest_acc_en=True),
                defines={
                    "REDUCE_OP": f"PoolType::{operation.upper()}",
                    "REDUCE_DIM": f"ReduceDim::REDUCE_{dimension}",
                },
            ),
            host.writer(
                "common/kernels/write_tiles.cpp",
                cores,
                {s.core: (out.address, s.first, s.count) for s in shares},
                [CB_OUT, *host.accessor(out)],
            ),
        ],
        cbs=[
            host.tile_buffer(CB_IN, DataFormat.Float16_b, 2, cores),
            host.tile_buffer(CB_SCALER, DataFormat.Float16_b, 1, cores),
            host.tile_buffer(CB_OUT, DataFormat.Float16_b, 2, cores),
        ],
    )


def run(
    device: Device, shape: tuple[int, int, int], operation: str = "sum", over: str = "row", seed: int = 0
) -> host.Result:
    """`shape` is (images, height, width); `over` is "row", "column" or "matrix"."""
    images, height, width = shape
    x = host.random(shape, seed)
    reduced = {"row": (2,), "column": (1,), "matrix": (1, 2)}[over]
    # A result fills one row, one column or one element of its tile.
    out_shape = tuple(host.TILE if i in reduced else size for i, size in enumerate(shape))
    x_there, out = device.from_torch(x), device.empty(out_shape)
    walk = Walk.of(over, images, height // host.TILE, width // host.TILE)
    host.launch(device, reduce_program(device, operation, over, walk, x_there, out))
    result = out.to_torch()
    for dim in reduced:
        result = result.narrow(dim, 0, 1)
    reference = torch.sum if operation == "sum" else torch.amax
    return result, reference(x.float(), dim=reduced, keepdim=True)


def main() -> None:
    host.show(lambda device: run(device, (2, 96, 128)), TOLERANCE)


if __name__ == "__main__":
    main()
