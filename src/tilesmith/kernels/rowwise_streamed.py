"""Layer norm, RMS norm and softmax of rows too long for L1: a block of columns at a time, several times over.

First the statistics of the rows are gathered, then every block is loaded again and finished. The variance is
taken around the mean; a softmax keeps a running maximum, and rescales its sum when a larger value comes.
"""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

import tilelang.language as T  # noqa: N812

from tilesmith.kernels import operands as op
from tilesmith.kernels.authoring import TILE, prim_func, symbols
from tilesmith.kernels.epilogue import Epilogue, element_of, loaded, store
from tilesmith.kernels.expression import Expr
from tilesmith.kernels.macros import macro
from tilesmith.kernels.operands import Operand
from tilesmith.kernels.reduce import reduce_max, reduce_sum
from tilesmith.kernels.rowwise import RowOperation

# A row of nothing but negative infinity has no finite maximum; the differences from this one are infinite.
_LOWEST = -3.4028234e38


@dataclass(frozen=True)
class Blocks:
    """The blocks of columns of some rows, in a kernel that is being written."""

    block: tuple[int, int]
    columns: int
    bound: Mapping[str, op.Bound]
    tensors: Mapping[str, Any]
    rows: tuple[Any, Any, Any]

    def at(self, step: Any) -> Any:
        """Where the operands of a block start."""
        return lambda one: one.start(*self.rows, step * (self.block[1] // TILE))

    def within(self, step: Any, j: Any, value: Any, fill: float = 0.0) -> Any:
        """A value of a row, or `fill` in the columns beyond its end, which the last block has too."""
        width = self.block[1]
        if self.columns % width == 0:
            return value
        return T.if_then_else(step * width + j < self.columns, value, T.float32(fill))


@macro
def fetch(blocks, inputs, source, x, step, fill):  # type: ignore[no-untyped-def]
    """Load a block of columns, and compute an expression over it."""
    held = loaded(inputs, blocks.bound, blocks.tensors, blocks.block, blocks.at(step))
    for i, j in T.Parallel(*blocks.block):
        x[i, j] = blocks.within(step, j, element_of(source, blocks.bound, held, i, j), fill)


@dataclass(frozen=True)
class StreamedRowWise:
    """As `RowWise`, with `block` rows and columns held at a time."""

    operation: RowOperation
    columns: int
    epilogue: Epilogue
    inputs: tuple[Operand, ...]
    source: Expr
    epsilon: float = 0.0
    block: tuple[int, int] = (32, 256)

    @property
    def name(self) -> str:
        return f"{self.operation}_streamed"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        return (*self.inputs, *self.epilogue.operands)

    @property
    def fill(self) -> float:
        """What counts for nothing in the columns beyond the end of a row."""
        return -inf if self.operation in ("softmax", "log_softmax") else 0.0

    def prim_func(self) -> Any:
        rows, width = self.block
        columns, steps = self.columns, -(-self.columns // width)
        m, nb1, nb2 = symbols("m", "nb1", "nb2")
        bound = op.bind(self.tensors)
        fill = self.fill
        gather, finish = _GATHER[self.operation], _FINISH[self.operation]

        @macro
        def block_of(tensors, by, b1, b2):  # type: ignore[no-untyped-def]
            x = T.alloc_fragment((rows, width), "float32")
            first = T.alloc_fragment((rows,), "float32")
            second = T.alloc_fragment((rows,), "float32")
            blocks = Blocks(self.block, columns, bound, tensors, (b1, b2, by * (rows // TILE)))
            gather(self, blocks, x, first, second, steps)
            for step in T.serial(steps):
                fetch(blocks, self.inputs, self.source, x, step, fill)
                finish(x, first, second, rows, width)
                start, end = (by * rows, step * width), (m, columns)
                store(self.epilogue, bound, tensors, {"acc0": x}, self.block, blocks.at(step), start, end)

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(m, rows), nb1 * nb2, threads=128) as (by, bz):
                block_of(tensors, by, bz // nb2, bz % nb2)

        return prim_func(self.name, op.declared(bound), [m, nb1, nb2, *op.numbers(bound)], body)


@macro
def _layer_norm(norm, blocks, x, mean, scale, steps):  # type: ignore[no-untyped-def]
    rows, width = norm.block
    part = T.alloc_fragment((rows,), "float32")
    T.clear(mean)
    T.clear(scale)
    for step in T.serial(steps):
        fetch(blocks, norm.inputs, norm.source, x, step, norm.fill)
        reduce_sum(x, part, dim=1)
        for i in T.Parallel(rows):
            mean[i] = mean[i] + part[i]
    for i in T.Parallel(rows):
        mean[i] = mean[i] / norm.columns
    for step in T.serial(steps):
        fetch(blocks, norm.inputs, norm.source, x, step, norm.fill)
        for i, j in T.Parallel(rows, width):
            x[i, j] = blocks.within(step, j, x[i, j] - mean[i])
        for i, j in T.Parallel(rows, width):
            x[i, j] = x[i, j] * x[i, j]
        reduce_sum(x, part, dim=1)
        for i in T.Parallel(rows):
            scale[i] = scale[i] + part[i]
    for i in T.Parallel(rows):
        scale[i] = T.rsqrt(scale[i] / norm.columns + norm.epsilon)


@macro
def _rms_norm(norm, blocks, x, _, scale, steps):  # type: ignore[no-untyped-def]
    rows, width = norm.block
    part = T.alloc_fragment((rows,), "float32")
    T.clear(scale)
    for step in T.serial(steps):
        fetch(blocks, norm.inputs, norm.source, x, step, norm.fill)
        for i, j in T.Parallel(rows, width):
            x[i, j] = x[i, j] * x[i, j]
        reduce_sum(x, part, dim=1)
        for i in T.Parallel(rows):
            scale[i] = scale[i] + part[i]
    for i in T.Parallel(rows):
        scale[i] = T.rsqrt(scale[i] / norm.columns + norm.epsilon)


@macro
def _running_total(norm, blocks, x, peak, total, steps):  # type: ignore[no-untyped-def]
    rows, width = norm.block
    part = T.alloc_fragment((rows,), "float32")
    before = T.alloc_fragment((rows,), "float32")
    T.fill(peak, _LOWEST)
    T.clear(total)
    for step in T.serial(steps):
        fetch(blocks, norm.inputs, norm.source, x, step, norm.fill)
        T.copy(peak, before)
        reduce_max(x, part, dim=1)
        for i in T.Parallel(rows):
            peak[i] = T.max(peak[i], part[i])
        for i in T.Parallel(rows):
            total[i] = total[i] * T.exp(before[i] - peak[i])
        for i, j in T.Parallel(rows, width):
            x[i, j] = T.exp(x[i, j] - peak[i])
        reduce_sum(x, part, dim=1)
        for i in T.Parallel(rows):
            total[i] = total[i] + part[i]


@macro
def _log_total(norm, blocks, x, peak, total, steps):  # type: ignore[no-untyped-def]
    _running_total(norm, blocks, x, peak, total, steps)
    for i in T.Parallel(norm.block[0]):
        peak[i] = peak[i] + T.log(total[i])


@macro
def _normalise(x, mean, scale, rows, width):  # type: ignore[no-untyped-def]
    for i, j in T.Parallel(rows, width):
        x[i, j] = (x[i, j] - mean[i]) * scale[i]


@macro
def _rescale(x, _, scale, rows, width):  # type: ignore[no-untyped-def]
    for i, j in T.Parallel(rows, width):
        x[i, j] = x[i, j] * scale[i]


@macro
def _share(x, peak, total, rows, width):  # type: ignore[no-untyped-def]
    for i, j in T.Parallel(rows, width):
        x[i, j] = T.exp(x[i, j] - peak[i]) / total[i]


@macro
def _log_share(x, peak, _, rows, width):  # type: ignore[no-untyped-def]
    for i, j in T.Parallel(rows, width):
        x[i, j] = x[i, j] - peak[i]


_GATHER: dict[str, Callable[..., Any]] = {
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "softmax": _running_total,
    "log_softmax": _log_total,
}
_FINISH: dict[str, Callable[..., Any]] = {
    "layer_norm": _normalise,
    "rms_norm": _rescale,
    "softmax": _share,
    "log_softmax": _log_share,
}
