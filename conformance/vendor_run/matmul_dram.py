"""A product with weights in shards of DRAM: a worker reads one bank, and all get the rows."""

from __future__ import annotations

from conformance.vendor_run.bench import (
    BF16,
    TILE,
    Bench,
    Result,
    argument,
    cores_of,
    random,
    rectangle,
    tiles,
)
from conformance.vendor_run.matmul import IN0, IN1, KERNELS
from tilesmith.formats import tile_bytes
from tilesmith.program import CBFormat, CircularBuffer, ComputeConfig, CoreCoord, Semaphore
from tilesmith.runtime.memory_config import (
    BufferType,
    MemoryConfig,
    ShardSpec,
    TensorMemoryLayout,
    width_sharded,
)

# On a square of four cores: one stores rows only, one stores and works, one works only, one is idle.
STORING = [CoreCoord(0, 0), CoreCoord(1, 0)]
WORKING = [CoreCoord(1, 0), CoreCoord(0, 1)]
GRID = rectangle(2, 2)
STORES, BOTH, WORKS, IDLE = 1, 2, 3, 0


def product(bench: Bench, k: int, k_block: int, columns: int) -> Result:
    """matmul_multicore_reuse_mcast_dram_sharded: `k` tiles by `columns` for each worker."""
    arch, size = bench.device.arch, tile_bytes(BF16)
    n, blocks = columns * len(WORKING), k // k_block
    a, b = random(TILE, k * TILE), random(k * TILE, n * TILE, seed=1)
    in0 = bench.put(a, memory_config=width_sharded(cores_of(STORING), (TILE, k // len(STORING) * TILE)))
    banks = ShardSpec(rectangle(len(WORKING), 1), (k * TILE, columns * TILE))
    in1 = bench.put(b, memory_config=MemoryConfig(TensorMemoryLayout.WIDTH_SHARDED, BufferType.DRAM, banks))
    memory = width_sharded(cores_of(STORING), (TILE, n // len(STORING) * TILE))
    out = bench.device.empty((TILE, n * TILE), BF16, memory_config=memory)
    xs, ys = zip(*(arch.worker_noc_xy(core) for core in STORING), strict=True)
    end, start = arch.worker_noc_xy(CoreCoord(0, 0)), arch.worker_noc_xy(CoreCoord(1, 1))  # as NoC 1 goes
    cores = list(GRID.cores())
    reader = bench.kernel(
        f"{KERNELS}/dataflow/reader_bmm_tile_layout_in0_sender_dram_sharded.cpp", GRID, IN0,
        compile_time_args={
            "in0_block_num_tiles": k_block, "in0_block_size_bytes": k_block * size, "in0_last_ktile_w": 0,
            "in0_last_ktile_h": 0, "in0_mcast_num_dests": len(WORKING), "in0_mcast_num_cores": 4,
            "num_blocks": blocks,
            "in0_mcast_dest_noc_start_x": start[0], "in0_mcast_dest_noc_start_y": start[1],
            "in0_mcast_dest_noc_end_x": end[0], "in0_mcast_dest_noc_end_y": end[1],
            "num_blocks_per_shard": blocks // len(STORING), "in0_block_w": k_block, "shards_per_block": 1,
            "in0_shard_width_bytes": k // len(STORING) * size,
        },
        runtime_args={
            core: {
                "worker_core_type": _kind(core), "is_last_ktile_padded": 0,
                "sender_id": STORING.index(core) if core in STORING else 0,
            }
            for core in cores
        },
        varargs=dict.fromkeys(cores, (*xs, *ys)), tensors={"in0_shard": argument(in0)},
        dataflow_buffers={"in0": 0}, semaphores={"in0_mcast_sender": 0, "in0_mcast_receiver": 1},
    )  # fmt: skip
    writer = bench.kernel(
        f"{KERNELS}/dataflow/reader_bmm_tile_layout_in1_sender_dram_sharded.cpp", GRID, IN1,
        compile_time_args={
            "in1_page_size": columns * k_block * size, "in1_num_pages": 1, "in1_block_w": columns,
            "in1_block_num_tiles": columns * k_block, "num_blocks": blocks, "out_block_num_tiles": columns,
            "out_tensor_stride_w_bytes": columns * size,
            "out_reshard_tensor_stride_w_bytes": n // len(STORING) * size, "per_core_M": 1,
            "workers_per_bank": 1, "bank_row_stride_tiles": columns, "reader_width_tiles": columns,
        },
        runtime_args={core: _bank(core) for core in cores},
        varargs={
            core: (columns * size, xs[index], ys[index])
            for core in cores
            for index in [WORKING.index(core) if core in WORKING else 0]
        },
        tensors={"in1": argument(in1), "out_shard": argument(out)}, dataflow_buffers={"in1": 1, "out": 4},
    )  # fmt: skip
    compute = bench.kernel(
        f"{KERNELS}/compute/bmm_large_block_zm_fused_bias_activation_metal2.cpp", GRID, ComputeConfig(),
        defines={"MATMUL_DRAM_SHARDED": "1"},
        compile_time_args={
            "in0_block_w": k_block, "in0_num_subblocks": 1, "in0_block_num_tiles": k_block,
            "in0_subblock_num_tiles": k_block, "in1_num_subblocks": 1,
            "in1_block_num_tiles": columns * k_block, "in1_block_w": columns, "num_blocks_inner_dim": blocks,
            "num_blocks_w_dim": 1, "num_blocks_h_dim": 1,
            "out_subblock_h": 1, "out_subblock_w": columns, "out_subblock_num_tiles": columns, "batch": 1,
            "out_block_num_tiles": columns, "untilize_out": 0, "get_batch_from_reader": 0,
            "last_subblock_w_valid": columns,
        },
        runtime_args={core: {"is_worker_core": int(core in WORKING)} for core in cores},
        dataflow_buffers={"in0": 0, "in1": 1, "out": 4, "intermed0": 5},
    )  # fmt: skip
    shared = (CBFormat(4, BF16, size), CBFormat(5, BF16, size))
    cbs = [tiles(0, 2 * k_block, GRID), tiles(1, 3 * columns * k_block, GRID)]
    cbs.append(CircularBuffer(columns * size, GRID, shared))
    bench.run([reader, writer, compute], cbs, [Semaphore(index, GRID) for index in range(2)])
    return out.to_torch(), a.float() @ b.float()


def _kind(core: CoreCoord) -> int:
    return {(True, False): STORES, (True, True): BOTH, (False, True): WORKS}.get(
        (core in STORING, core in WORKING), IDLE
    )


def _bank(core: CoreCoord) -> dict[str, int]:
    number = WORKING.index(core) if core in WORKING else 0
    return {
        "is_worker_core": int(core in WORKING), "dram_bank_id": number, "vc": number, "dram_reader_index": 0,
        "num_shard_to_write_back": 1, "reshard_tensor_start_offset": 0,
    }  # fmt: skip
