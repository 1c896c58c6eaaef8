"""A new row for each user in a key or value cache whose blocks a page table finds."""

from __future__ import annotations

import torch

from conformance.vendor_run.bench import (
    BF16,
    TILE,
    Bench,
    Result,
    argument,
    on_shard,
    random,
    rectangle,
    tiles,
)
from tilesmith.formats import DataFormat, tile_bytes
from tilesmith.program import CBFormat, CircularBuffer, ComputeConfig, ReaderConfig, Semaphore, WriterConfig
from tilesmith.runtime.memory_config import Layout, height_sharded

KERNELS = "experimental/paged_cache/device/kernels"


def paged_update(bench: Bench, heads: int, positions: tuple[int, ...]) -> Result:
    """paged_update_cache_program_factory: one core for each user. A position of -1 leaves that user out."""
    users, wt, block, blocks_each = len(positions), 2, 64, 2
    cores = rectangle(users, 1)
    blocks = users * blocks_each + 1
    cache = random(blocks, heads, block, wt * TILE)
    new = random(users, TILE, wt * TILE, seed=1)
    order = torch.randperm(blocks, generator=torch.Generator().manual_seed(3))[: users * blocks_each]
    table = order.reshape(users, blocks_each).to(torch.int32)
    held = bench.put(cache)
    source = bench.put(new.reshape(-1, wt * TILE), memory_config=height_sharded(cores, (TILE, wt * TILE)))
    index = bench.put(torch.tensor([positions], dtype=torch.int32), DataFormat.Int32, Layout.ROW_MAJOR)
    pages = bench.put(table, DataFormat.Int32, Layout.ROW_MAJOR)
    defines = {"USE_INDEX_TENSOR": "1", "IS_PAGED_CACHE": "1"}
    sizes = {
        "cache_batch_num_tiles": 0, "Wt": wt, "num_heads": heads, "block_size": block,
        "block_size_t": block // TILE, "max_blocks_per_seq": blocks_each, "St": block // TILE,
        "cache_position_modulo": 0,
    }  # fmt: skip
    reader = bench.kernel(
        f"{KERNELS}/dataflow/reader_update_cache_interleaved_start_id.cpp", cores, ReaderConfig(),
        defines=defines, semaphores={"in0_seq": 0},
        compile_time_args=sizes | {
            "log_base_2_of_page_size": 0, "index_stick_size_B": index.aligned_page_size,
            "log2_page_table_stick_size": 0, "page_table_stick_size": pages.aligned_page_size,
        },
        tensors={"cache": argument(held), "index": argument(index), "page_table": argument(pages)},
        dataflow_buffers={"cache": 0, "input": 1, "index": 2, "page_table": 3},
        runtime_args={
            core: {"cache_start_id": 0, "my_batch_idx": user, "wait_to_start": 0}
            for user, core in enumerate(cores.cores())
        },
    )  # fmt: skip
    writer = bench.kernel(
        f"{KERNELS}/dataflow/writer_update_cache_interleaved_start_id.cpp", cores, WriterConfig(),
        defines=defines, compile_time_args=sizes | {"Wbytes": 2 * wt * TILE}, semaphores={"in0_seq": 0},
        tensors={"cache": argument(held)},
        dataflow_buffers={
            "cache": 16, "untilized_cache": 24, "untilized_cache2": 25, "untilized_input": 26, "index": 2,
            "page_table": 3,
        },
        runtime_args={
            core: {
                "cache_start_id": 0, "cache_tile_offset_B": 0, "my_batch_idx": user, "send_signal": 0,
                "send_core_x": 0, "send_core_y": 0,
            }
            for user, core in enumerate(cores.cores())
        },
    )  # fmt: skip
    compute = bench.kernel(
        f"{KERNELS}/compute/update_cache.cpp", cores, ComputeConfig(),
        compile_time_args={"Wt": wt, "num_heads": heads},
        dataflow_buffers={
            "in": 1, "cache": 0, "untilized_cache": 24, "untilized_cache2": 25, "untilized_in": 26, "out": 16
        },
    )  # fmt: skip
    size = tile_bytes(BF16)
    cbs = [
        tiles(0, 2 * wt, cores),
        on_shard(1, source, cores),
        tiles(26, wt, cores),
        tiles(16, 2 * wt, cores),
    ]
    cbs += [
        CircularBuffer(stick, cores, CBFormat(at, DataFormat.Int32, stick))
        for at, stick in ((2, index.aligned_page_size), (3, pages.aligned_page_size))
    ]
    both = (CBFormat(24, BF16, size), CBFormat(25, BF16, size))
    cbs.append(CircularBuffer(2 * wt * size, cores, both))
    bench.run([reader, writer, compute], cbs, [Semaphore(0, cores)])
    wanted = cache.clone()
    for user, position in enumerate(positions):
        if position >= 0:
            wanted[table[user, position // block], :, position % block] = new[user, :heads]
    return held.to_torch(), wanted
