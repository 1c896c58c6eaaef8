"""Calls that move data: every element stays what it was."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from conformance.ttnn_fuzz.draw import LIMITS, Draw, Shape, name_of, plain
from conformance.ttnn_fuzz.elementwise import described
from conformance.ttnn_fuzz.step import Step, Wanted
from tilesmith import ttnn


def permute(draw: Draw, x: ttnn.Tensor) -> Step | None:
    rank = len(x.shape)
    if rank < 2:
        return None
    order = draw.rng.sample(range(rank), rank)
    return _step("permute", x, (order,), lambda v: v.permute(order))


def transpose(draw: Draw, x: ttnn.Tensor) -> Step | None:
    rank = len(x.shape)
    if rank < 2:
        return None
    a, b = (draw.rng.randrange(-rank, rank) for _ in range(2))
    return _step("transpose", x, (a, b), lambda v: v.transpose(a, b))


def reshape(draw: Draw, x: ttnn.Tensor) -> Step:
    shape = _factors(draw, math.prod(x.shape))
    return _step("reshape", x, (shape,), lambda v: v.reshape(shape))


def slice_(draw: Draw, x: ttnn.Tensor) -> Step:
    starts = [draw.rng.randrange(size) for size in x.shape]
    ends = [draw.rng.randint(start + 1, size) for start, size in zip(starts, x.shape, strict=True)]
    steps = [draw.rng.choice((1, 1, 1, 2, 3)) for _ in starts]
    index = tuple(slice(*three) for three in zip(starts, ends, steps, strict=True))
    return _step("slice", x, (starts, ends, steps), lambda v: v[index])


def getitem(draw: Draw, x: ttnn.Tensor) -> Step:
    """As Python's brackets: negative and open ends, an integer that drops an axis, an ellipsis."""
    index: list[Any] = []
    for size in x.shape:
        start = draw.rng.choice((None, draw.rng.randrange(-size, size)))
        first = (start or 0) % size
        stop = draw.rng.choice((None, draw.rng.randint(first + 1, size)))
        index.append(slice(start, stop))
    if len(index) > 1 and draw.chance(0.3):
        index[0] = draw.rng.randrange(x.shape[0])
    if len(index) > 2 and draw.chance(0.3):
        index[1:-1] = [Ellipsis]
    key = tuple(index)
    return Step(
        "getitem", f"{described(x)}[{key}]", lambda: x[key], lambda: plain(x)[key], (name_of(x),), moves=True
    )


def pad(draw: Draw, x: ttnn.Tensor) -> Step:
    front = x.layout == ttnn.ROW_MAJOR_LAYOUT
    sides = [
        (draw.rng.choice((0, 0, 1, 3)) if front else 0, draw.rng.choice((0, 0, 1, 5, 32))) for _ in x.shape
    ]
    value = draw.rng.choice((0, 2, 3) if name_of(x) in LIMITS else (0.0, 1.5, -2.0))
    flat = [number for pair in reversed(sides) for number in pair]
    return _step("pad", x, (sides, value), lambda v: torch.nn.functional.pad(v, flat, value=value))


def repeat(draw: Draw, x: ttnn.Tensor) -> Step:
    times = [draw.rng.choice((1, 1, 2, 3)) for _ in x.shape]
    return _step("repeat", x, (times,), lambda v: v.repeat(times))


def repeat_interleave(draw: Draw, x: ttnn.Tensor) -> Step:
    times, axis = draw.rng.choice((1, 2, 3)), draw.rng.randrange(-len(x.shape), len(x.shape))
    return _step("repeat_interleave", x, (times, axis), lambda v: v.repeat_interleave(times, axis))


def roll(draw: Draw, x: ttnn.Tensor) -> Step:
    axis = draw.rng.randrange(len(x.shape))
    shift = draw.rng.randint(-40, 40)
    return _step("roll", x, (shift, axis), lambda v: v.roll(shift, axis))


def expand(draw: Draw, x: ttnn.Tensor) -> Step:
    shape = [draw.rng.choice((1, 2, 5)) if size == 1 else size for size in x.shape]
    return _step("expand", x, (shape,), lambda v: v.expand(shape))


def unsqueeze(draw: Draw, x: ttnn.Tensor) -> Step | None:
    if len(x.shape) > 3:
        return _step("squeeze", x, (0,), lambda v: v.squeeze(0))
    axis = draw.rng.randrange(-len(x.shape) - 1, len(x.shape) + 1)
    return _step("unsqueeze", x, (axis,), lambda v: v.unsqueeze(axis))


