"""Typecasts and binary operations, one tile at a time, as the vendor's programs do them."""

from __future__ import annotations

from conformance.accessors import accessor_words
from conformance.timing.ops.plan import Plan, grid, shares
from tilesmith.runtime import Device


def typecast(device: Device, tiles: int, source: str, target: str, memory: str = "dram") -> float:
    """unary_program_factory: formats that unpacker and packer convert, so a copy."""
    cores = grid(*device.arch.grid, by_columns=True)
    parts = shares(tiles, cores)
    plan = Plan(device, list(parts))
    x, out = plan.tensor(1, tiles, source, memory), plan.tensor(1, tiles, target, memory)
    plan.buffer(0, 2, source)
    plan.buffer(2, 2, target)
    plan.reader(
        "read_tiles.cpp",
        (0, 1, *accessor_words(x)),
        {c: (x.address, f, 1, 0, 1, 0, n) for c, (f, n) in parts.items()},
    )
    plan.writer(
        "write_tiles.cpp",
        (2, 1, 0, *accessor_words(out)),
        {c: (out.address, f, 1, 0, 1, 0, n) for c, (f, n) in parts.items()},
    )
    plan.compute("copy_tiles.cpp", (), {c: (n,) for c, (_, n) in parts.items()})
    return plan.cycles()


def binary(device: Device, tiles: int, dtype: str, product: bool, silu: bool) -> float:
    """binary_ng_program_factory without a broadcast: the writer reads the second operand too."""
    cores = grid(*device.arch.grid, by_columns=True)
    parts = shares(tiles, cores)
    plan = Plan(device, list(parts))
    a, b, out = (plan.tensor(1, tiles, dtype) for _ in range(3))
    for index in range(3):
        plan.buffer(index, 2, dtype)
    if silu:
        plan.buffer(3, 1, dtype)
    plan.reader(
        "read_tiles.cpp",
        (0, 1, *accessor_words(a)),
        {c: (a.address, f, 1, 0, 1, 0, n) for c, (f, n) in parts.items()},
    )
    plan.writer(
        "binary_second.cpp",
        accessor_words(b, out),
        {c: (b.address, out.address, f, n) for c, (f, n) in parts.items()},
    )
    plan.compute("binary_compute.cpp", (int(product), int(silu)), {c: (n,) for c, (_, n) in parts.items()})
    return plan.cycles()


def sharded_binary(device: Device, cores: int, tiles: int, dtype: str, product: bool, silu: bool) -> float:
    """The same of shards in L1: nothing moves."""
    plan = Plan(device, grid(*device.arch.grid)[:cores], traced=True)
    for index in (0, 1, 2):
        plan.buffer(index, tiles, dtype)
    if silu:
        plan.buffer(3, 1, dtype)
    given = dict.fromkeys(plan.cores, (tiles,))
    plan.reader("two_shards.cpp", (), given)
    plan.writer("shard.cpp", (2, 0), given)
    plan.compute("binary_compute.cpp", (int(product), int(silu)), given)
    return plan.cycles()
