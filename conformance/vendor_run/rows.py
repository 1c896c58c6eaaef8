"""Softmax and reductions along rows."""

from __future__ import annotations

import torch

from conformance.vendor_run.bench import (
    BF16,
    ORIGIN,
    TILE,
    Bench,
    Result,
    argument,
    bits,
    random,
    rectangle,
    tiles,
)
from tilesmith.program import ComputeConfig, ReaderConfig, WriterConfig

SOFTMAX = "normalization/softmax/device/kernels/attention"
REDUCE = "reduction/generic/device/kernels"
NORM = "normalization/layernorm/device/kernels"
EPS = 1e-5
WRITER = "eltwise/unary/device/kernels/dataflow/writer_unary_interleaved_start_id_metal2.cpp"


def softmax(bench: Bench, width: int, stable: bool) -> Result:
    """Two cores with different numbers of rows of tiles; softmax_program_factory_attention_optimized."""
    shares = ((0, 1), (1, 2))
    cores = rectangle(2, 1)
    x = random(3 * TILE, width)
    src, dst = bench.put(x), bench.device.empty(x.shape, BF16)
    wt, padded = -(-width // TILE), -width % TILE
    block = next(size for size in (4, 3, 2, 1) if wt % size == 0)
    defines = {"EXP_APPROX": "0"}
    buffers = {"in0": 0, "max_scaler": 2, "sum_scaler": 13, "exps": 6, "recip_sum_exps": 7, "out0": 11}
    counts = {"in0": 2 * block, "max_scaler": 1, "sum_scaler": 1, "exps": wt, "recip_sum_exps": 1}
    counts["out0"] = 2 * block
    if padded:
        defines["MASK_PADDED_DATA"] = "1"
    buffers["mask_padded"], counts["mask_padded"] = 5, 1
    if stable:
        defines["NUMERIC_STABLE"] = "1"
        buffers |= {"max": 8, "x": 10}
        counts |= {"max": 1, "x": wt}
        if not padded:
            counts["in0"] = wt
    parts = dict(zip(cores.cores(), shares, strict=True))
    reader = bench.kernel(
        f"{SOFTMAX}/dataflow/reader_unary_interleaved_sm.cpp", cores, ReaderConfig(),
        compile_time_args={"in0_t": counts["in0"]}, tensors={"src": argument(src)}, defines=defines,
        dataflow_buffers={name: buffers[name] for name in ("in0", "max_scaler", "sum_scaler")},
        runtime_args={
            core: {"blk": block, "num_rows": count, "tile_offset": first * wt, "Wt": wt}
            for core, (first, count) in parts.items()
        },
    )  # fmt: skip
    writer = bench.kernel(
        f"{SOFTMAX}/dataflow/writer_unary_interleaved_start_id_blocked_sm.cpp", cores, WriterConfig(),
        compile_time_args={"num_datum_padded": padded, "tile_hw": TILE * TILE}, defines=defines,
        tensors={"dst": argument(dst)},
        dataflow_buffers={name: buffers[name] for name in ("out0", "mask_padded")},
        runtime_args={
            core: {
                "num_tiles": count * wt, "tile_offset": first * wt, "blk": block, "Wt": wt,
                "mask_padded_data": int(padded > 0),
            }
            for core, (first, count) in parts.items()
        },
    )  # fmt: skip
    compute = bench.kernel(
        f"{SOFTMAX}/compute/softmax.cpp", cores, ComputeConfig(), defines=defines,
        compile_time_args={"in0_t": counts["in0"]}, dataflow_buffers=buffers,
        runtime_args={
            core: {"num_rows": count, "Ht": 3, "Wt": wt, "blk": block, "start_ht": first}
            for core, (first, count) in parts.items()
        },
    )  # fmt: skip
    bench.run(
        [reader, writer, compute], [tiles(buffers[name], count, cores) for name, count in counts.items()]
    )
    return dst.to_torch(), torch.softmax(x.float(), -1)


def reduction(bench: Bench, operation: str, dim: str) -> Result:
    """reduce_op_multi_core_w_program_factory, and the one over both axes."""
    x = random(2, 2 * TILE, 3 * TILE)
    scale = 0.5 if operation == "SUM" else 1.0
    src = bench.put(x)
    ht, wt, batches = 2, 3, 2
    outputs = batches * (ht if dim == "ROW" else 1)
    dst = bench.device.empty((outputs * TILE, TILE), BF16)
    cores = rectangle(1, 1)
    core = ORIGIN
    defines = {
        "REDUCE_OP": f"ckernel::PoolType::{operation}",
        "REDUCE_DIM": f"ckernel::ReduceDim::REDUCE_{dim}",
    }
    reader = bench.kernel(
        f"{REDUCE}/dataflow/reader_unary_reduce_universal_start_id.cpp", cores, ReaderConfig(),
        defines=defines, compile_time_args={"tiles_per_batch": 2},
        common_runtime_args={"scaler_bits": bits(scale)},
        tensors={"src": argument(src)}, dataflow_buffers={"in0": 0, "scaler": 2},
        runtime_args={core: {"num_tiles": batches * ht * wt, "start_id": 0}},
    )  # fmt: skip
    compute = bench.kernel(
        f"{REDUCE}/compute/reduce.cpp", cores, ComputeConfig(fp32_dest_acc_en=True), defines=defines,
        compile_time_args={"enable_fp32_sfpu": 0}, dataflow_buffers={"in0": 0, "scaler": 2, "out": 3},
        runtime_args={core: {"Ht": ht, "Wt": wt, "NC": batches}},
    )  # fmt: skip
    writer = bench.kernel(
        WRITER, cores, WriterConfig(), tensors={"dst": argument(dst)}, dataflow_buffers={"out": 3},
        runtime_args={core: {"num_pages": outputs, "start_id": 0}},
    )  # fmt: skip
    bench.run([reader, compute, writer], [tiles(0, 4, cores), tiles(2, 1, cores), tiles(3, 2, cores)])
    made = dst.to_torch()
    if dim == "ROW":
        found = made[:, 0].reshape(2, 2 * TILE)
        wanted = x.float().sum(-1) * scale if operation == "SUM" else x.float().amax(-1)
    else:
        found = made[::TILE, 0]
        wanted = x.float().sum((1, 2)) * scale**2 if operation == "SUM" else x.float().amax((1, 2))
    return found, wanted


def layer_norm(bench: Bench, width: int, block: int, rms: bool) -> Result:
    """layernorm_op_multi_core, with weights; two cores with different numbers of rows of tiles."""
    cores = rectangle(2, 1)
    x, gamma, beta = random(3 * TILE, width), random(width, seed=1), random(width, seed=2)
    src, dst = bench.put(x), bench.device.empty(x.shape, BF16)
    weights = {"gamma": bench.put(gamma[None])} | ({} if rms else {"beta": bench.put(beta[None])})
    wt = -(-width // TILE)
    row = -(-wt // block) * block
    counts = {"in": row, "scaler": 2, "eps": 1, "out": 2 * block, "ex2": 1, "xmm2": row, "ex2pe": 1}
    counts |= {"fusion": 2 * block} | dict.fromkeys(weights, row)
    counts |= {} if rms else {"ex": 1, "xmm": row}
    buffers = {name: index for index, name in enumerate(counts)}
    defines = {"FUSE_GAMMA": "1"} | ({"RMSNORM": "1"} if rms else {"FUSE_BETA": "1"})
    parts = dict(zip(cores.cores(), ((0, 1), (1, 2)), strict=True))
    reader = bench.kernel(
        f"{NORM}/dataflow/reader_unary_interleaved_ln.cpp", cores, ReaderConfig(), defines=defines,
        compile_time_args={"block_size": block, "W": width}, common_runtime_args={"eps": bits(EPS)},
        tensors={"src": argument(src)} | {name: argument(one) for name, one in weights.items()},
        dataflow_buffers={name: buffers[name] for name in ("in", "scaler", "eps", *weights)},
        runtime_args={
            core: {"NCHt": n, "Wt": wt, "reader_start": first} for core, (first, n) in parts.items()
        },
    )  # fmt: skip
    compute = bench.kernel(
        f"{NORM}/compute/layernorm.cpp", cores, ComputeConfig(), defines=defines, dataflow_buffers=buffers,
        compile_time_args={
            "Wt": wt, "block_size": block, "do_gamma": 1, "do_beta": int(not rms), "fp32_dest_acc_en": 0,
            "float32_reduction": 0, "W": width, "tile_width": TILE,
        },
        runtime_args={core: {"NCHt": n} for core, (_, n) in parts.items()},
    )  # fmt: skip
    writer = bench.kernel(
        f"{NORM}/dataflow/writer_unary_interleaved_start_id_blocked.cpp", cores, WriterConfig(),
        compile_time_args={"block_size": block}, tensors={"dst": argument(dst)},
        dataflow_buffers={"out": buffers["out"]},
        runtime_args={
            core: {"Wt": wt, "num_tile_rows": n, "writer_start": first * wt}
            for core, (first, n) in parts.items()
        },
    )  # fmt: skip
    bench.run(
        [reader, compute, writer], [tiles(buffers[name], count, cores) for name, count in counts.items()]
    )
    if rms:
        return dst.to_torch(), torch.nn.functional.rms_norm(x.float(), (width,), gamma.float(), EPS)
    return dst.to_torch(), torch.nn.functional.layer_norm(
        x.float(), (width,), gamma.float(), beta.float(), EPS
    )
