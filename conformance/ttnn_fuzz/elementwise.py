"""Calls that work element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from conformance.ttnn_fuzz.draw import FLOATS, LIMITS, Draw, Shape, is_tame, name_of, plain
from conformance.ttnn_fuzz.step import Step
from tilesmith import ttnn

Function = Callable[..., torch.Tensor]

_EXACT_UNARY: dict[str, Function] = {
    "abs": torch.abs,
    "neg": torch.neg,
    "relu": torch.relu,
    "relu6": torch.nn.functional.relu6,
    "sign": torch.sign,
    "square": torch.square,
    "floor": torch.floor,
    "ceil": torch.ceil,
    "trunc": torch.trunc,
    "isfinite": torch.isfinite,
    "eqz": lambda x: x == 0,
    "nez": lambda x: x != 0,
    "gtz": lambda x: x > 0,
    "gez": lambda x: x >= 0,
    "ltz": lambda x: x < 0,
    "lez": lambda x: x <= 0,
    "logical_not": torch.logical_not,
}
_UNARY: dict[str, tuple[Function, float, float]] = {
    "exp": (torch.exp, -8, 8),
    "exp2": (torch.exp2, -8, 8),
    "expm1": (torch.expm1, -8, 8),
    "sigmoid": (torch.sigmoid, -20, 20),
    "tanh": (torch.tanh, -20, 20),
    "silu": (torch.nn.functional.silu, -20, 20),
    "gelu": (torch.nn.functional.gelu, -20, 20),
    "mish": (torch.nn.functional.mish, -20, 20),
    "softsign": (torch.nn.functional.softsign, -20, 20),
    "erf": (torch.erf, -4, 4),
    "sin": (torch.sin, -30, 30),
    "cos": (torch.cos, -30, 30),
    "atan": (torch.atan, -30, 30),
    "cbrt": (lambda x: x.sign() * x.abs() ** (1 / 3), -30, 30),
    "log": (torch.log, 0.1, 1e4),
    "log2": (torch.log2, 0.1, 1e4),
    "log10": (torch.log10, 0.1, 1e4),
    "log1p": (torch.log1p, 0, 1e4),
    "sqrt": (torch.sqrt, 0, 1e4),
    "rsqrt": (torch.rsqrt, 0.05, 1e4),
    "reciprocal": (torch.reciprocal, 0.05, 1e4),
    "asin": (torch.asin, -0.9, 0.9),
    "acos": (torch.acos, -0.9, 0.9),
    "atanh": (torch.atanh, -0.9, 0.9),
}
_ON_INTEGERS: dict[str, Function] = {
    name: _EXACT_UNARY[name]
    for name in ("abs", "neg", "relu", "eqz", "nez", "gtz", "gez", "ltz", "lez", "logical_not")
} | {"bitwise_not": torch.bitwise_not}
_EXACT_BINARY: dict[str, Function] = {
    "add": torch.add,
    "subtract": torch.sub,
    "multiply": torch.mul,
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "eq": torch.eq,
    "ne": torch.ne,
    "lt": torch.lt,
    "le": torch.le,
    "gt": torch.gt,
    "ge": torch.ge,
    "logical_and": torch.logical_and,
    "logical_or": torch.logical_or,
    "logical_xor": torch.logical_xor,
}
_BINARY: dict[str, Function] = {"squared_difference": lambda a, b: (a - b) ** 2, "rsub": lambda a, b: b - a}
_DIVIDE: dict[str, Function] = {"div": torch.div, "remainder": torch.remainder, "fmod": torch.fmod}
_BITS: dict[str, Function] = {
    "bitwise_and": torch.bitwise_and,
    "bitwise_or": torch.bitwise_or,
    "bitwise_xor": torch.bitwise_xor,
}
_WHOLE = ("floor", "ceil", "trunc")
_COMPARED = ("eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor")


def unary(draw: Draw, x: ttnn.Tensor) -> Step | None:
    values, dtype = plain(x), name_of(x)
    if dtype in LIMITS:
        if dtype != "int32":
            return None
        name = draw.rng.choice(list(_ON_INTEGERS))
        return called(draw, name, [x], [values], _ON_INTEGERS[name], exact=True)
    if draw.chance(0.4):
        finite = bool(values.isfinite().all())
        name = draw.rng.choice([one for one in _EXACT_UNARY if finite or one not in _WHOLE])
        return called(draw, name, [x], [values], _EXACT_UNARY[name], exact=True)
    low, high = float(values.min()), float(values.max())
    fits = [name for name, (_, least, most) in _UNARY.items() if least <= low and high <= most]
    if not fits:
        return None
    name = draw.rng.choice(fits)
    return called(draw, name, [x], [values], _UNARY[name][0])


def binary(draw: Draw, x: ttnn.Tensor) -> Step | None:
    """With a tensor that broadcasts, or a number; on either side."""
    values, dtype = plain(x), name_of(x)
    integer = dtype in LIMITS
    if integer and dtype != "int32":
        return None
    table = {**_EXACT_BINARY, **_BINARY, **(_BITS if integer else {})}
    fits = list(table) if integer or bool(values.isfinite().all()) else [*_COMPARED, "maximum", "minimum"]
    name = draw.rng.choice(fits)
    high = 2**31 - 1 if integer and draw.chance(0.3) else 9
    if draw.chance(0.25):
        number: Any = (
            draw.rng.randint(-high, high) if integer else draw.rng.choice((0.3, -1.5, 2.0, 7.0, -0.1))
        )
        taken = (
            torch.tensor(number, dtype=torch.int64) if integer else torch.tensor(number, dtype=torch.float64)
        )
        if name not in ("multiply",) and dtype != "float32" and not integer:
            taken = taken.bfloat16().double()
        return called(
            draw, name, [x, number], [values, taken], table[name], exact=name in _EXACT_BINARY or integer
        )
    kind = dtype if integer or draw.chance(0.7) else draw.rng.choice(FLOATS)
    shape = broadcastable(draw, tuple(x.shape))
    layout = x.layout if draw.chance(0.8) and kind not in ("bfloat8_b", "bfloat4_b") else None
    other = draw.tensor(shape, kind, low=-high, high=high, layout=layout)
    pair = ([x, other], [values, plain(other)])
    if draw.chance(0.3) and name not in ("rsub",):
        pair = ([other, x], [plain(other), values])
    return called(draw, name, *pair, table[name], exact=name in _EXACT_BINARY or integer)


def divide(draw: Draw, x: ttnn.Tensor) -> Step | None:
    """By numbers that are not near zero, with the remainders kept away from their jumps."""
    if name_of(x) not in ("bfloat16", "float32") or not is_tame(plain(x)):
        return None
    other = draw.tensor(broadcastable(draw, tuple(x.shape)), name_of(x), low=0.5, high=4.0, layout=x.layout)
    return called(draw, "div", [x, other], [plain(x), plain(other)], _DIVIDE["div"])


def where(draw: Draw, x: ttnn.Tensor) -> Step | None:
    values, dtype = plain(x), name_of(x)
    if dtype not in ("bfloat16", "float32", "int32"):
        return None
    condition = draw.tensor(broadcastable(draw, tuple(x.shape)), dtype, low=0, high=1.99, layout=x.layout)
    truth = plain(condition)
    if dtype != "int32":
        condition, truth = ttnn.gt(condition, 1.0), (truth > 1).double()
        draw.code.append(f"t{len(draw.code)} = ttnn.gt(t{len(draw.code) - 1}, 1.0)")
    other = draw.tensor(tuple(x.shape), dtype, layout=x.layout)
    return called(
        draw,
        "where",
        [condition, x, other],
        [truth, values, plain(other)],
        lambda c, a, b: torch.where(c != 0, a, b),
        exact=True,
    )


def close(draw: Draw, x: ttnn.Tensor) -> Step | None:
    """Numbers that are the same or far apart, and NaN on either side."""
    values, dtype = plain(x), name_of(x)
    if dtype not in ("bfloat16", "float32") or not is_tame(values):
        return None
    seed, equal = draw.rng.randrange(2**31), draw.chance(0.5)
    generator = torch.Generator().manual_seed(seed)

    def some(share: float) -> torch.Tensor:
        return torch.rand(values.shape, generator=generator) < share

    left = torch.where(some(0.2), torch.nan, values)
    right = torch.where(some(0.2), torch.nan, torch.where(some(0.5), values + values.abs() + 1, values))
    operands: list[Any] = []
    for name, held in (("left", left), ("right", right)):
        kind = getattr(ttnn, dtype)
        operands.append(ttnn.from_torch(held.float(), dtype=kind, layout=x.layout, device=draw.device))
        draw.code.append(f"t{len(draw.code)} = the {name} of close by seed {seed}")
    return called(
        draw,
        "isclose",
        operands,
        [left, right],
        lambda a, b: a.isclose(b, equal_nan=equal),
        exact=True,
        equal_nan=equal,
    )


def cast(draw: Draw, x: ttnn.Tensor) -> Step | None:
    """To types that hold what is there."""
    values = plain(x)
    if not bool(values.isfinite().all()):
        return None
    low, high = float(values.min()), float(values.max())
    fits = [name for name, (least, most) in LIMITS.items() if least <= low and high <= most]
    fits += ["bfloat16", "float32", "bfloat8_b"]
    if x.layout == ttnn.ROW_MAJOR_LAYOUT:
        fits.remove("bfloat8_b")
    target = draw.rng.choice([name for name in fits if name != name_of(x)])
    cut = torch.trunc if target in LIMITS else (lambda one: one)
    return called(draw, "typecast", [x], [values], cut, exact=True, dtype=getattr(ttnn, target))


def called(
    draw: Draw,
    name: str,
    operands: list[Any],
    values: list[torch.Tensor],
    function: Function,
    *,
    exact: bool = False,
    **options: Any,
) -> Step:
    options = dict(options)
    if draw.chance(0.1):
        options["memory_config"] = draw.rng.choice([ttnn.DRAM_MEMORY_CONFIG, ttnn.L1_MEMORY_CONFIG])
    kinds = tuple(name_of(one) for one in operands if isinstance(one, ttnn.Tensor))
    words = [described(one) for one in operands] + [f"{key}={value}" for key, value in options.items()]
    return Step(
        name,
        f"ttnn.{name}({', '.join(words)})",
        lambda: getattr(ttnn, name)(*operands, **options),
        lambda: _as_number(function(*values)),
        kinds,
        exact=exact,
    )


def _as_number(values: torch.Tensor) -> torch.Tensor:
    return values.to(torch.int64) if values.dtype == torch.bool else values


def described(one: Any) -> str:
    """A tensor by what it is; anything else as it stands."""
    if not isinstance(one, ttnn.Tensor):
        return repr(one)
    memory = one.memory_config()
    shards = memory.shard_spec
    place = f"{memory.memory_layout.name}/{memory.buffer_type.name}"
    place += f"{list(shards.shape)}x{shards.grid.num_cores()}" if shards is not None else ""
    return f"<{list(one.shape)} {name_of(one)} {one.layout.name} {place}>"


def broadcastable(draw: Draw, shape: Shape) -> Shape:
    """The same shape, or one that broadcasts to it."""
    if draw.chance(0.5):
        return shape
    sizes = [1 if draw.chance(0.4) else size for size in shape]
    cut = draw.rng.randrange(len(sizes)) if len(sizes) > 1 and draw.chance(0.3) else 0
    return tuple(sizes[cut:])
