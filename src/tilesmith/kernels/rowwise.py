"""Work along whole rows: layer norm, RMS norm and softmax of an expression, with an epilogue.

A block holds whole rows, so the number of columns is part of the kernel; the number of rows is not.
"""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any, Literal

import tilelang.language as T  # noqa: N812

from tilesmith.kernels import operands as op
from tilesmith.kernels.authoring import TILE, named, prim_func, symbols
from tilesmith.kernels.epilogue import Epilogue, Place, element_of, loaded, store
from tilesmith.kernels.expression import Expr, Input
from tilesmith.kernels.macros import macro
from tilesmith.kernels.operands import Operand
from tilesmith.kernels.reduce import reduce_max, reduce_sum

# In columns beyond the end of a row: its power is zero.
_HIDDEN = -inf
# So many columns of an RMS norm are loaded at a time.
_PART = 1024

RowOperation = Literal["layer_norm", "rms_norm", "softmax", "log_softmax"]


MOST_L1 = 1_000_000
"""Rows that take more of L1 are streamed: tensors lie there, too."""
# Blocks of float32 that each needs at once, with what its epilogue makes.
_BUFFERS = {"layer_norm": 3, "rms_norm": 3, "softmax": 2, "log_softmax": 3}


def bytes_held(tensors: Sequence[Operand]) -> int:
    """What the operands of a block take for each of its elements."""
    return sum(4 if one.dtype == "float32" else 2 for one in tensors if one.access in ("block", "rows"))


