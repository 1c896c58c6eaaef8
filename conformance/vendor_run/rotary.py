"""Rotary position embeddings, with a rotation matrix as Llama's and by halves."""

from __future__ import annotations

import torch

from conformance.vendor_run.bench import BF16, TILE, Bench, Result, argument, random, rectangle, tiles
from tilesmith.formats import tile_bytes
from tilesmith.program import ComputeConfig, ReaderConfig, WriterConfig

LLAMA = "experimental/transformer/rotary_embedding_llama/device/kernels"


def llama(bench: Bench, reload: bool) -> Result:
    """rotary_embedding_llama_multi_core_program_factory: each core has some rows of every head."""
    cores, batch, heads, ht, wt = rectangle(2, 1), 2, 3, 3, 2
    x = random(batch, heads, ht * TILE, wt * TILE)
    cos, sin = random(1, 1, ht * TILE, wt * TILE, seed=1), random(1, 1, ht * TILE, wt * TILE, seed=2)
    rotation = torch.zeros(1, 1, TILE, TILE, dtype=torch.bfloat16)
    for i in range(0, TILE, 2):
        rotation[0, 0, i, i + 1], rotation[0, 0, i + 1, i] = 1, -1
    given = {"input": x, "cos": cos, "sin": sin, "trans_mat": rotation}
    tensors = {name: bench.put(values) for name, values in given.items()}
    dst = bench.device.empty(x.shape, BF16)
    held, zero = bench.scratchpad(tile_bytes(BF16))
    counts = {"input": 2 * wt, "cos": 2 * wt, "sin": 2 * wt, "trans_mat": 1, "rotated_interm": wt}
    counts |= {"cos_interm": wt, "sin_interm": wt, "out": 2 * wt}
    buffers = {name: index for index, name in enumerate(counts)}
    defines = {"RELOAD_IMPL": str(int(reload))}
    rows = dict(zip(cores.cores(), ((0, 1), (1, ht)), strict=True))
    spans = {
        core: {"batch_start": 0, "batch_end": batch, "seq_t_start": first, "seq_t_end": last}
        for core, (first, last) in rows.items()
    }
    by_head = {core: span | {"head_start": 0, "head_end": heads} for core, span in spans.items()}
    reader = bench.kernel(
        f"{LLAMA}/dataflow/reader_rotary_embedding_llama_interleaved_start_id.cpp", cores, ReaderConfig(),
        defines=defines, tensors={name: argument(one) for name, one in tensors.items()},
        compile_time_args={
            "n_heads": heads, "Ht": ht, "Wt": wt, "freq_per_head": 0, "cos_Ht": ht, "sin_Ht": ht,
            "rotary_Ht": ht,
        },
        dataflow_buffers={name: buffers[name] for name in given}, runtime_args=by_head,
    )  # fmt: skip
    compute = bench.kernel(
        f"{LLAMA}/compute/rotary_embedding_llama.cpp", cores, ComputeConfig(), defines=defines,
        compile_time_args={"Wt": wt, "n_heads": heads, "rotary_Ht": ht}, dataflow_buffers=buffers,
        runtime_args=spans,
    )  # fmt: skip
    writer = bench.kernel(
        f"{LLAMA}/dataflow/writer_rotary_embedding_llama_interleaved_start_id.cpp", cores, WriterConfig(),
        compile_time_args={"n_heads": heads, "Ht": ht, "Wt": wt, "rotary_Ht": ht}, runtime_args=by_head,
        tensors={"output": argument(dst)}, dataflow_buffers={"out": buffers["out"]},
        scratchpads={"zero": zero},
    )  # fmt: skip
    if not reload:  # all rows of a core at once
        counts |= {"cos": 2 * wt, "sin": 2 * wt}
    bench.run(
        [reader, compute, writer], [tiles(buffers[name], count, cores) for name, count in counts.items()]
    )
    del held
    turned = (x.float().reshape(-1, TILE) @ rotation.float()[0, 0]).reshape(x.shape)
    return dst.to_torch(), x.float() * cos.float() + turned * sin.float()
