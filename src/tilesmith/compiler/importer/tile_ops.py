"""Operations on whole regions: fill, gemm, reduce, accumulate."""

from __future__ import annotations

from collections.abc import Callable

from tilesmith.compiler.dialects import tile
from tilesmith.compiler.importer.context import Context
from tilesmith.compiler.importer.source import Expr, Memory, Number, Region, TileOp
from tilesmith.compiler.importer.transfers import copy, gathered, region_shape, scattered, whole
from tilesmith.compiler.importer.unsupported import refuse_call


def lower_tile_op(ctx: Context, op: TileOp) -> None:
    if op.name not in _LOWERINGS:
        refuse_call(op.name, op.at)
    _LOWERINGS[op.name](ctx, op)


def _copy(ctx: Context, op: TileOp) -> None:
    copy(ctx, op.regions[0], op.regions[1])


def fill_region(ctx: Context, region: Region, value: Expr) -> None:
    memory = region.memory
    if not (region.is_whole and memory.is_buffer):
        memory = ctx.temporary(memory.name, region_shape(ctx, region), memory.dtype)
    number = ctx.control.element(value, memory.dtype)
    ctx.e.emit(tile.FillOp(ctx.value(memory), number))
    scattered(ctx, memory, region)


def _fill(ctx: Context, op: TileOp) -> None:
    value = op.options["value"]
    assert not isinstance(value, str | int | bool)
    fill_region(ctx, op.regions[0], value)


def _gemm(ctx: Context, op: TileOp) -> None:
    a, b = (gathered(ctx, region, rank=2) for region in op.regions[:2])
    target = op.regions[2]
    clear = op.options["clear"]
    if isinstance(clear, Number) and clear.value:
        c = _fresh(ctx, target, rank=2)
        fill_region(ctx, whole(c), Number(0, c.dtype))
    else:
        c = gathered(ctx, target, rank=2)
        _clear_if(ctx, c, clear)
    transposed = bool(op.options["transpose_a"]), bool(op.options["transpose_b"])
    ctx.e.emit(tile.GemmOp(ctx.value(a), ctx.value(b), ctx.value(c), *transposed))
    scattered(ctx, c, target)


def _clear_if(ctx: Context, c: Memory, clear: Expr | str | int | bool) -> None:
    """The accumulator starts at zero under a condition, such as the first step of a loop."""
    if isinstance(clear, str | int | bool | Number):
        return
    condition = ctx.control.condition(clear)
    with ctx.branch(condition):
        fill_region(ctx, whole(c), Number(0, c.dtype))


def _fresh(ctx: Context, region: Region, rank: int = 0) -> Memory:
    """Where an operation may write all of the region."""
    rank = rank or len(region.sizes)
    if region.is_whole and region.memory.is_buffer and rank == len(region.sizes):
        return region.memory
    return ctx.temporary(region.memory.name, region_shape(ctx, region)[-rank:], region.memory.dtype)


def _reduce(ctx: Context, op: TileOp) -> None:
    source = gathered(ctx, op.regions[0])
    clear = bool(op.options["clear"])
    target = op.regions[1]
    dest = _fresh(ctx, target) if clear else gathered(ctx, target)
    reduction, dim = str(op.options["reduction"]), op.options["dim"]
    assert isinstance(dim, int)
    if dim < 0:
        dim += len(source.shape)
    ctx.e.emit(tile.ReduceOp(ctx.value(source), ctx.value(dest), reduction, dim, clear))
    scattered(ctx, dest, target)


def _accumulate(ctx: Context, op: TileOp) -> None:
    combiner = str(op.options["reduction"])
    if len(op.regions) == 2:
        copy(ctx, op.regions[0], op.regions[1], combiner)
        return
    dest = op.regions[0]
    value = op.options["value"]
    assert not isinstance(value, str | int | bool)
    stage = ctx.temporary(dest.memory.name, region_shape(ctx, dest), dest.memory.dtype)
    fill_region(ctx, whole(stage), value)
    copy(ctx, whole(stage), dest, combiner)


def _nothing(_: Context, __: TileOp) -> None:
    """Work a GPU needs here and the chip does not."""


_LOWERINGS: dict[str, Callable[[Context, TileOp], None]] = {
    "copy": _copy,
    "async_copy": _copy,
    "fill": _fill,
    "gemm": _gemm,
    "reduce": _reduce,
    "accumulate": _accumulate,
    "nothing": _nothing,
}