@dataclass(frozen=True)
class RowWise:
    """`source`, over `inputs`, is what is normalised; the epilogue sees the result as `acc0`.

    With a `chunk`, a block finishes only that many columns of its rows: several cores share a row, and each
    finds the statistics of all of it with the matrix unit. That is for norms of bfloat16 and whole tiles. If
    `share` blocks of rows are all there are, each is read once, and sent to the cores of a row. A block of
    one row is for GPUs: `threads` of them share it. With `split` a chunk is finished in steps of two tiles
    each, as the matrix unit takes them where it may: the mean is then the sum of two numbers of bfloat16, so
    that little of a row that lies far from zero is lost.
    """

    operation: RowOperation
    columns: int
    epilogue: Epilogue
    inputs: tuple[Operand, ...]
    source: Expr
    epsilon: float = 0.0
    block_rows: int = 32
    chunk: int = 0
    share: int = 0
    threads: int = 128
    split: bool = False

    @property
    def name(self) -> str:
        return self.operation

    @property
    def part(self) -> int:
        """How many columns are loaded at a time for the statistics of rows: half, if they are many.

        An RMS norm needs no row twice, so that its parts may be small.
        """
        if self.is_whole or self.columns < 8 * TILE:
            return self.columns
        most = min(_PART, self.columns // 2) if self.operation == "rms_norm" else self.columns // 2
        return next(
            (width for width in range(most // TILE * TILE, 2 * TILE, -TILE) if self.columns % width == 0),
            self.columns,
        )

    @property
    def is_whole(self) -> bool:
        """Whether a chunk is a whole row, so that it is loaded once for its statistics and its result."""
        return self.chunk == self.columns

    @property
    def shares(self) -> int:
        """How many chunks a row has."""
        return -(-self.columns // self.chunk)

    @property
    def chunk_bytes(self) -> int:
        """What the buffers of a chunk take of L1: what is normalised twice, centred, and the chunk's own."""
        held = self.part if self.operation == "rms_norm" else self.columns
        centred = 2 * TILE if self.operation == "rms_norm" else self.part + TILE
        own = self.chunk * (2 * bytes_held(self.epilogue.operands) + (0 if self.is_whole else 4))
        own += self.chunk * (8 if self.split else 0)
        return self.block_rows * (4 * len(self.inputs) * held + 2 * centred + own)

    @property
    def tensors(self) -> tuple[Operand, ...]:
        return (*self.inputs, *self.epilogue.operands)

    @property
    def l1_bytes(self) -> int:
        """What its buffers take of L1."""
        return self.block_rows * self.columns * (4 * _BUFFERS[self.operation] + bytes_held(self.tensors))

    def prim_func(self) -> Any:
        rows, columns = self.block_rows, self.columns
        wide = -(-columns // TILE) * TILE
        m, nb1, nb2 = symbols("m", "nb1", "nb2")
        bound = op.bind(self.tensors)
        work = _WORK[self.operation]
        fill = _HIDDEN if self.operation in ("softmax", "log_softmax") else 0.0

        @macro
        def block_of(tensors, by, b1, b2):  # type: ignore[no-untyped-def]
            block = (rows, wide)
            place = place_of_rows(b1, b2, by, rows)
            x = T.alloc_fragment((rows, wide), "float32")
            held = loaded(self.inputs, bound, tensors, block, place)
            for i, j in T.Parallel(rows, wide):
                x[i, j] = within(j, columns, wide, element_of(self.source, bound, held, i, j), fill)
            work(x, rows, wide, columns, self.epsilon)
            store(self.epilogue, bound, tensors, {"acc0": x}, block, place, (by * rows, 0), (m, columns))

        @macro
        def chunk_of(tensors, bx, by, b1, b2):  # type: ignore[no-untyped-def]
            block = (rows, self.chunk)
            place = lambda one: one.start(b1, b2, by * (rows // TILE), bx * (self.chunk // TILE))  # noqa: E731
            part = lambda one, col: one.start(b1, b2, by * (rows // TILE), col)  # noqa: E731
            scale = T.alloc_fragment((rows,), "float32")
            mean = _Mean(named("mean", T.alloc_fragment((rows,), "float32")))
            if self.split and self.operation == "layer_norm":
                parts = [named(name, T.alloc_fragment((rows,), "bfloat16")) for name in ("high", "rest")]
                mean = _Mean(mean.whole, *parts)
            away = T.alloc_fragment((rows, self.part), "bfloat16")
            if self.is_whole:
                held = loaded(self.inputs, bound, tensors, block, place)
                _statistics(self, bound, tensors, part, mean, scale, away, held)
            else:
                _statistics(self, bound, tensors, part, mean, scale, away, {})
                held = loaded(self.inputs, bound, tensors, block, place)
            x = _Normalised(self, bound, held, mean, scale)
            if self.split:
                x = _normalised_in_steps(self, bound, held, mean, scale, away)
            elif self.epilogue.is_plain:
                result = T.alloc_fragment(block, "float32")
                for i, j in T.Parallel(*block):
                    result[i, j] = x[i, j]
                x = result
            first = (by * rows, bx * self.chunk)
            store(self.epilogue, bound, tensors, {"acc0": x}, block, place, first, (m, columns))

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(m, rows), nb1 * nb2, threads=self.threads) as (by, bz):
                block_of(tensors, by, bz // nb2, bz % nb2)

        @macro
        def body_of_chunks(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(self.shares, T.ceildiv(m, rows), nb1 * nb2, threads=128) as (bx, by, bz):
                chunk_of(tensors, bx, by, bz // nb2, bz % nb2)

        @macro
        def body_of_shared(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(self.shares, self.share, threads=128) as (bx, by):
                chunk_of(tensors, bx, by, 0, 0)

        numbers = [m, nb1, nb2, *op.numbers(bound)]
        chosen = body_of_shared if self.share else body_of_chunks if self.chunk else body
        return prim_func(self.name, op.declared(bound), numbers, chosen)


def place_of_rows(b1: Any, b2: Any, block: Any, rows: int) -> Place:
    """Where operands begin in a block of rows: of whole tiles, or of any number of rows on a GPU."""
    if rows % TILE:
        return lambda one: one.row_start(b1, b2, block * rows)
    return lambda one: one.start(b1, b2, block * (rows // TILE), 0)


@dataclass(frozen=True)
class _Normalised:
    """The elements of a chunk, computed where they are read."""

    norm: RowWise
    bound: Mapping[str, op.Bound]
    held: Mapping[str, Any]
    mean: Any
    scale: Any

    def __getitem__(self, at: tuple[Any, Any]) -> Any:
        value = element_of(self.norm.source, self.bound, self.held, *at)
        centred = self.mean.less(value, at[0]) if self.norm.operation == "layer_norm" else value
        return centred * self.scale[at[0]]


@dataclass(frozen=True)
class _Mean:
    """The mean of rows; of a norm in steps as two numbers of bfloat16, which hold sixteen of its bits."""

    whole: Any
    high: Any = None
    rest: Any = None

    def less(self, x: Any, row: Any) -> Any:
        """A value of a row without the mean."""
        if self.high is None:
            return x - self.whole[row]
        return (x - self.high[row].astype("float32")) + self.rest[row].astype("float32")


@macro
def _normalised_in_steps(norm, bound, held, mean, scale, away):  # type: ignore[no-untyped-def]
    """The elements of a chunk, in L1: what lies `away` from the mean, or is here, times the scale."""
    block = (norm.block_rows, norm.chunk)
    result = T.alloc_fragment(block, "float32")
    if norm.operation == "layer_norm" and not norm.is_whole:
        away = T.alloc_fragment(block, "bfloat16")
        for i, j in T.Parallel(*block):
            away[i, j] = mean.less(element_of(norm.source, bound, held, i, j), i)
    for i, j in T.Parallel(*block):
        if norm.operation == "layer_norm":
            result[i, j] = away[i, j].astype("float32") * scale[i]
        else:
            result[i, j] = element_of(norm.source, bound, held, i, j) * scale[i]
    return result


def within(column: Any, columns: int, wide: int, value: Any, fill: float = 0.0) -> Any:
    """A value of a row, or `fill` in the columns beyond its end, which its last tiles have too."""
    return value if columns == wide else T.if_then_else(column < columns, value, T.float32(fill))


@macro
def _statistics(norm, bound, tensors, place, mean, scale, away, whole):  # type: ignore[no-untyped-def]
    """The mean of rows and one over their deviation, from products: with ones, and with themselves.

    Of rows that are here as a `whole` nothing is loaded again.
    """
    rows, columns, width = norm.block_rows, norm.columns, norm.part
    products = T.alloc_fragment((rows, rows), "float32")
    own = T.alloc_fragment((rows, rows), "float32")
    for i, j in T.Parallel(rows, rows):
        own[i, j] = T.if_then_else(i == j, T.float32(1), T.float32(0))
    T.clear(products)
    if norm.operation == "layer_norm":
        _squares_around_mean(norm, bound, tensors, place, mean, products, away, whole)
    elif norm.is_whole:
        x = _row(norm, bound, whole)
        T.gemm(x, x, products, transpose_B=True)
    else:
        for step in T.Pipelined(columns // width, num_stages=2):
            at = lambda one: place(one, step * (width // TILE))  # noqa: B023, E731 - called at once
            x = _row(norm, bound, loaded(norm.inputs, bound, tensors, (rows, width), at))
            T.gemm(x, x, products, transpose_B=True)
    for i, j in T.Parallel(rows, rows):
        products[i, j] = products[i, j] * own[i, j]
    reduce_sum(products, scale, dim=1)
    for i in T.Parallel(rows):
        scale[i] = T.rsqrt(scale[i] / columns + norm.epsilon)


@macro
def _squares_around_mean(norm, bound, tensors, place, mean, products, away, whole):  # type: ignore[no-untyped-def]
    """The mean of rows, and products of what is left of them without it.

    Squares of values far from zero would leave nothing for the variance. The rows stay in L1 in between.
    """
    rows, columns, width = norm.block_rows, norm.columns, norm.part
    sums = T.alloc_fragment((rows, TILE), "float32")
    ones = T.alloc_fragment((width, TILE), "bfloat16")
    starts = [partial(place, col=col) for col in range(0, columns // TILE, width // TILE)]
    held = _rows_held(norm, bound, tensors, starts, whole)
    T.fill(ones, 1)
    T.clear(sums)
    for x in held:
        T.gemm(x, ones, sums)
    reduce_max(sums, mean.whole, dim=1)  # its columns are all the same
    if mean.high is None:
        for i in T.Parallel(rows):
            mean.whole[i] = mean.whole[i] / columns
    else:
        for i in T.Parallel(rows):
            mean.high[i] = mean.whole[i] / columns
        for i in T.Parallel(rows):  # a difference of more than two tiles: the vector unit keeps all its bits
            mean.rest[i] = mean.high[i].astype("float32") - mean.whole[i] / columns
    for x in held:
        for i, j in T.Parallel(rows, width):
            away[i, j] = mean.less(x[i, j].astype("float32"), i)
        T.gemm(away, away, products, transpose_B=True)


def _rows_held(
    norm: RowWise,
    bound: Mapping[str, op.Bound],
    tensors: Any,
    starts: Sequence[Any],
    whole: Mapping[str, Any],
) -> list[Any]:
    """What is normalised, in parts, or in one that is here already."""
    block = (norm.block_rows, norm.part)
    parts = [whole] if whole else [loaded(norm.inputs, bound, tensors, block, at) for at in starts]
    return [_row(norm, bound, one) for one in parts]


def _row(norm: RowWise, bound: Mapping[str, op.Bound], held: Mapping[str, Any]) -> Any:
    """What is normalised, as it was loaded if it is no expression."""
    if isinstance(norm.source, Input):
        return held[norm.source.name]
    return _computed_row(norm, bound, held)


@macro
def _computed_row(norm, bound, held):  # type: ignore[no-untyped-def]
    x = T.alloc_fragment((norm.block_rows, norm.part), "bfloat16")
    for i, j in T.Parallel(norm.block_rows, norm.part):
        x[i, j] = element_of(norm.source, bound, held, i, j)
    return x


@macro
def _layer_norm(x, rows, wide, columns, epsilon):  # type: ignore[no-untyped-def]
    mean = T.alloc_fragment((rows,), "float32")
    variance = T.alloc_fragment((rows,), "float32")
    square = T.alloc_fragment((rows, wide), "float32")
    reduce_sum(x, mean, dim=1)
    for i, j in T.Parallel(rows, wide):
        x[i, j] = within(j, columns, wide, x[i, j] - mean[i] / columns)
    for i, j in T.Parallel(rows, wide):
        square[i, j] = x[i, j] * x[i, j]
    reduce_sum(square, variance, dim=1)
    for i in T.Parallel(rows):
        variance[i] = T.rsqrt(variance[i] / columns + epsilon)
    for i, j in T.Parallel(rows, wide):
        x[i, j] = x[i, j] * variance[i]


@macro
def _rms_norm(x, rows, wide, columns, epsilon):  # type: ignore[no-untyped-def]
    scale = T.alloc_fragment((rows,), "float32")
    square = T.alloc_fragment((rows, wide), "float32")
    for i, j in T.Parallel(rows, wide):
        square[i, j] = x[i, j] * x[i, j]
    reduce_sum(square, scale, dim=1)
    for i in T.Parallel(rows):
        scale[i] = T.rsqrt(scale[i] / columns + epsilon)
    for i, j in T.Parallel(rows, wide):
        x[i, j] = x[i, j] * scale[i]


@macro
def _softmax(x, rows, wide, columns, epsilon):  # type: ignore[no-untyped-def]
    peak = T.alloc_fragment((rows,), "float32")
    total = T.alloc_fragment((rows,), "float32")
    reduce_max(x, peak, dim=1)
    for i, j in T.Parallel(rows, wide):
        x[i, j] = T.exp(x[i, j] - peak[i])
    reduce_sum(x, total, dim=1)
    for i, j in T.Parallel(rows, wide):
        x[i, j] = x[i, j] / total[i]


@macro
def _log_softmax(x, rows, wide, columns, epsilon):  # type: ignore[no-untyped-def]
    peak = T.alloc_fragment((rows,), "float32")
    total = T.alloc_fragment((rows,), "float32")
    powers = T.alloc_fragment((rows, wide), "float32")
    reduce_max(x, peak, dim=1)
    for i, j in T.Parallel(rows, wide):
        powers[i, j] = T.exp(x[i, j] - peak[i])
    reduce_sum(powers, total, dim=1)
    for i in T.Parallel(rows):
        peak[i] = peak[i] + T.log(total[i])
    for i, j in T.Parallel(rows, wide):
        x[i, j] = x[i, j] - peak[i]


_WORK = {
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "softmax": _softmax,
    "log_softmax": _log_softmax,
}
