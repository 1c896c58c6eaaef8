"""The two halves of a distributed RMS norm, a row of tiles per core at a time."""

from __future__ import annotations

from conformance.timing.ops.plan import Plan, accessor, grid, shares
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
        "rms_before_reader.cpp", accessor(x), {c: (x.address, f * width, n * width) for c, (f, n) in parts.items()}
    )
    plan.writer(
        "write_tiles.cpp", (14, 1, 1, *accessor(out)), {c: (out.address, f, 1, 0, 1, 0, n) for c, (f, n) in parts.items()}
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
    for index, tiles, one in (
        (0, width, dtype), (1, stats, "bf16"), (2, width, "bf16"), (4, 1, "bf16"), (5, 1, "bf16"), (8, 1, "bf16"),
        (10, 1, "bf16"), (12, width, "bf16"), (14, width, dtype),
    ):  # fmt: skip
        plan.buffer(index, tiles, one)
    given = {c: (x.address, statistics.address, gamma.address, f, n, width, stats) for c, (f, n) in parts.items()}
    plan.reader("rms_after_reader.cpp", (block, *accessor(x, statistics, gamma)), given)
    out_args = {c: (out.address, f * width, 1, 0, 1, 0, n * width) for c, (f, n) in parts.items()}
    plan.writer("write_tiles.cpp", (14, block, 1, *accessor(out)), out_args)
    plan.compute("rms_after_compute.cpp", (block,), {c: (n, width, stats) for c, (_, n) in parts.items()}, "HiFi2")
    return plan.cycles()
