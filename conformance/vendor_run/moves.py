"""Operations that move data: tilize, untilize, embedding, heads."""

from __future__ import annotations

from typing import Any

import torch

from conformance.vendor_run.bench import (
    BF16,
    ORIGIN,
    TILE,
    Bench,
    Result,
    argument,
    random,
    rectangle,
    tiles,
)
from tilesmith.formats import DataFormat
from tilesmith.program import CBFormat, CircularBuffer, ComputeConfig, ReaderConfig, WriterConfig
from tilesmith.runtime.memory_config import Layout

WRITER = "eltwise/unary/device/kernels/dataflow/writer_unary_interleaved_start_id_metal2.cpp"
TILIZE = "data_movement/tilize/device/kernels"
UNTILIZE = "data_movement/untilize/device/kernels"
EMBEDDING = "embedding/device/kernels"
HEADS = "experimental/transformer/nlp_concat_heads/device/kernels"
# What each of two cores does: first row of tiles, and how many.
SHARES = ((0, 1), (1, 2))


def tilize(bench: Bench, width: int) -> Result:
    """tilize_multi_core_default_program_factory."""
    cores, wt = rectangle(2, 1), width // TILE
    parts = dict(zip(cores.cores(), SHARES, strict=True))
    x = random(3 * TILE, width)
    src, dst = bench.put(x, layout=Layout.ROW_MAJOR), bench.device.empty(x.shape, BF16)
    reader = bench.kernel(
        f"{TILIZE}/dataflow/reader_unary_stick_layout_split_rows_multicore.cpp", cores, ReaderConfig(),
        compile_time_args={
            "tile_height": TILE, "num_pages_in_row": 1, "size_of_valid_data_in_last_page_in_row": 2 * width,
        },
        tensors={"src": argument(src)}, dataflow_buffers={"in": 0},
        runtime_args={
            core: {
                "num_rows": n * TILE, "num_tiles_per_block": wt, "block_width_size": 2 * width,
                "num_full_blocks_in_row": 1, "start_page_id": first * TILE,
            }
            for core, (first, n) in parts.items()
        },
    )  # fmt: skip
    computes = [
        bench.plain(
            f"{TILIZE}/compute/tilize.cpp", core, ComputeConfig(), compile_time_args=(0, 16, n, wt)
        )
        for core, (_, n) in parts.items()
    ]  # fmt: skip
    writer = bench.kernel(
        WRITER, cores, WriterConfig(), tensors={"dst": argument(dst)}, dataflow_buffers={"out": 16},
        runtime_args={
            core: {"num_pages": n * wt, "start_id": first * wt} for core, (first, n) in parts.items()
        },
    )  # fmt: skip
    bench.run([reader, *computes, writer], [tiles(0, wt, cores), tiles(16, wt, cores)])
    return dst.to_torch(), x


def untilize(bench: Bench, width: int) -> Result:
    """untilize_multi_core_program_factory."""
    cores, wt = rectangle(2, 1), width // TILE
    parts = dict(zip(cores.cores(), SHARES, strict=True))
    x = random(3 * TILE, width)
    src, dst = bench.put(x), bench.device.empty(x.shape, BF16, layout=Layout.ROW_MAJOR)
    reader = bench.kernel(
        f"{UNTILIZE}/dataflow/reader_unary_start_id_metal2.cpp", cores, ReaderConfig(),
        tensors={"src": argument(src)}, dataflow_buffers={"in": 0},
        runtime_args={
            core: {"num_tiles": n * wt, "start_id": first * wt} for core, (first, n) in parts.items()
        },
    )  # fmt: skip
    compute = bench.kernel(
        f"{UNTILIZE}/compute/untilize_variable_num_blocks_metal2.cpp", cores, ComputeConfig(),
        compile_time_args={"per_core_block_tile_cnt": wt}, dataflow_buffers={"src": 0, "out": 16},
        runtime_args={core: {"per_core_block_cnt": n} for core, (_, n) in parts.items()},
    )  # fmt: skip
    writer = bench.kernel(
        f"{UNTILIZE}/dataflow/writer_unary_stick_layout_split_rows_multi_core.cpp", cores, WriterConfig(),
        compile_time_args={
            "tile_height": TILE, "num_tiles_per_input_block": wt, "num_output_blocks_across_width": 1,
            "output_element_size": 2, "num_cols_per_input_block": width, "num_cols_per_output_block": width,
        },
        tensors={"dst": argument(dst)}, dataflow_buffers={"out": 16},
        runtime_args={
            core: {
                "num_input_blocks_to_process": n, "height_wise_input_block_start_index": first,
                "num_unpadded_cols_per_input_block": width, "width_wise_output_block_start_index": 0,
                "num_cols_already_processed_in_first_output_block": 0,
            }
            for core, (first, n) in parts.items()
        },
    )  # fmt: skip
    bench.run([reader, compute, writer], [tiles(0, 2 * wt, cores), tiles(16, 2 * wt, cores)])
    return dst.to_torch(), x


