"""Gradients of work along whole rows: layer norm, RMS norm, softmax and log softmax, with an epilogue.

A block holds whole rows, so the number of columns is part of the kernel; the number of rows is not.
"""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

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
from tilesmith.kernels.rowwise import RowOperation, bytes_held, place_of_rows, within


@dataclass(frozen=True)
class RowWiseBackward:
    """`grad` and `source` are expressions over `inputs`; the epilogue sees the source's gradient as acc0.

    The source is what went into a norm, and what came out of a softmax.
    """

    operation: RowOperation
    columns: int
    epilogue: Epilogue
    inputs: tuple[Operand, ...]
    grad: Expr
    source: Expr
    epsilon: float = 0.0
    block_rows: int = 32
    threads: int = 128

    @property
    def name(self) -> str:
        return f"{self.operation}_backward"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        return (*self.inputs, *self.epilogue.operands)

    @property
    def l1_bytes(self) -> int:
        """What its buffers take of L1: gradient, source, their product, and what the epilogue makes."""
        return self.block_rows * self.columns * (4 * 4 + bytes_held(self.tensors))

    def prim_func(self) -> Any:
        rows, columns = self.block_rows, self.columns
        wide = -(-columns // TILE) * TILE
        m, nb1, nb2 = symbols("m", "nb1", "nb2")
        bound = op.bind(self.tensors)
        work = _WORK[self.operation]

        @macro
        def block_of(tensors, by, b1, b2):  # type: ignore[no-untyped-def]
            block = (rows, wide)
            place = place_of_rows(b1, b2, by, rows)
            g = T.alloc_fragment((rows, wide), "float32")
            x = T.alloc_fragment((rows, wide), "float32")
            held = loaded(self.inputs, bound, tensors, block, place)
            for i, j in T.Parallel(rows, wide):
                g[i, j] = within(j, columns, wide, element_of(self.grad, bound, held, i, j))
            for i, j in T.Parallel(rows, wide):
                x[i, j] = within(j, columns, wide, element_of(self.source, bound, held, i, j))
            work(g, x, rows, wide, columns, self.epsilon)
            store(self.epilogue, bound, tensors, {"acc0": g}, block, place, (by * rows, 0), (m, columns))

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(m, rows), nb1 * nb2, threads=self.threads) as (by, bz):
                block_of(tensors, by, bz // nb2, bz % nb2)

        return prim_func(self.name, op.declared(bound), [m, nb1, nb2, *op.numbers(bound)], body)


@macro
def _layer_norm(g, x, rows, wide, columns, epsilon):  # type: ignore[no-untyped-def]
    mean = T.alloc_fragment((rows,), "float32")
    reduce_sum(x, mean, dim=1)
    for i, j in T.Parallel(rows, wide):
        x[i, j] = within(j, columns, wide, x[i, j] - mean[i] / columns)
    grad_mean = T.alloc_fragment((rows,), "float32")
    reduce_sum(g, grad_mean, dim=1)
    for i, j in T.Parallel(rows, wide):
        g[i, j] = g[i, j] - grad_mean[i] / columns
    _rms_norm(g, x, rows, wide, columns, epsilon)


@macro
def _rms_norm(g, x, rows, wide, columns, epsilon):  # type: ignore[no-untyped-def]
    scale = T.alloc_fragment((rows,), "float32")
    along = T.alloc_fragment((rows,), "float32")
    product = T.alloc_fragment((rows, wide), "float32")
    for i, j in T.Parallel(rows, wide):
        product[i, j] = x[i, j] * x[i, j]
    reduce_sum(product, scale, dim=1)
    for i in T.Parallel(rows):
        scale[i] = T.rsqrt(scale[i] / columns + epsilon)
    for i, j in T.Parallel(rows, wide):
        x[i, j] = x[i, j] * scale[i]
    for i, j in T.Parallel(rows, wide):
        product[i, j] = g[i, j] * x[i, j]
    reduce_sum(product, along, dim=1)
    for i, j in T.Parallel(rows, wide):
        g[i, j] = (g[i, j] - x[i, j] * (along[i] / columns)) * scale[i]


@macro
def _softmax(g, x, rows, wide, columns, epsilon):  # type: ignore[no-untyped-def]
    total = T.alloc_fragment((rows,), "float32")
    weight = T.alloc_fragment((rows,), "float32")
    for i, j in T.Parallel(rows, wide):
        g[i, j] = g[i, j] * x[i, j]
    reduce_sum(g, total, dim=1)
    # What was stored adds up to 1 but for rounding. Dividing by what it does add up to lets the gradients of
    # a row add up to 0, as they must. A row that was masked whole is all zeros, and so is its gradient.
    reduce_sum(x, weight, dim=1)
    for i in T.Parallel(rows):
        total[i] = total[i] / T.max(weight[i], T.float32(0.5))
    for i, j in T.Parallel(rows, wide):
        g[i, j] = g[i, j] - x[i, j] * total[i]


@macro
def _log_softmax(g, x, rows, wide, columns, epsilon):  # type: ignore[no-untyped-def]
    total = T.alloc_fragment((rows,), "float32")
    reduce_sum(g, total, dim=1)
    for i, j in T.Parallel(rows, wide):
        g[i, j] = g[i, j] - T.exp(x[i, j]) * total[i]


_WORK = {
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "softmax": _softmax,
    "log_softmax": _log_softmax,
}
