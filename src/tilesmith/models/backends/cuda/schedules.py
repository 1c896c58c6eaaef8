"""How kernels are cut for a GPU: tiles, threads and stages, ranked by an estimate for Hopper chips."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import ceil
from typing import Any

from tilesmith.kernels.attention import Attention
from tilesmith.kernels.convolution import Convolution
from tilesmith.kernels.elementwise import Elementwise
from tilesmith.kernels.embedding import Embedding
from tilesmith.kernels.gemv import Gemv
from tilesmith.kernels.linear import Linear
from tilesmith.kernels.movement import Gather
from tilesmith.kernels.rotary import Rotary
from tilesmith.kernels.rowwise import RowWise
from tilesmith.kernels.rowwise_backward import RowWiseBackward
from tilesmith.kernels.rowwise_streamed import StreamedRowWise
from tilesmith.models.planning.steps import Launch, Template
from tilesmith.models.planning.views import padded

SMS = 132
SHARED = 225 * 1024
"""Bytes of shared memory that a block may have."""
WARP = 32
# Elements of a row that a thread holds in registers at most.
_HELD = 64
# Rows, columns and depth of a tile, the threads that share it, and how many are loaded ahead. Tiles of 16
# columns come out wrong with TileLang 0.1.15.
_TILES = (
    *((128, 256, 64, 256, 4), (256, 128, 64, 256, 4), (128, 128, 64, 256, 4), (128, 128, 64, 128, 4)),
    *((128, 64, 64, 128, 4), (64, 128, 64, 128, 4), (64, 256, 64, 128, 4), (64, 64, 64, 128, 4)),
    *((64, 64, 128, 128, 4), (64, 32, 128, 128, 4), (64, 32, 64, 128, 6)),
    *((64, 64, 32, 128, 4), (64, 32, 32, 128, 4), (128, 128, 32, 256, 4)),
)


def schedules(step: Launch) -> list[Template]:
    """Ways to cut a launch for a GPU, the likely fastest first."""
    found = _SCHEDULES.get(type(step.template))
    return list(dict.fromkeys(found(step))) if found else [step.template]


# ---- products ----


def _linear(step: Launch) -> list[Template]:
    template: Any = step.template
    if template.dtype != "bfloat16" or template.weight_dtype != "bfloat16":
        return [template]
    few = _gemvs(step)
    ways = [
        _with_stages(
            replace(
                template,
                block=(bm, bn, bk),
                threads=threads,
                panel=8 if bm * bn > 8192 else 0,
                staged=_stages_results(step, bm, bn),
            ),
            min(stages, step.numbers["k"] // bk),
        )
        for bm, bn, bk, threads, stages in _TILES
        if step.numbers["k"] % bk == 0
        and stages * (bm + bn * template.weights) * bk * 2 <= SHARED
        and bm * bn * template.weights <= 128 * threads
        and (bn <= padded(step.numbers["n"]) or bn <= WARP)
    ]
    return [*few, *(sorted(dict.fromkeys(ways), key=lambda one: _linear_time(step, one)) or [template])]


def _with_stages(way: Any, stages: int) -> Linear:
    """So many stages, or one fewer where results take its room in shared memory."""
    full: Linear = replace(way, stages=stages)
    return full if _linear_bytes(full) <= SHARED else replace(full, stages=stages - 1)


def _stages_results(step: Launch, bm: int, bn: int) -> bool:
    """Whether a product's results go through shared memory, to be stored in whole rows.

    Whole blocks are copied from there, so none may end beyond the matrix where something else lies. A gated
    unit, with two products for each result, gains nothing.
    """
    template: Any = step.template
    n, results = step.numbers, template.epilogue.results
    if len(results) != 1 or template.weights > 1 or results[0].out.dtype != "bfloat16":
        return False
    storage = step.storages[results[0].out.name]
    rows_end = storage.rows == n["m"] and n["nb1"] == n["nb2"] == 1
    whole = (n["m"] % bm == 0 or rows_end) and n["n"] % bn == 0 and storage.cols % 8 == 0
    return whole and results[0].out.access in ("block", "rows")


def _linear_bytes(way: Any) -> int:
    """Shared memory of a product's block."""
    bm, bn, bk = way.block
    return int(2 * (way.stages * (bm + bn * way.weights) * bk + bm * bn * way.staged))


def _gemvs(step: Launch) -> list[Template]:
    """Kernels for few rows: a depth that threads share with sixteen bytes in a load, held in registers."""
    template: Any = step.template
    depth, straight = step.numbers["k"], template.transposed and not template.x_transposed
    if not is_few_rows(step) or not straight:
        return []
    arguments = (template.epilogue, depth, template.weights)
    return [
        Gemv(*arguments, columns, threads, template.dtype, template.x_access, template.weight_dtype)
        for threads in (32, 128)
        for columns in (2, 4, 1)
        if depth % (8 * threads) == 0 and columns * depth <= 64 * threads
    ]


def is_few_rows(step: Launch) -> bool:
    """Whether a product takes as long as its weight takes to load."""
    return step.numbers["m"] <= 4 and step.numbers["k"] % (8 * WARP) == 0


