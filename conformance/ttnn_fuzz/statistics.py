"""Calls that count, choose and put: variance, products, places, scatter, bounds; in place and of three."""

from __future__ import annotations

import torch

from conformance.ttnn_fuzz.draw import Draw, is_tame, name_of, plain
from conformance.ttnn_fuzz.elementwise import Function, broadcastable, called, described
from conformance.ttnn_fuzz.step import Step
from tilesmith import ttnn


def spread(draw: Draw, x: ttnn.Tensor) -> Step | None:
    axis = draw.rng.randrange(len(x.shape))
    if name_of(x) not in ("bfloat16", "float32") or x.shape[axis] < 2 or not is_tame(plain(x)):
        return None
    name, keep = draw.rng.choice(("var", "std")), draw.chance(0.5)
    return Step(
        name,
        f"ttnn.{name}({described(x)}, dim={axis}, keepdim={keep})",
        lambda: getattr(ttnn, name)(x, dim=axis, keepdim=keep),
        lambda: getattr(torch, name)(plain(x), dim=axis, keepdim=keep),
        (name_of(x),),
    )


def product_of_all(draw: Draw, x: ttnn.Tensor) -> Step | None:
    axis = draw.rng.randrange(len(x.shape))
    if name_of(x) != "bfloat16" or x.shape[axis] > 40 or not is_tame(plain(x)):
        return None
    return Step(
        "prod",
        f"ttnn.prod({described(x)}, dim={axis}, keepdim=True)",
        lambda: ttnn.prod(x, dim=axis, keepdim=True),
        lambda: plain(x).prod(axis, keepdim=True),
        # Products of stored numbers: as many roundings as there are factors.
        ("bfloat8_b",),
    )


def place_of_largest(draw: Draw, x: ttnn.Tensor) -> Step | None:
    """The first of equal ones."""
    if name_of(x) not in ("bfloat16", "float32", "int32"):
        return None
    keep = draw.chance(0.5)
    return Step(
        "argmax",
        f"ttnn.argmax({described(x)}, dim=-1, keepdim={keep})",
        lambda: ttnn.argmax(x, dim=-1, keepdim=keep),
        lambda: plain(x).argmax(-1, keepdim=keep),
        (name_of(x),),
    )


def put(draw: Draw, x: ttnn.Tensor) -> Step | None:
    """Scatter along the last axis; each place is written once."""
    if name_of(x) not in ("bfloat16", "float32") or x.layout != ttnn.ROW_MAJOR_LAYOUT:
        return None
    width = x.shape[-1]
    order = torch.randperm(width, generator=torch.Generator().manual_seed(draw.rng.randrange(2**31)))
    index = order.expand(x.shape)[..., : draw.rng.randint(1, width)].contiguous()
    places = ttnn.from_torch(index, dtype=ttnn.int32, layout=ttnn.ROW_MAJOR_LAYOUT, device=draw.device)
    source = draw.tensor(tuple(index.shape), name_of(x), layout=ttnn.ROW_MAJOR_LAYOUT, interleaved=True)
    return Step(
        "scatter",
        f"ttnn.scatter({described(x)}, -1, {described(places)}, {described(source)})",
        lambda: ttnn.scatter(x, -1, places, source),
        lambda: plain(x).scatter(-1, index, plain(source)),
        (name_of(x),),
        moves=True,
    )


def bounds(draw: Draw, x: ttnn.Tensor) -> Step | None:
    dtype = name_of(x)
    if dtype not in ("bfloat16", "float32", "int32"):
        return None
    low, high = draw.rng.choice(((-1, 1), (0, 2), (-2, None), (None, 1)))
    return Step(
        "clamp",
        f"ttnn.clamp({described(x)}, {low}, {high})",
        lambda: ttnn.clamp(x, low, high),
        lambda: plain(x).clamp(low, high),
        (dtype,),
        exact=True,
    )


def in_place(draw: Draw, x: ttnn.Tensor) -> Step | None:
    """The first operand holds the result; it is compared with what it was."""
    if name_of(x) not in ("bfloat16", "float32") or not is_tame(plain(x)):
        return None
    before = plain(x)
    name = draw.rng.choice(("add_", "multiply_", "subtract_"))
    other = draw.tensor(broadcastable(draw, tuple(x.shape)), name_of(x), layout=x.layout)
    value = plain(other)
    functions: dict[str, Function] = {"add_": torch.add, "multiply_": torch.mul, "subtract_": torch.sub}

    def call() -> ttnn.Tensor:
        getattr(ttnn, name)(x, other)
        return x

    text = f"ttnn.{name}({described(x)}, {described(other)})"
    return Step(name, text, call, lambda: functions[name](before, value), (name_of(x),), exact=True)


def three(draw: Draw, x: ttnn.Tensor) -> Step | None:
    if name_of(x) not in ("bfloat16", "float32") or not is_tame(plain(x)):
        return None
    name = draw.rng.choice(("addcmul", "lerp"))
    functions: dict[str, Function] = {"addcmul": torch.addcmul, "lerp": torch.lerp}
    others = [draw.tensor(tuple(x.shape), name_of(x), layout=x.layout) for _ in range(2)]
    return called(draw, name, [x, *others], [plain(x), *map(plain, others)], functions[name])
