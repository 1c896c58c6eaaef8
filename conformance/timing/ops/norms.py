"""The two halves of a distributed RMS norm, a row of tiles per core at a time."""

from __future__ import annotations

from conformance.accessors import accessor_words
from conformance.timing.ops.plan import Plan, grid, shares
from tilesmith.runtime import Device


def rms_before(device: Device, rows: int, width: int, dtype: str) -> float:
    """layernorm_pre_all_gather_op_multi_core: sums of squares; tiles are read one by one."""
    parts = shares(rows, grid(*device.arch.grid))
    plan = Plan(device, list(parts))
    x, out = plan.tensor(rows, width, dtype), plan.tensor(rows, 1)
    plan.buffer(0, 2 * width, dtype)
    plan.buffer(1, 1)
    plan.buffer(6, 2 * width)
    plan.buffer(14, 1)
    plan.reader(
        "rms_before_reader.cpp",
        accessor_words(x),
        {c: (x.address, f * width, n * width) for c, (f, n) in parts.items()},
    )
    plan.writer(
        "write_tiles.cpp",
        (14, 1, 1, *accessor_words(out)),
        {c: (out.address, f, 1, 0, 1, 0, n) for c, (f, n) in parts.items()},
    )
    plan.compute("rms_before_compute.cpp", (), {c: (n, width) for c, (_, n) in parts.items()}, "HiFi2")
    return plan.cycles()


def rms_after(device: Device, rows: int, width: int, dtype: str, stats: int) -> float:
    """layernorm_post_all_gather_op_multi_core: blocks of eight tiles."""
    parts = shares(rows, grid(*device.arch.grid))
    plan = Plan(device, list(parts))
    x, out = plan.tensor(rows, width, dtype), plan.tensor(rows, width, dtype)
    statistics, gamma = plan.tensor(rows, stats), plan.tensor(1, width)
    block = next(size for size in range(8, 0, -1) if width % size == 0)
    sizes = {1: stats, 2: width, 4: 1, 5: 1, 8: 1, 10: 1, 12: width}
    for index, tiles in sizes.items():
        plan.buffer(index, tiles)
    for index in (0, 14):
        plan.buffer(index, width, dtype)
    given = {
        c: (x.address, statistics.address, gamma.address, f, n, width, stats) for c, (f, n) in parts.items()
    }
    plan.reader("rms_after_reader.cpp", (block, *accessor_words(x, statistics, gamma)), given)
    out_args = {c: (out.address, f * width, 1, 0, 1, 0, n * width) for c, (f, n) in parts.items()}
    plan.writer("write_tiles.cpp", (14, block, 1, *accessor_words(out)), out_args)
    plan.compute(
        "rms_after_compute.cpp", (block,), {c: (n, width, stats) for c, (_, n) in parts.items()}, "HiFi2"
    )
    return plan.cycles()