def _linear_time(step: Launch, way: Linear) -> float:
    """Microseconds, roughly: rounds of blocks, each as long as its tiles take to load or to multiply."""
    numbers, (bm, bn, bk) = step.numbers, way.block
    blocks = ceil(numbers["m"] / bm) * ceil(numbers["n"] / bn) * numbers["nb1"] * numbers["nb2"]
    shared = _linear_bytes(way)
    resident = max(
        1, min(SHARED // shared, 2048 // (way.threads + 128), 65536 // ((way.threads + 128) * 168))
    )
    rounds = ceil(blocks / (SMS * resident))
    busy = min(blocks, SMS * resident) / SMS
    loads = (bm + bn * way.weights) * bk * 2 / 42e3 * max(1.0, busy)
    products = 2 * bm * bn * bk * way.weights / 5.6e6 * max(1.0, busy)
    # A step costs a barrier whatever its depth; registers beyond 64 a thread leave little to hide it with.
    step_time = max(loads, products, 0.12) + 0.1
    stores = bm * bn / way.threads / (160 if way.staged else 64) * way.weights
    return rounds * (step_time * numbers["k"] / bk + 1.5 + stores)


def _convolution(step: Launch) -> list[Template]:
    template: Any = step.template
    wide, deep = padded(step.numbers["n"]), step.numbers["depth"]
    shapes = [(128, 128, 64), (128, 64, 64), (64, 64, 64), (64, 32, 32), (64, 64, 32)]
    ways = [block for block in shapes if block[1] <= wide and deep % block[2] == 0]
    return [replace(template, block=block) for block in ways[:-3:-1]] or [template]


# ---- attention ----


def _attention(step: Launch) -> list[Template]:
    template: Any = step.template
    keys, rows = step.numbers["n"], step.numbers["m"]
    batches = step.numbers["nb1"] * step.numbers["nb2"]
    step_of_keys = WARP if template.mask is not None else 16
    sizes = [
        size
        for size in (128, 112, 96, 64, 48, 32, 16)
        if padded(keys) % size == 0 and size % step_of_keys == 0
    ]
    heights = [(128, 256), (64, 128)] if ceil(rows / 128) * batches >= SMS else [(64, 128), (128, 256)]
    return [
        replace(
            template,
            block=(height, size),
            whole=keys % size == 0,
            at_once=False,
            threads=threads,
            stages=stages,
        )
        for stages in (2, 3, 1)
        for size in sizes[:2]
        for height, threads in heights
        if (rows > 64 or height == 64) and _attention_bytes(template, height, size, stages) <= SHARED
    ] or [template]


def _attention_bytes(template: Attention, rows: int, keys: int, stages: int) -> int:
    loaded = stages * keys * (template.width + template.value_width)
    return 2 * (loaded + rows * (template.width + template.value_width))


# ---- rows ----


def _rowwise(step: Launch) -> list[Template]:
    """A row for each block: as many threads as hold it in registers, with sixteen bytes in a load."""
    template: Any = step.template
    wide = padded(template.columns)
    if wide > 1024 * _HELD:
        return [template]
    usual = WARP
    while usual < 1024 and wide > usual * (WARP if usual > 128 else 24):
        usual *= 2
    counts = [usual, usual * 2, usual // 2, usual * 4]
    fitting = [count for count in counts if WARP <= count <= 1024 and wide <= count * _HELD]
    return [replace(template, block_rows=1, threads=count) for count in fitting]


def _streamed(step: Launch) -> list[Template]:
    """What is too long for L1 may still fit the registers of a block."""
    template: Any = step.template
    if padded(template.columns) > 1024 * _HELD:
        return [template]
    held = RowWise(
        template.operation,
        template.columns,
        template.epilogue,
        template.inputs,
        template.source,
        template.epsilon,
    )
    return _rowwise(replace(step, template=held))


# ---- elements ----


def _elementwise(step: Launch) -> list[Template]:
    template: Any = step.template
    cols = padded(step.numbers["n"])
    rows = ceil(step.numbers["m"] / WARP) * step.numbers["nb1"] * step.numbers["nb2"]
    out = template.epilogue.results[0].out
    if out.access == "rows" and step.storages[out.name].cols % WARP:  # single elements are stored anyway
        return [replace(template, block=(WARP, 256)), replace(template, block=(WARP, 128))]
    widths = [size for size in (256, 128, 64, WARP) if cols % size == 0]
    full = [size for size in widths if rows * (cols // size) >= 4 * SMS]
    return [replace(template, block=(WARP, size)) for size in dict.fromkeys((*full[:1], *widths[::-1]))]


def _gather(step: Launch) -> list[Template]:
    """Rows that follow each other in blocks of several; what is no block stays as it is."""
    template: Any = step.template
    if template.epilogue.results[0].out.access != "rows":
        return [template]
    width = next((size for size in (256, 128, 64, WARP) if step.numbers["n"] % size == 0), WARP)
    return [replace(template, block=(WARP, width))]


def _rotary(step: Launch) -> list[Template]:
    """Sixteen bytes for each thread and load; fewer rows where blocks would be too few for the GPU."""
    template: Any = step.template
    lines = step.numbers["m"] * step.numbers["nb1"] * step.numbers["nb2"]
    each = max(1, 128 * 8 // (template.width // 2))
    heights = [size for size in (2 * each, each, each // 2, 4 * each) if size]
    fitting = [size for size in heights if ceil(lines / size) >= 2 * SMS] or heights[2:3] or heights[:1]
    return [replace(template, block_rows=size) for size in fitting]


_SCHEDULES: dict[type, Callable[[Launch], list[Template]]] = {
    Linear: _linear,
    Convolution: _convolution,
    Attention: _attention,
    RowWise: _rowwise,
    RowWiseBackward: _rowwise,
    StreamedRowWise: _streamed,
    Elementwise: _elementwise,
    Embedding: _elementwise,
    Rotary: _rotary,
    Gather: _gather,
}
