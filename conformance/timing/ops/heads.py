"""Heads of attention: split, concatenated, turned, and stored in a paged cache."""

from __future__ import annotations

from conformance.accessors import accessor_words
from conformance.timing.ops.plan import Plan, grid, shares
from tilesmith.formats import DataFormat
from tilesmith.program import CBFormat, CircularBuffer
from tilesmith.runtime import Device
from tilesmith.runtime.memory_config import DRAM_MEMORY_CONFIG, Layout


def create(device: Device, rows: int, heads: int, kv_heads: int, width: int, dtype: str) -> float:
    """nlp_create_qkv_heads_program_factory: a row of tiles at a time, tile by tile."""
    parts = shares(rows, grid(*device.arch.grid, by_columns=True))
    plan = Plan(device, list(parts))
    across = (heads + 2 * kv_heads) * width
    x = plan.tensor(rows, across, dtype)
    q, k, v = (plan.tensor(rows * count, width, dtype) for count in (heads, kv_heads, kv_heads))
    plan.buffer(1, 4, dtype)
    plan.reader(
        "read_tiles.cpp", (1, 1, *accessor_words(x)),
        {c: (x.address, f * across, 1, 0, 1, 0, n * across) for c, (f, n) in parts.items()},
    )  # fmt: skip
    where = (q.address, k.address, v.address)
    given = {c: (*where, f, n, rows, heads, kv_heads, width) for c, (f, n) in parts.items()}
    plan.writer("heads_writer.cpp", accessor_words(q), given)
    return plan.cycles()


def concat(device: Device, rows: int, heads: int, width: int, dtype: str) -> float:
    """nlp_concat_heads_program_factory: tiles of a row of every head one after another."""
    parts = shares(rows, grid(*device.arch.grid, by_columns=True))
    plan = Plan(device, list(parts))
    across = heads * width
    x, out = plan.tensor(rows * heads, width, dtype), plan.tensor(rows, across, dtype)
    plan.buffer(0, 2 * across, dtype)
    given = {c: (x.address, f * width, n, width, heads, rows * width, width) for c, (f, n) in parts.items()}
    plan.reader("read_tiles.cpp", (0, 1, *accessor_words(x)), given)
    out_args = {c: (out.address, f * across, 1, 0, 1, 0, n * across) for c, (f, n) in parts.items()}
    plan.writer("write_tiles.cpp", (0, 1, 0, *accessor_words(out)), out_args)
    return plan.cycles()


def rotary(device: Device, rows: int, heads: int, width: int) -> float:
    """rotary_embedding_llama_program_factory: some rows of every head on each core."""
    cores = grid(*device.arch.grid)
    per_core = -(-rows // min(len(cores), rows))
    used = cores[: -(-rows // per_core)]
    reload = per_core * heads > 8
    spans = {core: (i * per_core, min(rows, (i + 1) * per_core)) for i, core in enumerate(used)}
    plan = Plan(device, used)
    x, out = plan.tensor(rows * heads, width), plan.tensor(rows * heads, width)
    angles = [plan.tensor(rows, width) for _ in range(2)]
    turn = plan.tensor(1, 1)
    kept = 2 * width if reload else 2 * width * per_core
    sizes = {0: kept, 1: kept, 2: kept, 3: 1, 24: width, 25: width, 26: width, 16: 2 * width}
    for index, tiles in sizes.items():
        plan.buffer(index, tiles)
    where = (x.address, angles[0].address, angles[1].address, turn.address, heads, rows)
    given = {core: (*where, *span) for core, span in spans.items()}
    plan.reader("rotary_reader.cpp", (width, int(reload), *accessor_words(x)), given)
    counts = {core: (heads, last - first) for core, (first, last) in spans.items()}
    plan.compute("rotary_compute.cpp", (width, int(reload)), counts)
    out_args = {
        core: (out.address, first * width, heads, rows * width, last - first, width, width)
        for core, (first, last) in spans.items()
    }
    plan.writer("write_tiles.cpp", (16, width, 1, *accessor_words(out)), out_args)
    return plan.cycles()


def fill_cache(device: Device, rows: int, width: int, dtype: str, table_bytes: int) -> float:
    """paged_fill_cache_program_factory: some rows of tiles per core; each reads the user's page table."""
    parts = shares(rows, grid(*device.arch.grid))
    plan = Plan(device, list(parts))
    x, cache = plan.tensor(rows, width, dtype), plan.tensor(rows, width, dtype)
    table = device.empty(
        (1, table_bytes // 4), DataFormat.UInt32, Layout.ROW_MAJOR, memory_config=DRAM_MEMORY_CONFIG
    )
    plan.tensors.append(table)
    plan.buffer(0, 2 * width, dtype)
    plan.buffers.append(
        CircularBuffer(table_bytes, plan.core_set, CBFormat(1, DataFormat.UInt32, table_bytes))
    )
    given = {c: (x.address, f * width, n, width, 1, 0, width) for c, (f, n) in parts.items()}
    plan.reader("read_tiles.cpp", (0, width, *accessor_words(x)), given)
    where = (cache.address, table.address, table_bytes)
    out_args = {c: (*where, f, n) for c, (f, n) in parts.items()}
    plan.writer("fill_cache_writer.cpp", (width, *accessor_words(cache, table)), out_args)
    return plan.cycles()
