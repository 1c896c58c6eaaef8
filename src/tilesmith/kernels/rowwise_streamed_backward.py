"""Gradients of norms and softmaxes along rows too long for L1: a block of columns at a time.

First the sums over the rows that the gradient needs are gathered, then every block is finished.
"""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import tilelang.language as T  # noqa: N812

from tilesmith.kernels import operands as op
from tilesmith.kernels.authoring import TILE, prim_func, symbols
from tilesmith.kernels.epilogue import Epilogue, element_of, loaded, store
from tilesmith.kernels.expression import Expr
from tilesmith.kernels.macros import macro
from tilesmith.kernels.operands import Operand
from tilesmith.kernels.reduce import reduce_sum
from tilesmith.kernels.rowwise import RowOperation
from tilesmith.kernels.rowwise_streamed import Blocks


@dataclass(frozen=True)
class StreamedRowWiseBackward:
    """As `RowWiseBackward`, with `block` rows and columns held at a time."""

    operation: RowOperation
    columns: int
    epilogue: Epilogue
    inputs: tuple[Operand, ...]
    grad: Expr
    source: Expr
    epsilon: float = 0.0
    block: tuple[int, int] = (32, 256)

    @property
    def name(self) -> str:
        return f"{self.operation}_backward_streamed"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        return (*self.inputs, *self.epilogue.operands)

    def prim_func(self) -> Any:
        rows, width = self.block
        columns, steps = self.columns, -(-self.columns // width)
        m, nb1, nb2 = symbols("m", "nb1", "nb2")
        bound = op.bind(self.tensors)
        gather, finish = _GATHER[self.operation], _FINISH[self.operation]

        @macro
        def block_of(tensors, by, b1, b2):  # type: ignore[no-untyped-def]
            g = T.alloc_fragment((rows, width), "float32")
            x = T.alloc_fragment((rows, width), "float32")
            sums = [T.alloc_fragment((rows,), "float32") for _ in range(4)]
            blocks = Blocks(self.block, columns, bound, tensors, (b1, b2, by * (rows // TILE)))
            for accumulator in sums:
                T.clear(accumulator)
            gather(self, blocks, g, x, sums, steps)
            for step in T.serial(steps):
                _fetch(self, blocks, g, x, step)
                finish(g, x, sums, rows, width)
                start, end = (by * rows, step * width), (m, columns)
                store(self.epilogue, bound, tensors, {"acc0": g}, self.block, blocks.at(step), start, end)

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(m, rows), nb1 * nb2, threads=128) as (by, bz):
                block_of(tensors, by, bz // nb2, bz % nb2)

        return prim_func(self.name, op.declared(bound), [m, nb1, nb2, *op.numbers(bound)], body)


@macro
def _fetch(norm, blocks, g, x, step):  # type: ignore[no-untyped-def]
    """Load a block of columns of the gradient and of the source."""
    held = loaded(norm.inputs, blocks.bound, blocks.tensors, norm.block, blocks.at(step))
    for i, j in T.Parallel(*norm.block):
        g[i, j] = blocks.within(step, j, element_of(norm.grad, blocks.bound, held, i, j))
    for i, j in T.Parallel(*norm.block):
        x[i, j] = blocks.within(step, j, element_of(norm.source, blocks.bound, held, i, j))


@macro
def _add(x, total, rows):  # type: ignore[no-untyped-def]
    """Add the sums of rows to a total."""
    part = T.alloc_fragment((rows,), "float32")
    reduce_sum(x, part, dim=1)
    for i in T.Parallel(rows):
        total[i] = total[i] + part[i]


@macro
def _layer_norm(norm, blocks, g, x, sums, steps):  # type: ignore[no-untyped-def]
    """The means of gradient and source, then the scale, and how far the gradient lies along the result."""
    rows, width = norm.block
    grad_mean, mean, scale, along = sums
    for step in T.serial(steps):
        _fetch(norm, blocks, g, x, step)
        _add(g, grad_mean, rows)
        _add(x, mean, rows)
    for i in T.Parallel(rows):
        grad_mean[i] = grad_mean[i] / norm.columns
        mean[i] = mean[i] / norm.columns
    for step in T.serial(steps):
        _fetch(norm, blocks, g, x, step)
        for i, j in T.Parallel(rows, width):
            x[i, j] = blocks.within(step, j, x[i, j] - mean[i])
        for i, j in T.Parallel(rows, width):
            g[i, j] = (g[i, j] - grad_mean[i]) * x[i, j]
        for i, j in T.Parallel(rows, width):
            x[i, j] = x[i, j] * x[i, j]
        _add(g, along, rows)
        _add(x, scale, rows)
    _along(norm, scale, along)


@macro
def _rms_norm(norm, blocks, g, x, sums, steps):  # type: ignore[no-untyped-def]
    rows, width = norm.block
    scale, along = sums[2], sums[3]
    for step in T.serial(steps):
        _fetch(norm, blocks, g, x, step)
        for i, j in T.Parallel(rows, width):
            g[i, j] = g[i, j] * x[i, j]
        for i, j in T.Parallel(rows, width):
            x[i, j] = x[i, j] * x[i, j]
        _add(g, along, rows)
        _add(x, scale, rows)
    _along(norm, scale, along)


@macro
def _along(norm, scale, along):  # type: ignore[no-untyped-def]
    """Sums of squares and of products -> one over the deviation, and the factor of what lies along x."""
    for i in T.Parallel(norm.block[0]):
        scale[i] = T.rsqrt(scale[i] / norm.columns + norm.epsilon)
    for i in T.Parallel(norm.block[0]):
        along[i] = along[i] / norm.columns * scale[i] * scale[i]


@macro
def _softmax(norm, blocks, g, x, sums, steps):  # type: ignore[no-untyped-def]
    """What was stored adds up to 1 but for rounding; see the kernel for rows that fit."""
    rows, width = norm.block
    total, weight = sums[0], sums[1]
    for step in T.serial(steps):
        _fetch(norm, blocks, g, x, step)
        for i, j in T.Parallel(rows, width):
            g[i, j] = g[i, j] * x[i, j]
        _add(g, total, rows)
        _add(x, weight, rows)
    for i in T.Parallel(rows):
        total[i] = total[i] / T.max(weight[i], T.float32(0.5))


@macro
def _log_softmax(norm, blocks, g, x, sums, steps):  # type: ignore[no-untyped-def]
    for step in T.serial(steps):
        _fetch(norm, blocks, g, x, step)
        _add(g, sums[0], norm.block[0])


@macro
def _finish_norm(g, x, sums, rows, width):  # type: ignore[no-untyped-def]
    grad_mean, mean, scale, along = sums
    for i, j in T.Parallel(rows, width):
        g[i, j] = (g[i, j] - grad_mean[i] - (x[i, j] - mean[i]) * along[i]) * scale[i]


@macro
def _finish_softmax(g, x, sums, rows, width):  # type: ignore[no-untyped-def]
    for i, j in T.Parallel(rows, width):
        g[i, j] = (g[i, j] - sums[0][i]) * x[i, j]


@macro
def _finish_log_softmax(g, x, sums, rows, width):  # type: ignore[no-untyped-def]
    for i, j in T.Parallel(rows, width):
        g[i, j] = g[i, j] - T.exp(x[i, j]) * sums[0][i]


_GATHER: dict[str, Callable[..., Any]] = {
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "softmax": _softmax,
    "log_softmax": _log_softmax,
}
_FINISH: dict[str, Callable[..., Any]] = {
    "layer_norm": _finish_norm,
    "rms_norm": _finish_norm,
    "softmax": _finish_softmax,
    "log_softmax": _finish_log_softmax,
}
