"""a + b and a * b where b is one row, one column or one number per matrix."""

from __future__ import annotations

from examples.metal.common import host

from tilesmith.formats import DataFormat
from tilesmith.program import Program
from tilesmith.runtime import Device, Tensor
from tilesmith.testing import Tolerance

TOLERANCE = Tolerance.of(DataFormat.Float16_b, roundings=1)
CB_A, CB_B, CB_OUT = 0, 1, 16
KINDS = {"rows": 0, "cols": 1, "scalar": 2}


def broadcast_program(
    device: Device, operation: str, kind: str, a: Tensor, b: Tensor, out: Tensor
) -> Program:
    shares = host.share_work(host.grid_of(device), out.num_pages)
    cores = host.rectangle(*host.grid_of(device))
    height, width = (size // host.TILE for size in a.padded_shape[-2:])
    buffers = {"cb_a": CB_A, "cb_b": CB_B, "cb_out": CB_OUT}
    return Program(
        kernels=[
            host.reader(
                "broadcast/kernels/reader.cpp",
                cores,
                {s.core: (a.address, b.address, s.first, s.count) for s in shares},
                [*host.accessor(a), *host.accessor(b)],
                named_compile_time_args={"cb_a": CB_A, "cb_b": CB_B, "broadcast": KINDS[kind]},
                common_runtime_args=(height, width),
            ),
            host.compute(
                "broadcast/kernels/compute.cpp",
                cores,
                {s.core: (s.count,) for s in shares},
                [],
                named_compile_time_args=buffers,
                defines={
                    "BROADCAST_INIT": f"{operation}_bcast_{kind}_init",
                    "BROADCAST_TILES": f"{operation}_tiles_bcast_{kind}",
                },
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


def run(
    device: Device, shape: tuple[int, int, int], operation: str = "add", kind: str = "rows", seed: int = 0
) -> host.Result:
    """`shape` is (images, height, width); `kind` says what is repeated: "rows", "cols" or "scalar"."""
    images, height, width = shape
    a = host.random(shape, seed)
    b = host.random(
        {"rows": (images, 1, width), "cols": (images, height, 1), "scalar": (images, 1, 1)}[kind], seed + 1
    )
    a_there, b_there, out = device.from_torch(a), device.from_torch(b), device.empty(shape)
    host.launch(device, broadcast_program(device, operation, kind, a_there, b_there, out))
    expected = a.float() + b.float() if operation == "add" else a.float() * b.float()
    return out.to_torch(), expected


def main() -> None:
    host.show(lambda device: run(device, (2, 96, 64)), TOLERANCE)


if __name__ == "__main__":
    main()
