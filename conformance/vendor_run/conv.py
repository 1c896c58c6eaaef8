"""Convolution of height-sharded images: halo, then windows times weights that one core sends to all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from conformance.accessors import accessor_words
from conformance.vendor_run.bench import BF16, TILE, Bench, Result, on_shard, random, tiles
from conformance.vendor_run.halo import images, put_images, with_halo
from conformance.vendor_run.sliding import Window, config_tensor
from tilesmith.formats import DataFormat, tile_bytes
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    ComputeConfig,
    CoreCoord,
    DataMovementConfig,
    Kernel,
    Processor,
    Semaphore,
)
from tilesmith.runtime import Tensor
from tilesmith.runtime.memory_config import Layout, height_sharded

KERNELS = "conv/conv2d/device/kernels"
READER = DataMovementConfig(Processor.RISCV_1, noc=1)
WRITER = DataMovementConfig(Processor.RISCV_0, noc=0)
WEIGHTS, PARTIALS, ACT, SECOND, TILIZED, BIAS, OUT, INDICES, SHARDED = range(9)
READY, TAKEN = 0, 1  # semaphores
# The control word of a multicast: with handshake, to one rectangle of other cores only.
COMMON = 1 | 1 << 5 | 2 << 6 | 1 << 9
SENDS = COMMON | 1 << 11 | 1 << 14 | 1 << 18 | 2 << 20
RECEIVES = COMMON | 2 << 11 | 2 << 14


@dataclass(frozen=True)
class Conv:
    """Sizes of blocks in tiles; `split` gives half of each block's rows to the writer's processor."""

    window: Window
    out_channels: int
    block_rows: int
    subblock: tuple[int, int]
    bias: bool = False
    split: bool = False
    relu: bool = False
    accumulate_in_l1: bool = False
    wide: bool = False
    """32-bit DST."""

    @property
    def across(self) -> int:
        """Tiles of one row of windows: a row of the kernel's sticks."""
        return -(-self.window.channels * self.window.kernel // TILE)

    @property
    def columns(self) -> int:
        return self.out_channels // TILE

    @property
    def row_blocks(self) -> int:
        return self.window.out_height // TILE // self.block_rows

    @property
    def halves(self) -> tuple[int, int]:
        """Rows of tiles that each reader brings."""
        second = self.block_rows // 2 if self.split else 0
        return self.block_rows - second, second


def conv(bench: Bench, conv: Conv) -> Result:
    """conv2d_op_sharded_program_factory, height-sharded."""
    window = conv.window
    x = images(window)
    size = window.kernel
    weight = random(conv.out_channels, window.channels, size, size, seed=1) / window.channels**0.5
    bias = random(conv.out_channels, seed=2)
    padded = with_halo(bench, window, put_images(bench, window, x, Layout.ROW_MAJOR), 0)
    matrix = bench.put(weight_matrix(conv, weight))
    added = bench.put(bias[None]) if conv.bias else None
    memory = height_sharded(window.grid, (window.out_height, conv.out_channels))
    out = bench.device.empty((window.outputs, conv.out_channels), BF16, memory_config=memory)
    indices = config_tensor(bench, window, _indices(conv))
    kernels = [_reader(bench, conv), _compute(bench, conv), *_writers(bench, conv, matrix, added)]
    semaphores = [Semaphore(index, window.grid) for index in (READY, TAKEN)]
    bench.run(kernels, _buffers(conv, padded, indices, out), semaphores)
    made = torch.nn.functional.conv2d(
        x.float().permute(0, 3, 1, 2),
        weight.float(),
        bias.float() if conv.bias else None,
        window.stride,
        window.pad,
    )
    wanted = made.permute(0, 2, 3, 1).reshape(window.outputs, conv.out_channels)
    return out.to_torch(), wanted.relu() if conv.relu else wanted


def weight_matrix(conv: Conv, weight: torch.Tensor) -> torch.Tensor:
    """Rows by kernel row, then kernel column and channel, each kernel row padded to whole tiles."""
    rows = weight.permute(2, 3, 1, 0).reshape(conv.window.kernel, -1, conv.out_channels)
    missing = conv.across * TILE - rows.shape[1]
    return torch.nn.functional.pad(rows, (0, 0, 0, missing)).reshape(-1, conv.out_channels).contiguous()


def _indices(conv: Conv) -> list[list[int]]:
    """Segments for each reader of each block, one after another."""
    window = conv.window
    rows = []
    for shard in window.shards:
        found: list[int] = []
        first = 0
        for _ in range(conv.row_blocks):
            for height in (half * TILE for half in conv.halves if half):
                found += window.segments(shard, first, height)
                first += height
        rows.append(found)
    return rows


def _buffers(conv: Conv, padded: Tensor, indices: Tensor, out: Tensor) -> list[CircularBuffer]:
    window, cores, size = conv.window, conv.window.grid, tile_bytes(BF16)
    stick, block = 2 * window.channels, conv.block_rows * conv.columns
    whole = window.out_height // TILE * conv.columns
    # With one block, the next would be read into it while the multicast may still be reading.
    buffered = window.kernel if conv.row_blocks > 1 else 2
    found = [
        tiles(WEIGHTS, buffered * conv.across * conv.columns, cores),
        # Partial sums lie where the last block of the result will.
        CircularBuffer(block * size, cores, CBFormat(PARTIALS, BF16, size), out, (whole - block) * size),
        tiles(ACT, conv.halves[0] * conv.across, cores),
        tiles(TILIZED, conv.block_rows * conv.across, cores),
        on_shard(OUT, out, cores),
        CircularBuffer(window.halo_height * stick, cores, CBFormat(SHARDED, BF16, stick), padded),
        CircularBuffer(
            indices.size_per_bank,
            cores,
            CBFormat(INDICES, DataFormat.UInt16, indices.size_per_bank),
            indices,
        ),
    ]
    if conv.split:
        found.append(tiles(SECOND, conv.halves[1] * conv.across, cores))
    if conv.bias:
        found.append(tiles(BIAS, conv.columns, cores))
    return found


def _reader(bench: Bench, conv: Conv) -> Kernel:
    window = conv.window
    extra = 2 * (conv.across * TILE - window.kernel * window.channels)
    block = conv.block_rows * conv.across
    return bench.plain(
        f"{KERNELS}/reader_conv_activations_padded_with_halo_3x3_weights_v2.cpp", window.grid, READER,
        compile_time_args=(
            1, 1, window.stride, 2 * window.channels, window.kernel, window.kernel,
            conv.halves[0] * conv.across, window.kernel, window.kernel, window.padded[1], extra,
            conv.row_blocks, block, 1, 0, 0, 0, 0, tile_bytes(BF16), 0, 0, ACT, SHARDED, INDICES, TILIZED,
            ACT, ACT, int(conv.split), 0, *([0] * 12),
        ),
        defines={"SPLIT_READER": "1"} if conv.split else {},
        runtime_args={core: (number, 0) for number, core in enumerate(window.line)},
    )  # fmt: skip


def _writers(bench: Bench, conv: Conv, weights: Tensor, bias: Tensor | None) -> list[Kernel]:
    """The core that reads the weights and sends them, and those that receive them."""
    window, line = conv.window, conv.window.line
    block = conv.across * conv.columns
    extra = 2 * (conv.across * TILE - window.kernel * window.channels)
    common = (
        WEIGHTS, BIAS, 1, SECOND, SHARDED, INDICES, window.kernel, block, 1, conv.across, conv.columns,
        conv.columns, conv.columns * conv.across, conv.columns, conv.columns if bias is not None else 0,
        conv.row_blocks, 1, 1, int(conv.bias), int(conv.split), 0, conv.halves[1] * conv.across,
        2 * window.channels, window.kernel, window.padded[1], extra, 0, 1, 1, window.stride, window.kernel,
        *([0] * 8), *accessor_words(weights), *(accessor_words(bias) if bias is not None else (0, 0)),
    )  # fmt: skip
    defines = {"SPLIT_READER": "1"} if conv.split else {}
    places = {core: bench.device.arch.worker_noc_xy(core) for core in line}
    others = line[1:]

    def kernel(
        role: str,
        cores: list[CoreCoord],
        channel: tuple[int, ...],
        args: Mapping[CoreCoord, tuple[int, ...]],
        at: int,
    ) -> Kernel:
        return bench.plain(
            f"{KERNELS}/reader_writer_tiled_out_1d_mcast_{role}_conv_weights_tiled_col_to_rm_blocks.cpp",
            cores, WRITER, compile_time_args=(*common, *channel), defines=defines, runtime_args=args,
            named_compile_time_args={
                "weights_mcast_ct_offset": len(common), "weights_mcast_rt_offset": at,
            },
        )  # fmt: skip

    corners = (*places[others[0]], *places[others[-1]]) if others else ()
    sends = (SENDS, READY, TAKEN, len(others)) if others else (0,)
    given = (weights.address, bias.address if bias is not None else 0, 0, 0, 0, *corners)
    found = [kernel("sender", [line[0]], sends, {line[0]: given}, 5)]
    if others:
        received = dict.fromkeys(others, (0, 0, *places[line[0]]))
        found.append(kernel("receiver", others, (RECEIVES, READY, TAKEN), received, 2))
    return found


def _compute(bench: Bench, conv: Conv) -> Kernel:
    window = conv.window
    height, width = conv.subblock
    return bench.plain(
        f"{KERNELS}/conv_bmm_tilize.cpp", window.grid, ComputeConfig(fp32_dest_acc_en=conv.wide),
        compile_time_args=(
            conv.across, conv.block_rows // height, conv.block_rows * conv.across, height * conv.across,
            conv.block_rows, conv.columns // width, conv.across * conv.columns, conv.columns,
            conv.row_blocks, window.kernel, 1, height, width, height * width, 1, 0,
            conv.columns if conv.bias else 0, BIAS, ACT, WEIGHTS, ACT, SECOND, PARTIALS, TILIZED, OUT, 1, 0,
            int(conv.relu), 1, int(conv.accumulate_in_l1), int(conv.bias), int(conv.split), 0, 0, 0, 0, 0, 0,
        ),
        defines={"SPLIT_READER": "1"} if conv.split else {},
    )  # fmt: skip
