"""Tiles that only move: slices, and changes between interleaved and sharded tensors, all in L1."""

from __future__ import annotations

from conformance.accessors import accessor_words
from conformance.timing.ops.plan import Plan, grid, shares
from tilesmith.runtime import Device


def cut(device: Device, tiles: int, run: int, stride: int) -> float:
    """slice_program_factory with tiles: runs of tiles out of longer ones, tile by tile; both in L1."""
    parts = shares(tiles, grid(*device.arch.grid, by_columns=True))
    plan = Plan(device, list(parts), traced=True)
    x, out = plan.tensor(1, -(-tiles // run) * stride, memory="l1"), plan.tensor(1, tiles, memory="l1")
    plan.buffer(0, 2)
    given = {c: (x.address, f // run * stride + f % run, 1, 0, 1, 0, n) for c, (f, n) in parts.items()}
    plan.reader("read_tiles.cpp", (0, 1, *accessor_words(x)), given)
    out_args = {c: (out.address, f, 1, 0, 1, 0, n) for c, (f, n) in parts.items()}
    plan.writer("write_tiles.cpp", (0, 1, 0, *accessor_words(out)), out_args)
    return plan.cycles()


def to_shards(device: Device, cores: int, tiles: int) -> float:
    """interleaved_to_sharded_program_factory: every core reads its shard, with one barrier."""
    plan = Plan(device, grid(*device.arch.grid)[:cores], traced=True)
    x = plan.tensor(1, cores * tiles, memory="l1")
    plan.buffer(0, tiles)
    given = {core: (x.address, i * tiles, 1, 0, 1, 0, tiles) for i, core in enumerate(plan.cores)}
    plan.reader("read_tiles.cpp", (0, tiles, *accessor_words(x)), given)
    plan.writer("shard.cpp", (0, 0), dict.fromkeys(plan.cores, (tiles,)))
    return plan.cycles()


def from_shards(device: Device, cores: int, tiles: int) -> float:
    """sharded_to_interleaved_program_factory: every core writes its shard, with one barrier."""
    plan = Plan(device, grid(*device.arch.grid)[:cores], traced=True)
    out = plan.tensor(1, cores * tiles, memory="l1")
    plan.buffer(0, tiles)
    plan.reader("shard.cpp", (0, 1), dict.fromkeys(plan.cores, (tiles,)))
    given = {core: (out.address, i * tiles, 1, 0, 1, 0, tiles) for i, core in enumerate(plan.cores)}
    plan.writer("write_tiles.cpp", (0, tiles, 1, *accessor_words(out)), given)
    return plan.cycles()
