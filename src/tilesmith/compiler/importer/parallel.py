"""Loops over elements -> `tile.map` and transfers where a body works element by element, else scalar code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from tilesmith.compiler.dialects import tile
from tilesmith.compiler.importer import source as s
from tilesmith.compiler.importer.context import Context
from tilesmith.compiler.importer.elementwise import Guarded, conjuncts, flatten
from tilesmith.compiler.importer.maps import Box, box_of, emit_map, fits_compute
from tilesmith.compiler.importer.scalars import lower_scalar
from tilesmith.compiler.importer.transfers import copy, gathered, region_shape, scattered, whole

_LARGEST_REDUCTION = 1 << 16


def lower_parallel(ctx: Context, loop: s.Loop) -> None:
    """A loop over elements, as tile operations if possible."""
    steps = plan(loop)
    if steps is None:
        lower_scalar(ctx, [loop])
        return
    for step in steps:
        with ctx.e.at(step.store.at):
            _lower_store(ctx, step)


@lru_cache(maxsize=256)
def plan(loop: s.Loop) -> list[Guarded] | None:
    """The stores of a nest, if tile operations can do at least one of them."""
    steps = flatten(loop)
    if steps is None or not any(_is_tile_work(step) for step in steps):
        return None
    return steps


def _is_tile_work(step: Guarded) -> bool:
    return _as_copy(step) is not None or _is_map(step)


def _is_map(step: Guarded) -> bool:
    """Whether the value can be computed as a map; where it goes is another matter."""
    store = step.store
    if not s.is_float(store.memory.dtype) or not fits_compute(store.value, step.space):
        return False
    value = store.value
    while isinstance(value, s.Cast):
        value = value.a
    if isinstance(value, s.Load):
        # Movement alone is worth a map only between buffers, and only if no element has to be looked for.
        return store.memory.is_buffer and box_of(value.memory, value.indices, step.space) is not None
    if isinstance(value, s.Select) and isinstance(value.a, s.Load) and isinstance(value.b, s.Number):
        # Whoever looks for elements one by one may as well look where to.
        box = box_of(value.a.memory, value.a.indices, step.space)
        if value.a.memory.scope == store.memory.scope == "shared":
            return box is not None and box.is_fixed
        return not (box is None and value.a.memory.scope == "global")
    return store.memory.is_buffer or not isinstance(value, s.Number)


def _lower_store(ctx: Context, step: Guarded) -> None:
    moved = _as_copy(step)
    if moved is not None:
        source, dest, limits = moved
        copy(ctx, source, dest, step.store.accumulate, limits)
    elif not _is_map(step):
        lower_scalar(ctx, [as_loop(step)])
    elif step.reduction:
        _lower_reduction(ctx, step)
    else:
        _lower_map(ctx, step)


def as_loop(step: Guarded) -> s.Statement:
    """The step as a nest of loops again."""
    store = step.store
    if step.reduction:
        old = s.Load(store.memory, store.indices, store.memory.dtype)
        op = {"sum": "add"}.get(step.reduction, step.reduction)
        store = replace(store, value=s.Binary(op, old, store.value, store.memory.dtype))
    inner: s.Statement = store
    for condition in reversed(step.conditions):
        inner = s.Branch(condition, (inner,), (), store.at)
    for variable, extent in reversed(list(step.space.extents.items())):
        inner = s.Loop(variable, s.Number(0), s.Number(extent), (inner,), at=store.at)
    return inner


# ---- pure movement ----


def _rounds_nothing(cast: s.Cast, dest: s.Memory) -> bool:
    """Whether a cast does no more than a copy to the destination: it widens, or is to the same type."""
    return cast.dtype in ("float32", "float64", dest.dtype)


def _as_copy(step: Guarded) -> tuple[s.Region, s.Region, dict[int, s.Expr]] | None:
    """Source, destination and limits of a step that only moves elements; None if it does more."""
    value, conditions = step.store.value, step.conditions
    if step.reduction:
        return None
    from_global = False
    if isinstance(value, s.Select) and isinstance(value.b, s.Number) and value.b.value == 0:
        # What is beyond a limit reads as zero, which is what the other side says.
        if conditions or not step.store.memory.is_buffer:
            return None
        conditions, from_global = (value.condition,), True
        value = value.a
    while (
        isinstance(value, s.Cast) and s.is_float(value.a.dtype) and _rounds_nothing(value, step.store.memory)
    ):
        value = value.a
    if not isinstance(value, s.Load) or value.memory.scope == "var":
        return None
    source = box_of(value.memory, value.indices, step.space)
    dest = box_of(step.store.memory, step.store.indices, step.space)
    if source is None or dest is None or not source.fits or not dest.fits:
        return None
    if source.order != dest.order or not _moving(step) <= set(dest.order):
        return None
    tensors = [box.region.memory.scope == "global" for box in (source, dest)]
    same_type = value.memory.dtype == step.store.memory.dtype
    if not same_type and not (s.is_float(value.memory.dtype) and s.is_float(step.store.memory.dtype)):
        return None
    if not any(tensors) and not s.is_float(value.memory.dtype):
        return None
    if step.store.accumulate and not tensors[1]:
        return None
    if not conditions:
        return source.region, dest.region, {}
    side = source if from_global else dest
    if side.region.memory.scope != "global" or (from_global and not dest.region.is_whole):
        return None
    limits = limits_of(conditions, side)
    return None if limits is None else (source.region, dest.region, limits)


def _moving(step: Guarded) -> set[s.Variable]:
    return {v for v, extent in step.space.extents.items() if extent != 1}


def limits_of(conditions: Sequence[s.Expr], box: Box) -> dict[int, s.Expr] | None:
    """How many elements are wanted per dimension of a tensor, if that is all the conditions say."""
    limits: dict[int, s.Expr] = {}
    for condition in conjuncts(conditions):
        found = box.limit(condition)
        if found is None:
            return None
        dim, limit = found
        limits[dim] = s.Binary("min", limits[dim], limit, "int32") if dim in limits else limit
    return limits


# ---- maps ----


def _lower_map(ctx: Context, step: Guarded) -> None:
    store = step.store
    dest = box_of(store.memory, store.indices, step.space)
    if dest is not None and not (_moving(step) <= set(dest.order) and dest.fits):
        dest = None
    if store.memory.is_buffer and dest is not None:
        old = s.Load(store.memory, store.indices, store.memory.dtype)
        value = _combined(store, old)
        for condition in reversed(step.conditions):
            value = s.Select(condition, value, old, store.memory.dtype)
        out = store.memory if dest.region.is_whole else _stage(ctx, step, dest.order)
        emit_map(ctx, out, dest.follows if out is store.memory else dest.order, value, step.space)
        if out is not store.memory:
            copy(ctx, whole(out), dest.region)
        return
    order = dest.order if dest is not None else list(step.space.extents)
    out = _stage(ctx, step, order)
    emit_map(ctx, out, order, store.value, step.space)
    limits = None if dest is None else limits_of(step.conditions, dest)
    if dest is not None and limits is not None:
        copy(ctx, whole(out), dest.region, store.accumulate, limits)
        return
    computed = s.Load(out, tuple(s.Name(v) for v in order), out.dtype)
    lower_scalar(ctx, [as_loop(replace(step, store=replace(store, value=computed)))])


def _combined(store: s.Store, old: s.Load) -> s.Expr:
    """What an atomic update of a buffer comes to, where every element is updated once."""
    return s.Binary(store.accumulate, old, store.value, old.dtype) if store.accumulate else store.value


def _stage(ctx: Context, step: Guarded, order: Sequence[s.Variable]) -> s.Memory:
    shape = [step.space.extents[v] for v in order] or [1]
    return ctx.temporary(step.store.memory.name, shape, step.store.memory.dtype)


def _rank_of(sizes: tuple[int, ...], kept: tuple[int, ...]) -> int | None:
    """How many of the last dimensions a reduction that keeps some sizes writes: 0 for all, None for no way.

    >>> _rank_of((8, 1), (8,)), _rank_of((1, 8), (8,)), _rank_of((8, 1, 4), (8, 4))
    (0, 1, None)
    """
    if sizes in (kept or (1,), (*kept, 1)):
        return 0
    rank = len(kept)
    return rank if rank and sizes == (1,) * (len(sizes) - rank) + kept else None


def _lower_reduction(ctx: Context, step: Guarded) -> None:
    store = step.store
    dest = box_of(store.memory, store.indices, step.space)
    elements = 1
    for extent in step.space.extents.values():
        elements *= extent
    if dest is None or not dest.fits or elements > _LARGEST_REDUCTION or not store.memory.is_buffer:
        lower_scalar(ctx, [as_loop(step)])
        return
    kept = dest.order
    rank = _rank_of(tuple(region_shape(ctx, dest.region)), tuple(step.space.extents[v] for v in kept))
    if rank is None:
        lower_scalar(ctx, [as_loop(step)])
        return
    order = [*kept, *(v for v in step.space.extents if v not in kept)]
    parts = ctx.temporary(store.memory.name, [step.space.extents[v] for v in order], "float32")
    emit_map(ctx, parts, order, store.value, step.space)
    while len(order) > len(kept) + 1:
        order.pop()
        fewer = ctx.temporary(store.memory.name, [step.space.extents[v] for v in order], "float32")
        ctx.e.emit(tile.ReduceOp(ctx.value(parts), ctx.value(fewer), step.reduction, len(order)))
        parts = fewer
    target = gathered(ctx, dest.region, rank)
    ctx.e.emit(tile.ReduceOp(ctx.value(parts), ctx.value(target), step.reduction, len(kept), clear=False))
    scattered(ctx, target, dest.region)
