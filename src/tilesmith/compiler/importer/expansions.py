"""Operations that are said best as loops over elements: transpose, scans, im2col."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tilesmith.compiler.importer.affine import minus, plus
from tilesmith.compiler.importer.source import (
    Binary,
    Expr,
    Load,
    Loop,
    Name,
    Number,
    Region,
    Select,
    Statement,
    Store,
    TileOp,
    Variable,
)


def expand(op: TileOp) -> list[Statement] | None:
    """The loops an operation stands for; None if it is no such operation."""
    expansion = _EXPANSIONS.get(op.name)
    return None if expansion is None else expansion(op)


def nest(variables: Sequence[Variable], sizes: Sequence[Expr], body: Statement, schedule: str) -> Statement:
    for variable, size in reversed(list(zip(variables, sizes, strict=True))):
        body = Loop(variable, Number(0), size, (body,), schedule, at=body.at)
    return body


def counters(count: int) -> list[Variable]:
    return [Variable(name, counts=True) for name in "ijklmnop"[:count]]


def at(region: Region, indices: Sequence[Expr]) -> tuple[Expr, ...]:
    return tuple(plus(offset, index) for offset, index in zip(region.offsets, indices, strict=True))


def element(region: Region, indices: Sequence[Expr]) -> Load:
    return Load(region.memory, at(region, indices), region.memory.dtype)


def _transpose(op: TileOp) -> list[Statement]:
    source, dest = op.regions
    variables = counters(len(source.sizes))
    names: list[Expr] = [Name(v) for v in variables]
    swapped = [*names[:-2], names[-1], names[-2]]
    store = Store(dest.memory, at(dest, swapped), element(source, names), at=op.at)
    return [nest(variables, source.sizes, store, "parallel")]


def _scan(op: TileOp) -> list[Statement]:
    """Running sums or maxima along one dimension; `reverse` starts at its end."""
    source, dest = op.regions
    dim, reverse = op.options["dim"], bool(op.options["reverse"])
    assert isinstance(dim, int)
    variables = counters(len(source.sizes))
    names: list[Expr] = [Name(v) for v in variables]
    size = source.sizes[dim]

    def place(step: Expr) -> list[Expr]:
        along = minus(minus(size, Number(1)), step) if reverse else step
        return [along if n == dim else name for n, name in enumerate(names)]

    combine = "add" if op.name == "cumsum" else "max"
    here, before = names[dim], minus(names[dim], Number(1))
    value = Binary(combine, element(dest, place(before)), element(source, place(here)), dest.memory.dtype)
    start = Store(dest.memory, at(dest, place(Number(0))), element(source, place(Number(0))), at=op.at)
    step = Store(dest.memory, at(dest, place(here)), value, at=op.at)
    others = [n for n in range(len(variables)) if n != dim]
    along = Loop(variables[dim], Number(1), minus(size, Number(1)), (step,), at=op.at)
    body: tuple[Statement, ...] = (start, along)
    for n in reversed(others):
        body = (Loop(variables[n], Number(0), source.sizes[n], body, at=op.at),)
    return list(body)


def _im2col(op: TileOp) -> list[Statement]:
    """Pixels under a convolution's window, one row per output pixel; what lies outside the image is zero."""
    image, column = op.regions
    step, channel_step, kernel, stride, dilation, pad = (
        _expr(op.options[n]) for n in ("nhw_step", "c_step", "kernel", "stride", "dilation", "pad")
    )
    _, height, width, channels = image.memory.shape
    rows, depth = column.sizes[-2:]
    i, j = counters(2)

    def out_size(size: Expr) -> Expr:
        reach = _mul(minus(kernel, Number(1)), dilation)
        span = minus(minus(plus(size, _mul(Number(2), pad)), reach), Number(1))
        return plus(_div(span, stride), Number(1))

    out_width = out_size(width)
    pixels = _mul(out_size(height), out_width)
    pixel = plus(_mul(step, rows), Name(i))
    first = _mul(channel_step, depth)
    # A block of channels that lies within one position of the window needs no division per element.
    aligned = isinstance(channels, Number) and isinstance(depth, Number) and channels.value % depth.value == 0
    k = first if aligned else plus(first, Name(j))
    channel = plus(_mod(first, channels), Name(j)) if aligned else _mod(k, channels)
    row, column_ = _div(_mod(pixel, pixels), out_width), _mod(pixel, out_width)
    down, right = _div(k, _mul(kernel, channels)), _mod(_div(k, channels), kernel)
    y = minus(plus(_mul(row, stride), _mul(down, dilation)), pad)
    x = minus(plus(_mul(column_, stride), _mul(right, dilation)), pad)
    inside = _all(
        Binary("ge", y, Number(0), "bool"),
        Binary("ge", x, Number(0), "bool"),
        Binary("lt", y, height, "bool"),
        Binary("lt", x, width, "bool"),
    )
    dtype = column.memory.dtype
    value = Select(inside, element(image, [_div(pixel, pixels), y, x, channel]), Number(0.0, dtype), dtype)
    leading: list[Expr] = [Number(0)] * (len(column.sizes) - 2)
    store = Store(column.memory, at(column, [*leading, Name(i), Name(j)]), value, at=op.at)
    return [nest([i, j], [rows, depth], store, "parallel")]


def _expr(value: Expr | str | int | bool) -> Expr:
    assert not isinstance(value, str)
    return Number(int(value)) if isinstance(value, int | bool) else value


def _fold(op: str, a: Expr, b: Expr, value: Callable[[int, int], int]) -> Expr:
    if isinstance(a, Number) and isinstance(b, Number):
        return Number(value(int(a.value), int(b.value)))
    return Binary(op, a, b, "int32")


def _mul(a: Expr, b: Expr) -> Expr:
    return _fold("mul", a, b, lambda x, y: x * y)


def _div(a: Expr, b: Expr) -> Expr:
    return _fold("floordiv", a, b, lambda x, y: x // y)


def _mod(a: Expr, b: Expr) -> Expr:
    return _fold("floormod", a, b, lambda x, y: x % y)


def _all(*conditions: Expr) -> Expr:
    result = conditions[0]
    for condition in conditions[1:]:
        result = Binary("and", result, condition, "bool")
    return result


def element_fill(op: TileOp) -> Statement:
    """A fill, as loops over elements."""
    (region,) = op.regions
    variables = counters(len(region.sizes))
    indices = at(region, [Name(v) for v in variables])
    store = Store(region.memory, indices, _expr(op.options["value"]), at=op.at)
    return nest(variables, region.sizes, store, "serial")


def element_copy(op: TileOp) -> Statement:
    """A copy, as loops over elements."""
    source, dest = op.regions
    moving = [n for n, size in enumerate(dest.sizes) if size != Number(1, size.dtype)]
    variables = dict(zip(moving, counters(len(moving)), strict=True))
    wide = [n for n, size in enumerate(source.sizes) if size != Number(1, size.dtype)]
    partner = dict(zip(wide, moving, strict=True))
    to: list[Expr] = [Name(variables[n]) if n in variables else Number(0) for n in range(len(dest.sizes))]
    come_from: list[Expr] = [
        Name(variables[partner[n]]) if n in partner else Number(0) for n in range(len(source.sizes))
    ]
    store = Store(dest.memory, at(dest, to), element(source, come_from), at=op.at)
    return nest(list(variables.values()), [dest.sizes[n] for n in moving], store, "serial")


_EXPANSIONS: dict[str, Callable[[TileOp], list[Statement]]] = {
    "transpose": _transpose,
    "cumsum": _scan,
    "cummax": _scan,
    "im2col": _im2col,
}
