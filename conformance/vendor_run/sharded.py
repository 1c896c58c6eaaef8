"""Layer norm of a width-sharded tensor: cores reduce each other's partial sums, and one tells all."""

from __future__ import annotations

from typing import Any

import torch

from conformance.vendor_run.bench import (
    BF16,
    TILE,
    Bench,
    Result,
    argument,
    bits,
    on_shard,
    random,
    rectangle,
    tiles,
)
from tilesmith.formats import tile_bytes
from tilesmith.program import ComputeConfig, CoreCoord, ReaderConfig, Semaphore, WriterConfig
from tilesmith.runtime.memory_config import width_sharded

NORM = "normalization/layernorm/device/kernels"
EPS = 1e-5
# By name: the index of each circular buffer. Reduction kernels have those that end in a partial sum.
BUFFERS = {
    "in0": 0, "scaler": 2, "eps": 3, "scaler_global": 4, "gamma": 5, "beta": 6, "ex_partial": 8, "ex": 9,
    "ex_external": 10, "ex_partial2": 11, "ex2": 12, "ex_external2": 13, "ex_global": 15, "out": 16,
    "xmm": 18, "ex2pe": 20, "x": 24,
}  # fmt: skip
REDUCING = ("ex_partial", "ex_external", "ex", "ex_global", "ex_partial2", "ex_external2", "ex2pe", "ex2")


