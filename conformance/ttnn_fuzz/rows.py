"""Calls that look along axes: reductions, softmax, norms, products, orders and look-ups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from conformance.ttnn_fuzz.draw import LIMITS, Draw, is_tame, name_of, plain
from conformance.ttnn_fuzz.elementwise import described
from conformance.ttnn_fuzz.step import Step, Wanted
from tilesmith import ttnn

_FOLDS: dict[str, Callable[..., torch.Tensor]] = {
    "sum": torch.sum,
    "mean": torch.mean,
    "max": torch.amax,
    "min": torch.amin,
}


def reduction(draw: Draw, x: ttnn.Tensor) -> Step | None:
    integer = name_of(x) in LIMITS
    if integer and name_of(x) != "int32":
        return None
    fits = ["max", "min"] + (["sum"] if is_tame(plain(x)) else [])
    name = draw.rng.choice(fits if integer or "sum" not in fits else [*fits, "mean"])
    rank = len(x.shape)
    axes = draw.rng.sample(range(rank), draw.rng.randint(1, rank))
    dim: Any = draw.rng.choice((None, axes[0], axes[0] - rank, axes))
    keep = draw.chance(0.5)
    along = tuple(range(rank)) if dim is None else dim
    return _step(
        name,
        [x],
        {"dim": dim, "keepdim": keep},
        lambda v: _FOLDS[name](v, dim=along, keepdim=keep),
        exact=name in ("max", "min"),
    )


def running_sum(draw: Draw, x: ttnn.Tensor) -> Step | None:
    if name_of(x) not in ("bfloat16", "float32", "int32") or not is_tame(plain(x)):
        return None
    axis = draw.rng.randrange(-len(x.shape), len(x.shape))
    return _step("cumsum", [x], {"dim": axis}, lambda v: v.cumsum(axis))


def softmax(draw: Draw, x: ttnn.Tensor) -> Step | None:
    if name_of(x) in LIMITS or not is_tame(plain(x)):
        return None
    axis = draw.rng.randrange(-len(x.shape), len(x.shape))
    return _step("softmax", [x], {"dim": axis}, lambda v: v.softmax(axis))


def norm(draw: Draw, x: ttnn.Tensor) -> Step | None:
    width = x.shape[-1]
    if name_of(x) in LIMITS or width < 4 or not is_tame(plain(x)):
        return None
    weight = draw.tensor((width,), "bfloat16", layout=ttnn.TILE_LAYOUT, interleaved=True)
    with_weight = draw.chance(0.6)
    options: dict[str, Any] = {"epsilon": 1e-3} | ({"weight": weight} if with_weight else {})
    gamma = plain(weight) if with_weight else None
    if draw.chance(0.5):
        return _step(
            "layer_norm",
            [x],
            options,
            lambda v: torch.nn.functional.layer_norm(v, [width], gamma, eps=1e-3),
        )
    return _step("rms_norm", [x], options, lambda v: torch.nn.functional.rms_norm(v, [width], gamma, 1e-3))


def product(draw: Draw, x: ttnn.Tensor) -> Step | None:
    if name_of(x) not in ("bfloat16", "float32", "bfloat8_b") or len(x.shape) < 2:
        return None
    if x.layout != ttnn.TILE_LAYOUT or not is_tame(plain(x)):
        return None
    depth, width = x.shape[-1], draw.rng.choice((1, 17, 32, 33, 64, 100))
    turned = draw.chance(0.3)
    batch = tuple(x.shape[:-2]) if draw.chance(0.3) else ()
    other = draw.tensor(
        (*batch, width, depth) if turned else (*batch, depth, width),
        name_of(x) if draw.chance(0.7) else "bfloat16",
        layout=ttnn.TILE_LAYOUT,
        interleaved=draw.chance(0.8),
    )
    options: dict[str, Any] = {"transpose_b": True} if turned else {}
    right = plain(other).transpose(-1, -2) if turned else plain(other)
    if batch or draw.chance(0.5):
        return _step("matmul", [x, other], options, lambda v, _: v @ right)
    bias = draw.tensor((1, width), "bfloat16", layout=ttnn.TILE_LAYOUT, interleaved=True)
    options["bias"] = bias
    activation = draw.rng.choice((None, "relu"))
    if activation:
        options["activation"] = activation
    return _step(
        "linear",
        [x, other],
        options,
        lambda v, _: torch.relu(v @ right + plain(bias)) if activation else v @ right + plain(bias),
    )


def order(draw: Draw, x: ttnn.Tensor) -> Step | None:
    """The values of sort and topk; which of equal ones comes first is not said."""
    if name_of(x) != "bfloat16" or x.layout != ttnn.TILE_LAYOUT or len(x.shape) < 2:
        return None
    axis, falling = draw.rng.choice((-1, -1, -2)), draw.chance(0.5)
    if draw.chance(0.5):
        return _first(
            Step(
                "sort",
                f"ttnn.sort({described(x)}, {axis}, {falling})",
                lambda: ttnn.sort(x, axis, falling),
                lambda: plain(x).sort(axis, falling).values,
                ("bfloat16",),
                moves=True,
            )
        )
    k = draw.rng.randint(1, x.shape[-1])
    return _first(
        Step(
            "topk",
            f"ttnn.topk({described(x)}, {k}, dim=-1, largest={falling})",
            lambda: ttnn.topk(x, k, dim=-1, largest=falling),
            lambda: plain(x).topk(k, -1, falling).values,
            ("bfloat16",),
            moves=True,
        )
    )


def table(draw: Draw, x: ttnn.Tensor) -> Step | None:
    """Rows of the tensor, gathered by numbers."""
    if name_of(x) != "bfloat16" or len(x.shape) != 2 or x.layout != ttnn.ROW_MAJOR_LAYOUT:
        return None
    shape = draw.rng.choice(((1, 5), (2, 32), (3, 33)))
    index = draw.tensor(
        shape, "uint32", low=0, high=x.shape[0] - 1, layout=ttnn.ROW_MAJOR_LAYOUT, interleaved=True
    )
    return _step("embedding", [index, x], {}, lambda i, v: v[i], moves=True)


def pick(draw: Draw, x: ttnn.Tensor) -> Step | None:
    if name_of(x) != "bfloat16" or x.layout != ttnn.TILE_LAYOUT or len(x.shape) < 2:
        return None
    axis = draw.rng.choice((-1, -2))
    index = draw.tensor(
        tuple(x.shape), "uint32", low=0, high=x.shape[axis] - 1, layout=ttnn.TILE_LAYOUT, interleaved=True
    )
    return Step(
        "gather",
        f"ttnn.gather({described(x)}, {axis}, index={described(index)})",
        lambda: ttnn.gather(x, axis, index=index),
        lambda: plain(x).gather(axis, plain(index)),
        ("bfloat16",),
        moves=True,
    )


def _first(step: Step) -> Step:
    """Of several results the first alone."""
    return Step(
        step.operation, step.text, lambda: step.call()[0], step.wanted, step.inputs, step.exact, step.moves
    )


def _step(
    name: str,
    operands: list[ttnn.Tensor],
    options: dict[str, Any],
    function: Callable[..., Wanted],
    *,
    exact: bool = False,
    moves: bool = False,
) -> Step:
    words = [described(one) for one in operands]
    words += [f"{key}={described(value)}" for key, value in options.items()]
    return Step(
        name,
        f"ttnn.{name}({', '.join(words)})",
        lambda: getattr(ttnn, name)(*operands, **options),
        lambda: function(*map(plain, operands)),
        tuple(map(name_of, operands)),
        exact=exact,
        moves=moves,
    )