def concat(draw: Draw, x: ttnn.Tensor) -> Step:
    axis = draw.rng.randrange(-len(x.shape), len(x.shape))
    others = [
        draw.tensor(_other(draw, x, axis), name_of(x), layout=x.layout) for _ in range(draw.rng.randint(1, 2))
    ]
    every = draw.rng.sample([x, *others], len(others) + 1)
    return Step(
        "concat",
        f"ttnn.concat([{', '.join(map(described, every))}], {axis})",
        lambda: ttnn.concat(every, axis),
        lambda: torch.cat([plain(one) for one in every], axis),
        (name_of(x),),
        moves=True,
    )


def stack(draw: Draw, x: ttnn.Tensor) -> Step | None:
    if len(x.shape) > 3:
        return None
    other = draw.tensor(tuple(x.shape), name_of(x), layout=x.layout)
    axis = draw.rng.randrange(len(x.shape) + 1)
    return Step(
        "stack",
        f"ttnn.stack([{described(x)}, {described(other)}], {axis})",
        lambda: ttnn.stack([x, other], axis),
        lambda: torch.stack([plain(x), plain(other)], axis),
        (name_of(x),),
        moves=True,
    )


def split(draw: Draw, x: ttnn.Tensor) -> Step:
    axis = draw.rng.randrange(-len(x.shape), len(x.shape))
    size = draw.rng.randint(1, x.shape[axis])
    if x.shape[axis] // size > 6:
        size = -(-x.shape[axis] // 3)
    return _step("split", x, (size, axis), lambda v: v.split(size, axis))


def triangle(draw: Draw, x: ttnn.Tensor) -> Step | None:
    if len(x.shape) < 2 or name_of(x) in LIMITS:
        return None
    name, diagonal = draw.rng.choice(("tril", "triu")), draw.rng.choice((0, 0, -3, 5))
    return _step(name, x, (diagonal,), lambda v: getattr(torch, name)(v, diagonal))


def layout(_: Draw, x: ttnn.Tensor) -> Step | None:
    if x.dtype.is_block_float:
        return None
    other = ttnn.ROW_MAJOR_LAYOUT if x.layout == ttnn.TILE_LAYOUT else ttnn.TILE_LAYOUT
    return _step("to_layout", x, (other,), lambda v: v)


def memory(draw: Draw, x: ttnn.Tensor) -> Step:
    target = draw.memory(tuple(x.shape), x.layout)
    return _step("to_memory_config", x, (target,), lambda v: v)


def clone(_: Draw, x: ttnn.Tensor) -> Step:
    return _step("clone", x, (), lambda v: v)


def through_host(draw: Draw, x: ttnn.Tensor) -> Step:
    """To the host and back, to another place."""
    target = draw.memory(tuple(x.shape), x.layout)
    return Step(
        "to_device",
        f"ttnn.to_device(ttnn.from_device({described(x)}), device, memory_config={target})",
        lambda: ttnn.to_device(ttnn.from_device(x), draw.device, memory_config=target),
        lambda: plain(x),
        (name_of(x),),
        moves=True,
    )


def _step(
    name: str, x: ttnn.Tensor, args: tuple[Any, ...], function: Callable[[torch.Tensor], Wanted]
) -> Step:
    words = ", ".join([described(x), *map(str, args)])
    return Step(
        name,
        f"ttnn.{name}({words})",
        lambda: getattr(ttnn, name)(x, *args),
        lambda: function(plain(x)),
        (name_of(x),),
        moves=True,
    )


def _other(draw: Draw, x: ttnn.Tensor, axis: int) -> Shape:
    shape = list(x.shape)
    shape[axis] = draw.rng.choice((shape[axis], 1, 7, 32, 33))
    return tuple(shape)


def _factors(draw: Draw, count: int) -> Shape:
    """A random shape of so many elements."""
    shape: list[int] = []
    for _ in range(draw.rng.randint(0, 3)):
        divisors = [size for size in range(1, min(count, 200) + 1) if count % size == 0]
        shape.append(draw.rng.choice(divisors))
        count //= shape[-1]
    shape.append(count)
    return tuple(draw.rng.sample(shape, len(shape)))
