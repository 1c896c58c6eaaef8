"""Work along whole rows: layer norm, RMS norm and softmax of an expression, with an epilogue.

A block holds whole rows, so the number of columns is part of the kernel; the number of rows is not.
"""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import tilelang.language as T  # noqa: N812

from tilesmith.kernels import operands as op
from tilesmith.kernels.authoring import TILE, prim_func, symbols
from tilesmith.kernels.epilogue import Epilogue, element_of, loaded, store
from tilesmith.kernels.expression import Expr
from tilesmith.kernels.operands import Operand

# In columns beyond the end of a row: low enough for its power to vanish.
_HIDDEN = -1e30

Kind = Literal["layer_norm", "rms_norm", "softmax", "log_softmax"]


@dataclass(frozen=True)
class RowWise:
    """`source`, over `inputs`, is what is normalised; the epilogue sees the result as `acc0`."""

    kind: Kind
    columns: int
    epilogue: Epilogue
    inputs: tuple[Operand, ...]
    source: Expr
    epsilon: float = 0.0
    block_rows: int = 32

    @property
    def name(self) -> str:
        return self.kind

    @property
    def tensors(self) -> tuple[Operand, ...]:
        return (*self.inputs, *self.epilogue.operands)

    def prim_func(self) -> Any:
        rows, columns = self.block_rows, self.columns
        wide = -(-columns // TILE) * TILE
        m, nb1, nb2 = symbols("m", "nb1", "nb2")
        bound = op.bind(self.tensors)
        work = _WORK[self.kind]
        fill = _HIDDEN if self.kind in ("softmax", "log_softmax") else 0.0

        @T.macro
        def block_of(tensors, by, b1, b2):  # type: ignore[no-untyped-def]
            block = (rows, wide)
            place = lambda one: one.start(b1, b2, by * (rows // TILE), 0)  # noqa: E731
            x = T.alloc_fragment((rows, wide), "float32")
            held = loaded(self.inputs, bound, tensors, block, place)
            for i, j in T.Parallel(rows, wide):
                x[i, j] = within(j, columns, wide, element_of(self.source, bound, held, i, j), fill)
            work(x, rows, wide, columns, self.epsilon)
            store(self.epilogue, bound, tensors, {"acc0": x}, block, place, (by * rows, 0), (m, columns))

        @T.macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(m, rows), nb1 * nb2, threads=128) as (by, bz):
                block_of(tensors, by, bz // nb2, bz % nb2)

        return prim_func(self.name, op.declared(bound), [m, nb1, nb2, *op.numbers(bound)], body)


def within(column: Any, columns: int, wide: int, value: Any, fill: float = 0.0) -> Any:
    """A value of a row, or `fill` in the columns beyond its end, which its last tiles have too."""
    return value if columns == wide else T.if_then_else(column < columns, value, T.float32(fill))


@T.macro
def _layer_norm(x, rows, wide, columns, epsilon):  # type: ignore[no-untyped-def]
    mean = T.alloc_fragment((rows,), "float32")
    variance = T.alloc_fragment((rows,), "float32")
    square = T.alloc_fragment((rows, wide), "float32")
    T.reduce_sum(x, mean, dim=1)
    for i, j in T.Parallel(rows, wide):
        x[i, j] = within(j, columns, wide, x[i, j] - mean[i] / columns)
    for i, j in T.Parallel(rows, wide):
        square[i, j] = x[i, j] * x[i, j]
    T.reduce_sum(square, variance, dim=1)
    for i in T.Parallel(rows):
        variance[i] = T.rsqrt(variance[i] / columns + epsilon)
    for i, j in T.Parallel(rows, wide):
        x[i, j] = x[i, j] * variance[i]


@T.macro
def _rms_norm(x, rows, wide, columns, epsilon):  # type: ignore[no-untyped-def]
    scale = T.alloc_fragment((rows,), "float32")
    square = T.alloc_fragment((rows, wide), "float32")
    for i, j in T.Parallel(rows, wide):
        square[i, j] = x[i, j] * x[i, j]
    T.reduce_sum(square, scale, dim=1)
    for i in T.Parallel(rows):
        scale[i] = T.rsqrt(scale[i] / columns + epsilon)
    for i, j in T.Parallel(rows, wide):
        x[i, j] = x[i, j] * scale[i]


@T.macro
def _softmax(x, rows, wide, columns, epsilon):  # type: ignore[no-untyped-def]
    peak = T.alloc_fragment((rows,), "float32")
    total = T.alloc_fragment((rows,), "float32")
    T.reduce_max(x, peak, dim=1)
    for i, j in T.Parallel(rows, wide):
        x[i, j] = T.exp(x[i, j] - peak[i])
    T.reduce_sum(x, total, dim=1)
    for i, j in T.Parallel(rows, wide):
        x[i, j] = x[i, j] / total[i]


@T.macro
def _log_softmax(x, rows, wide, columns, epsilon):  # type: ignore[no-untyped-def]
    peak = T.alloc_fragment((rows,), "float32")
    total = T.alloc_fragment((rows,), "float32")
    powers = T.alloc_fragment((rows, wide), "float32")
    T.reduce_max(x, peak, dim=1)
    for i, j in T.Parallel(rows, wide):
        powers[i, j] = T.exp(x[i, j] - peak[i])
    T.reduce_sum(powers, total, dim=1)
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