def embedding(bench: Bench, width: int, padded: bool) -> Result:
    """embeddings_rm_program_factory: rows of the table by index, with and without a padding token."""
    cores, vocabulary, count = rectangle(2, 1), 50, 48
    block = (64 if bench.device.arch.family == "blackhole" else 32) // 4
    index = torch.randint(
        vocabulary, (1, count), generator=torch.Generator().manual_seed(1), dtype=torch.int32
    )
    table = random(vocabulary, width)
    source = bench.put(index, DataFormat.UInt32, Layout.ROW_MAJOR)
    weights = bench.put(table, layout=Layout.ROW_MAJOR)
    dst = bench.device.empty((count, width), BF16, layout=Layout.ROW_MAJOR)
    held, scratch = bench.scratchpad(4 * block)
    kept, cache = bench.scratchpad(2 * width)
    starts = dict(zip(cores.cores(), (0, count // 3 // block * block), strict=True))
    ends = dict(zip(cores.cores(), (count // 3 // block * block, count), strict=True))
    stick = 2 * width
    chunks = {"chunk_size": stick, "num_chunks": 1, "last_chunk_size": stick}
    pads: dict[str, Any] = {"scratchpads": {"in1": scratch} | ({"local_cache": cache} if padded else {})}
    if padded:
        pads |= {"defines": {"PADDED": "1"}, "common_runtime_args": {"pad_token": int(index[0, 5])}}
    reader = bench.kernel(
        f"{EMBEDDING}/dataflow/embeddings.cpp", cores, ReaderConfig(), dataflow_buffers={"in0": 0},
        compile_time_args={
            "input_page_size": 4 * count, "weight_stick_size": stick, "rows_per_block": block,
            "input_block_size_bytes": 4 * block, **chunks,
        },
        tensors={"input": argument(source), "weights": argument(weights)}, **pads,
        runtime_args={
            core: {
                "batch_offset": 0, "weights_offset": 4 * start, "num_rows": ends[core] - start, "index_idx": 0
            }
            for core, start in starts.items()
        },
    )  # fmt: skip
    writer = bench.kernel(
        f"{EMBEDDING}/dataflow/embeddings_rm_writer_chunked.cpp", cores, WriterConfig(),
        compile_time_args=chunks, tensors={"dst": argument(dst)}, dataflow_buffers={"out0": 0},
        runtime_args={
            core: {"num_sticks": ends[core] - start, "start_id": start} for core, start in starts.items()
        },
    )  # fmt: skip
    bench.run([reader, writer], [CircularBuffer(2 * stick, cores, CBFormat(0, BF16, stick))])
    del held, kept
    return dst.to_torch(), table[index[0].long()]


def concat_heads(bench: Bench, heads: int) -> Result:
    """nlp_concat_heads_program_factory: (batch, heads, rows, width) to (batch, 1, rows, heads * width)."""
    batch, ht, wt = 2, 2, 2
    x = random(batch, heads, ht * TILE, wt * TILE)
    src = bench.put(x)
    dst = bench.device.empty((batch, 1, ht * TILE, heads * wt * TILE), BF16)
    blocks = batch * ht * heads
    reader = bench.kernel(
        f"{HEADS}/dataflow/reader_tm_tile_layout_nlp_concat_heads.cpp", ORIGIN, ReaderConfig(),
        compile_time_args={"in0_h_tiles": ht, "in0_w_tiles": wt, "in0_c": heads, "in0_HtWt": ht * wt},
        tensors={"src": argument(src)}, dataflow_buffers={"in0": 0},
        runtime_args={ORIGIN: {"num_blocks": blocks, "start_block": 0}},
    )  # fmt: skip
    writer = bench.kernel(
        WRITER, ORIGIN, WriterConfig(), tensors={"dst": argument(dst)}, dataflow_buffers={"out": 0},
        runtime_args={ORIGIN: {"num_pages": blocks * wt, "start_id": 0}},
    )  # fmt: skip
    bench.run([reader, writer], [tiles(0, 2 * wt, ORIGIN)])
    return dst.to_torch(), x.permute(0, 2, 1, 3).reshape(batch, 1, ht * TILE, -1)
