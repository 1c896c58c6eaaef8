"""What threads tell each other: reductions and shuffles, by way of memory all of them see."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from tilesmith.compiler.importer.affine import plus
from tilesmith.compiler.importer.source import (
    Binary,
    Expr,
    Load,
    Location,
    Loop,
    Memory,
    Name,
    Number,
    Select,
    Statement,
    Store,
    Sync,
    Variable,
    is_float,
)
from tilesmith.compiler.importer.unsupported import refuse

WARP = 32
"""Threads of a block that a shuffle reaches."""

COMBINERS = ("add", "mul", "max", "min", "and", "or", "xor")

Threads = Sequence[tuple[Variable, int]]


def combiner_named(reduction: str) -> str:
    """What TileLang calls `sum` or `bitand` combines two values by.

    >>> combiner_named("sum"), combiner_named("bitand"), combiner_named("max")
    ('add', 'and', 'max')
    """
    combiner = reduction.removeprefix("bit")
    return "add" if combiner == "sum" else combiner


def reduce_over(
    combiner: str, value: Expr, dims: Sequence[Variable], threads: Threads, at: Location
) -> tuple[list[Statement], Expr]:
    """Statements after which every thread has the values of all threads along `dims` combined; the result."""
    shared, before = _published(value, threads, at)
    result = Memory("reduced", (Number(1),), value.dtype, "var", at)
    counters = {v: Variable(f"other_{v.name}", counts=True) for v in dims}
    place = tuple(Name(counters.get(v, v)) for v, _ in threads)
    body = _combine(combiner, result, Load(shared, place, value.dtype), at)
    for variable, extent in threads:
        if variable in counters:
            body = Loop(counters[variable], Number(0), Number(extent), (body,), at=at)
    start = Store(result, (Number(0),), identity(combiner, value.dtype), at=at)
    return [*before, start, body, Sync(at)], Load(result, (Number(0),), value.dtype)


def reduce_in_warp(
    combiner: str, value: Expr, threads: Threads, at: Location
) -> tuple[list[Statement], Expr]:
    """The same for the threads of one warp, counted along the first dimension."""
    check_warps(threads, at)
    shared, before = _published(value, threads, at)
    result = Memory("reduced", (Number(1),), value.dtype, "var", at)
    lane = Variable("lane", counts=True)
    (first, extent), *others = threads
    base = Binary("sub", Name(first), Binary("floormod", Name(first), Number(WARP), "int32"), "int32")
    place: tuple[Expr, ...] = (Binary("add", base, Name(lane), "int32"), *(Name(v) for v, _ in others))
    body = _combine(combiner, result, Load(shared, place, value.dtype), at)
    loop = Loop(lane, Number(0), Number(min(WARP, extent)), (body,), at=at)
    start = Store(result, (Number(0),), identity(combiner, value.dtype), at=at)
    return [*before, start, loop, Sync(at)], Load(result, (Number(0),), value.dtype)


def check_warps(threads: Threads, at: Location) -> None:
    """A warp is 32 threads one behind the other: refuse blocks whose first dimension cuts warps elsewhere."""
    (_, extent), *others = threads
    if extent % WARP and (others or extent > WARP):
        sizes = " x ".join(str(size) for _, size in threads)
        refuse(
            f"values exchanged in warps of {WARP} threads, where a block has {sizes}",
            str(at),
            f"let the first number of threads be a multiple of {WARP}",
        )


def source_of(op: str, thread: Variable, other: Expr, width: Expr) -> Expr:
    """The thread a shuffle takes its value from: `other` away from this one, or that one of its group.

    Groups are `width` neighbours; a thread whose source lies beyond its group keeps its own value.
    """
    here = Name(thread)
    within = Binary("floormod", here, width, "int32")
    first = Binary("sub", here, within, "int32")
    if not op:
        return Binary("add", first, Binary("floormod", other, width, "int32"), "int32")
    there = Binary(op, here, other, "int32")
    if op == "sub":
        reached: Expr = Binary("ge", there, first, "bool")
    else:
        reached = Binary("lt", there, Binary("add", first, width, "int32"), "bool")
    return Select(reached, there, here, "int32")


def from_thread(value: Expr, source: Expr, threads: Threads, at: Location) -> tuple[list[Statement], Expr]:
    """Statements after which a thread can have the value of another, and that value."""
    shared, before = _published(value, threads, at)
    _, *others = threads
    result = Memory("received", (Number(1),), value.dtype, "var", at)
    load = Load(shared, (source, *(Name(v) for v, _ in others)), value.dtype)
    take = Store(result, (Number(0),), load, at=at)
    return [*before, take, Sync(at)], Load(result, (Number(0),), value.dtype)


def over_elements(combiner: str, first: Load, count: int, at: Location) -> tuple[list[Statement], Expr]:
    """Statements that look at `count` elements from this one on, in the order they lie, and what they find.

    With "max" whether any is true, with "min" whether all are.
    """
    sizes = first.memory.sizes
    depth = len(first.indices) - 1
    while depth and sizes is not None and prod(sizes[depth:]) < count:
        depth -= 1
    extents = [count] if depth == len(first.indices) - 1 else list((sizes or ())[depth:])
    if prod(extents) != count:
        refuse(f"{count} elements of {first.memory.name} are no box of it", str(at), "name whole rows")
    counters = [Variable(f"element{n}", counts=True) for n in range(len(extents))]
    moved = (plus(start, Name(v)) for start, v in zip(first.indices[depth:], counters, strict=True))
    load = Load(first.memory, (*first.indices[:depth], *moved), first.dtype)
    holds = Select(Binary("ne", load, Number(0, load.dtype), "bool"), Number(1), Number(0), "int32")
    result = Memory("holds", (Number(1),), "int32", "var", at)
    body = _combine(combiner, result, holds, at)
    for variable, extent in zip(reversed(counters), reversed(extents), strict=True):
        body = Loop(variable, Number(0), Number(extent), (body,), at=at)
    start = Store(result, (Number(0),), Number(0 if combiner == "max" else 1), at=at)
    return [start, body], Binary("ne", Load(result, (Number(0),), "int32"), Number(0), "bool")


def _published(value: Expr, threads: Threads, at: Location) -> tuple[Memory, list[Statement]]:
    shape = tuple(Number(extent) for _, extent in threads)
    shared = Memory("exchanged", shape, value.dtype, "shared", at)
    put = Store(shared, tuple(Name(v) for v, _ in threads), value, at=at)
    return shared, [put, Sync(at)]


def _combine(combiner: str, target: Memory, value: Expr, at: Location) -> Statement:
    old = Load(target, (Number(0),), target.dtype)
    return Store(target, (Number(0),), Binary(combiner, old, value, target.dtype), at=at)


def identity(combiner: str, dtype: str) -> Number:
    """What changes nothing when it is combined: the start of a reduction.

    >>> identity("max", "uint8").value, identity("mul", "int32").value
    (0, 1)
    """
    if combiner in ("max", "min"):
        lowest, highest = _limits(dtype)
        return Number(lowest if combiner == "max" else highest, dtype)
    start = {"add": 0, "or": 0, "xor": 0, "mul": 1, "and": -1}[combiner]
    return Number(float(start) if is_float(dtype) else start, dtype)


def _limits(dtype: str) -> tuple[float, float]:
    """The least and the largest number of a type; those of 64 bits are computed in 32."""
    if is_float(dtype):
        return float("-inf"), float("inf")
    if dtype == "bool":
        return 0, 1
    width = min(int(dtype.removeprefix("u").removeprefix("int")), 32)
    return (0, 2**width - 1) if dtype.startswith("u") else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
