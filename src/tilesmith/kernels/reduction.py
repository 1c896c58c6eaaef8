"""Sums, maxima and minima of an expression, along the columns of each row or the rows of each column."""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, nan
from typing import Any, Literal

import tilelang.language as T  # noqa: N812

from tilesmith.kernels import operands as op
from tilesmith.kernels.authoring import TILE, emit, named, on_gpu, prim_func, symbols
from tilesmith.kernels.epilogue import element_of, loaded
from tilesmith.kernels.expression import Expr
from tilesmith.kernels.macros import macro
from tilesmith.kernels.operands import Operand
from tilesmith.kernels.reduce import reduce_max, reduce_min, reduce_sum

Combiner = Literal["sum", "max", "min"]

_START = {"sum": 0.0, "max": -inf, "min": inf}


@dataclass(frozen=True)
class Reduction:
    """`source` over `inputs` is reduced, `final` of what comes out, called acc0, is stored as a vector.

    `masked` says that the matrix ends inside a block, and that what lies beyond must not count.
    """

    combiner: Combiner
    along: Literal["columns", "rows"]
    inputs: tuple[Operand, ...]
    source: Expr
    final: Expr
    out: Operand
    masked: bool = False
    block: tuple[int, int] = (32, 64)

    @property
    def name(self) -> str:
        return f"{self.combiner}_along_{self.along}"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        return (*self.inputs, self.out)

    def prim_func(self) -> Any:
        bm, bn = self.block
        m, n, nb1, nb2 = symbols("m", "n", "nb1", "nb2")
        bound = op.bind(self.tensors)
        by_columns = self.along == "columns"
        size, steps = (bm, T.ceildiv(n, bn)) if by_columns else (bn, T.ceildiv(m, bm))
        reduce = _REDUCE[self.combiner]
        finds_nan = on_gpu() and self.combiner != "sum"  # a GPU's largest and smallest drop it

        @macro
        def block_of(tensors, fixed, b1, b2):  # type: ignore[no-untyped-def]
            total = T.alloc_fragment((size,), "float32")
            part = T.alloc_fragment((size,), "float32")
            x = T.alloc_fragment((bm, bn), "float32")
            T.fill(total, _START[self.combiner])
            if finds_nan:
                lost = T.alloc_fragment((size,), "float32")
                T.fill(lost, 0)
            for step in T.serial(steps):
                row, col = (fixed, step) if by_columns else (step, fixed)
                held = loaded(self.inputs, bound, tensors, self.block, _place(b1, b2, row, col, self.block))
                for i, j in T.Parallel(bm, bn):
                    x[i, j] = self._element(bound, held, i, j, (row * bm + i < m) & (col * bn + j < n))
                reduce(x, part, total, size, 1 if by_columns else 0)
                if finds_nan:
                    for i, j in T.Parallel(bm, bn):
                        x[i, j] = T.if_then_else(T.isnan(x[i, j]), T.float32(1), T.float32(0))
                    _max(x, part, lost, size, 1 if by_columns else 0)
            if finds_nan:
                for i in T.Parallel(size):
                    total[i] = T.if_then_else(lost[i] > 0, T.float32(nan), total[i])
            result = named("made", T.alloc_fragment((size,), "float32"))
            for i in T.Parallel(size):
                result[i] = emit(self.final, {"acc0": total[i]})
            out = bound[self.out.name].start(b1, b2, fixed * (bm // TILE), fixed * (bn // TILE))
            T.copy(result, tensors[self.out.name][out[0], out[1]])

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(m, bm) if by_columns else T.ceildiv(n, bn), nb1 * nb2, threads=128) as (
                bx,
                bz,
            ):
                block_of(tensors, bx, bz // nb2, bz % nb2)

        return prim_func(self.name, op.declared(bound), [m, n, nb1, nb2, *op.numbers(bound)], body)

    def _element(
        self, bound: Mapping[str, op.Bound], held: Mapping[str, Any], i: Any, j: Any, inside: Any
    ) -> Any:
        value = element_of(self.source, bound, held, i, j)
        return T.if_then_else(inside, value, T.float32(_START[self.combiner])) if self.masked else value


def _place(b1: Any, b2: Any, row: Any, col: Any, block: tuple[int, int]) -> Any:
    return lambda one: one.start(b1, b2, row * (block[0] // TILE), col * (block[1] // TILE))


@macro
def _sum(x, part, total, size, dim):  # type: ignore[no-untyped-def]
    reduce_sum(x, part, dim=dim)
    for i in T.Parallel(size):
        total[i] = total[i] + part[i]


@macro
def _max(x, part, total, size, dim):  # type: ignore[no-untyped-def]
    reduce_max(x, part, dim=dim)
    for i in T.Parallel(size):
        total[i] = T.max(total[i], part[i])


@macro
def _min(x, part, total, size, dim):  # type: ignore[no-untyped-def]
    reduce_min(x, part, dim=dim)
    for i in T.Parallel(size):
        total[i] = T.min(total[i], part[i])


_REDUCE = {"sum": _sum, "max": _max, "min": _min}
