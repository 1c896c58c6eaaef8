"""The sticks around each core's images, fetched from its neighbours; and pools over what comes of it."""

from __future__ import annotations

import torch

from conformance.vendor_run.bench import BF16, TILE, Bench, Result, on_shard, random, tiles
from conformance.vendor_run.sliding import (
    BLOCK,
    PADDING,
    Transfer,
    Window,
    by_blocks,
    config_tensor,
    gather_words,
)
from tilesmith.formats import DataFormat
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    ComputeConfig,
    DataMovementConfig,
    Kernel,
    Processor,
)
from tilesmith.runtime import Tensor
from tilesmith.runtime.memory_config import Layout, height_sharded

KERNELS = "sliding_window/halo/device/kernels"
MOVERS = (DataMovementConfig(Processor.RISCV_0, noc=0), DataMovementConfig(Processor.RISCV_1, noc=1))
MINUS_INFINITY = 0xFF80
SOURCE, OUT, PADS, UNTILIZED, PAD_CONFIGS, GATHER_CONFIGS = 0, 1, (2, 3), (4, 5), (6, 7), (8, 9)


def halo(bench: Bench, window: Window, layout: Layout) -> Result:
    """untilize_with_halo_program_factory alone: the shards of all cores, one below the other."""
    x = images(window)
    made = with_halo(bench, window, put_images(bench, window, x, layout), pad=0)
    padded = torch.nn.functional.pad(x, (0, 0, window.pad, window.pad, window.pad, window.pad))
    sticks = padded.reshape(-1, window.channels)
    wanted = [sticks[shard.sticks[0] : shard.sticks[1] + 1] for shard in window.shards]
    return made.to_torch(), torch.cat(wanted)


def images(window: Window) -> torch.Tensor:
    """(batch, height, width, channels)"""
    return random(window.batch, window.height, window.width, window.channels)


def put_images(bench: Bench, window: Window, x: torch.Tensor, layout: Layout) -> Tensor:
    memory = height_sharded(window.grid, (window.in_height, window.channels))
    return bench.put(x.reshape(-1, window.channels), layout=layout, memory_config=memory)


def with_halo(bench: Bench, window: Window, source: Tensor, pad: int) -> Tensor:
    """Shards of padded sticks; `pad` is the padding's bits in bfloat16."""
    tiled = source.layout is Layout.TILE
    memory = height_sharded(window.grid, (window.halo_height, window.channels))
    shape = (window.cores * window.halo_height, window.channels)
    out = bench.device.empty(shape, BF16, layout=Layout.ROW_MAJOR, memory_config=memory)
    routes = [[one for one in window.transfers() if one.source == core] for core in range(window.cores)]
    padding = [
        [one for one in window.transfers() if one.source == PADDING and one.destination == core]
        for core in range(window.cores)
    ]
    stick, cores = 2 * window.channels, window.grid
    wt, ht = -(-window.channels // TILE), -(-window.in_height // TILE)
    pages = wt * ht if tiled else window.in_height
    cbs = [
        on_shard(SOURCE, source, cores) if tiled else _sticks(SOURCE, source, window.in_height, stick),
        _sticks(OUT, out, window.halo_height, stick),
    ]
    cbs += [CircularBuffer(stick, cores, CBFormat(index, BF16, stick)) for index in PADS]
    kernels: list[Kernel] = []
    if tiled:
        cbs += [tiles(index, 2 * wt, cores) for index in UNTILIZED]
        kernels.append(_untilize(bench, window, routes, wt))
    kept = []
    for number in range(len(MOVERS)):
        gathers = [gather_words(bench, window, _divided(route, number, tiled)) for route in routes]
        pads = [_pad_words(runs, number) for runs in padding]
        for index, words in ((PAD_CONFIGS[number], pads), (GATHER_CONFIGS[number], gathers)):
            kept.append(config_tensor(bench, window, words))
            cbs.append(_config(index, kept[-1], window))
        kernels.append(_mover(bench, window, number, tiled, pad, pages))
    bench.run(kernels, cbs)
    return out


def _mover(bench: Bench, window: Window, number: int, tiled: bool, pad: int, pages: int) -> Kernel:
    return bench.plain(
        f"{KERNELS}/dataflow/halo_gather.cpp", window.grid, MOVERS[number],
        compile_time_args=(
            PAD_CONFIGS[number] if window.pad else 0, GATHER_CONFIGS[number], SOURCE,
            UNTILIZED[number] if tiled else SOURCE, OUT, PADS[number], pad, pages, 2 * window.channels,
            0, 0, 0, 0, int(not tiled), BLOCK, -(-window.channels // TILE), number, len(MOVERS),
        ),
    )  # fmt: skip


def _untilize(bench: Bench, window: Window, routes: list[list[Transfer]], wt: int) -> Kernel:
    last = [max((one.at + one.count - 1 for one in route), default=-1) for route in routes]
    return bench.plain(
        f"{KERNELS}/compute/pack_untilize.cpp", window.grid, ComputeConfig(),
        compile_time_args=(SOURCE, *UNTILIZED, wt, BLOCK // TILE),
        runtime_args={core: (last[number] // BLOCK + 1,) for number, core in enumerate(window.line)},
    )  # fmt: skip


def _divided(route: list[Transfer], mover: int, tiled: bool) -> list[Transfer]:
    """Two movers take blocks of a tiled source in turn, or transfers."""
    if tiled:
        return [one for one in by_blocks(route) if one.at // BLOCK % 2 == mover]
    local = sorted(route, key=lambda one: one.destination != one.source)
    return local[mover::2]


def _pad_words(runs: list[Transfer], mover: int) -> list[int]:
    half = len(runs) // 2
    chosen = runs[half:] if mover else runs[:half]
    return [word for one in chosen for word in (one.to, one.count)] + [0, 0]


def _sticks(index: int, tensor: Tensor, count: int, stick: int) -> CircularBuffer:
    """A circular buffer whose pages are the rows of a tensor's shards."""
    return CircularBuffer(count * stick, tensor.cores, CBFormat(index, BF16, stick), tensor)


def _config(index: int, tensor: Tensor, window: Window) -> CircularBuffer:
    size = tensor.size_per_bank
    return CircularBuffer(size, window.grid, CBFormat(index, DataFormat.UInt16, size), tensor)