def layer_norm(bench: Bench, cores: int, height: int, width: int) -> Result:
    """layernorm_op_multi_core_sharded: `height` by `width` tiles on each of `cores` cores of a row.

    The first `height` cores (or all) reduce one row of tiles each: the first of them sends, the others and
    those that reduce nothing receive.
    """
    grid = rectangle(cores, 1)
    line = list(grid.cores())
    per_worker = -(-height // cores)
    workers = -(-height // per_worker)
    columns = cores * width * TILE
    x = random(height * TILE, columns)
    gamma, beta = random(columns, seed=1), random(columns, seed=2)
    memory = width_sharded(grid, (height * TILE, width * TILE))
    src = bench.put(x, memory_config=memory)
    dst = bench.device.empty(x.shape, BF16, memory_config=memory)
    weights = {"gamma": bench.put(gamma[None]), "beta": bench.put(beta[None])}
    block = height * width
    last = height - (workers - 1) * per_worker
    kernels = []
    for number, core in enumerate(line):
        role = "sender" if number == 0 else "receiver"
        kernels.append(_reader(bench, core, number, line, (height, per_worker, workers, last), role))
        kernels.append(_writer(bench, core, number < workers, width, number, cores, columns, weights))
        mine = last if number == workers - 1 else per_worker
        kernels.append(_compute(bench, core, number < workers, height, width, cores, mine))
    counts = {
        "scaler": 1,
        "eps": 1,
        "scaler_global": 1,
        "gamma": width,
        "beta": width,
        "x": block,
        "xmm": block,
    }
    counts |= dict.fromkeys(("ex_partial", "ex", "ex_partial2", "ex2", "ex_global"), height)
    counts |= {"ex_external": cores, "ex_external2": cores, "ex2pe": per_worker}
    cbs = [tiles(BUFFERS[name], count, grid) for name, count in counts.items()]
    cbs += [on_shard(BUFFERS["in0"], src, grid), on_shard(BUFFERS["out"], dst, grid)]
    bench.run(kernels, cbs, [Semaphore(index, grid) for index in range(3)])
    wanted = torch.nn.functional.layer_norm(x.float(), (columns,), gamma.float(), beta.float(), EPS)
    return dst.to_torch(), wanted


def _reader(
    bench: Bench, core: CoreCoord, number: int, line: list[CoreCoord], rows: tuple[int, ...], role: str
) -> Any:
    height, per_worker, workers, last = rows
    cores, size = len(line), tile_bytes(BF16)
    xs, ys = zip(*(bench.device.arch.worker_noc_xy(one) for one in line), strict=True)
    common = {
        "num_blocks": cores, "block_h": height, "num_tiles_per_worker": per_worker, "row_major": 1,
        "num_x": cores, "num_y": 1, "use_two_stage_reduce": 0, "num_blocks_first_stage": cores,
        "num_blocks_second_stage": 0,
    }  # fmt: skip
    if role == "sender":
        # On the reader's NoC, from the lower corner on.
        corners = (xs[1], ys[0], xs[-1], ys[0])
        names = ("start_x", "start_y", "end_x", "end_y")
        given = {f"mcast_dest_noc_{name}": at for name, at in zip(names, corners, strict=True)}
        special = {
            "num_all_to_all_workers_first_stage": workers, "num_mcast_dests": cores - 1,
            "num_tiles_per_worker_bytes": per_worker * size, "num_tiles_per_worker_last_bytes": last * size,
        }  # fmt: skip
    else:
        given = {
            "is_last_all_to_all_worker": int(number == workers - 1), "is_second_stage_reader": 0,
            "all_to_all_tile_offset_bytes": number * per_worker * size,
        }  # fmt: skip
        special = {
            "is_all_to_all_worker": int(number < workers), "num_all_to_all_workers": workers,
            "num_tiles_per_worker_last": last,
        }  # fmt: skip
    return bench.kernel(
        f"{NORM}/dataflow/reader_mcast_{role}_unary_sharded_ln.cpp", core, ReaderConfig(),
        compile_time_args=common | special, runtime_args={core: given | {"start_x": number, "start_y": 0}},
        varargs={core: (*xs, ys[0])}, dataflow_buffers={name: BUFFERS[name] for name in REDUCING},
        semaphores={"reduce_receiver": 0, "reduce_sender": 1, "reduce_second_stage": 2},
    )  # fmt: skip


def _writer(
    bench: Bench,
    core: CoreCoord,
    worker: bool,
    width: int,
    number: int,
    cores: int,
    columns: int,
    weights: Any,
) -> Any:
    names = ("scaler", "eps", "scaler_global", "gamma", "beta")
    return bench.kernel(
        f"{NORM}/dataflow/writer_unary_sharded_ln.cpp", core, WriterConfig(),
        defines={"FUSE_GAMMA": "1", "FUSE_BETA": "1", "SKIP_WRITE_BACK": "1"},
        compile_time_args={"is_all_to_all_worker": int(worker), "block_w": width},
        runtime_args={
            core: {
                "width_shard_tile_start_id": number * width, "scalar_w": bits(cores / columns),
                "scalar_c": bits(1 / cores), "eps": bits(EPS),
            }
        },
        tensors={name: argument(one) for name, one in weights.items()},
        dataflow_buffers={name: BUFFERS[name] for name in names},
    )  # fmt: skip


def _compute(
    bench: Bench, core: CoreCoord, worker: bool, height: int, width: int, cores: int, mine: int
) -> Any:
    subblock = next(size for size in (4, 3, 2, 1) if width % size == 0)
    rows = {"num_rows_per_all_to_all_worker": mine, "use_two_stage_reduce": 0, "is_second_stage_reader": 0}
    return bench.kernel(
        f"{NORM}/compute/layernorm_sharded.cpp", core, ComputeConfig(),
        defines={"FUSE_GAMMA": "1", "FUSE_BETA": "1"} | ({"IS_ALLGATHER_WORKER": "1"} if worker else {}),
        compile_time_args={
            "num_blocks_first_stage": cores, "block_w": width, "block_h": height, "subblock_w": subblock,
            "num_subblocks_w": width // subblock, "num_tiles_per_block": height * width, "float32_dtype": 0,
            "num_blocks_second_stage": 0,
        },
        runtime_args={core: {"num_reduce_tiles_per_block_h": width} | (rows if worker else {})},
        dataflow_buffers=BUFFERS,
    )  # fmt: skip
