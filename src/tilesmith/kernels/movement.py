"""Moving elements: any permutation, slice or reshape of a tensor, and the change from tiles to rows."""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tilelang.language as T  # noqa: N812

from tilesmith.kernels import operands as op
from tilesmith.kernels.authoring import TILE, on_gpu, prim_func, symbols
from tilesmith.kernels.epilogue import Epilogue, store
from tilesmith.kernels.macros import macro
from tilesmith.kernels.operands import Operand

DIMS = 6
"""How many dimensions of the source a gather can walk."""


@dataclass(frozen=True)
class Untilize:
    """Copy a matrix from tiles to rows, whole."""

    dtype: str = "bfloat16"
    columns: int = 32

    @property
    def name(self) -> str:
        return "untilize"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        return (Operand("x", dtype=self.dtype), Operand("y", "rows", self.dtype))

    def prim_func(self) -> Any:
        bn = self.columns
        bound = op.bind(self.tensors)
        rows, cols = bound["x"].shape

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(cols, bn), T.ceildiv(rows, TILE), threads=128) as (bx, by):
                here = T.alloc_shared((TILE, bn), self.dtype)
                T.copy(tensors["x"][by * TILE, bx * bn], here)
                op.save(
                    bound["y"], here, tensors["y"], (by * TILE, bx * bn), (by * TILE, bx * bn), (rows, cols)
                )

        return prim_func(self.name, op.declared(bound), [], body)


@dataclass(frozen=True)
class Gather:
    """acc0 of element number p of the result is the element of the source that p stands for.

    p counts the elements of the result in order. Split by the sizes d0, d1 ... it gives an index for each
    dimension of the source, and s0_row, s0_col ... say where that leads. The source lies in rows.
    With `runs` all of that counts 32 neighbours at a time, in the source as in the result, and a row of a
    block is read at once. `turned`, the neighbours are below each other in the result.
    """

    epilogue: Epilogue
    block: tuple[int, int] = (32, 32)
    dtype: str = "bfloat16"
    runs: bool = False
    turned: bool = False

    @property
    def name(self) -> str:
        return "gather"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        return (Operand("x", "row", self.dtype), *self.epilogue.operands)

    def prim_func(self) -> Any:
        bm, bn = self.block
        m, n, nb1, nb2 = symbols("m", "n", "nb1", "nb2")
        sizes = symbols(*(f"d{dim}" for dim in range(DIMS)))
        strides = [symbols(f"s{dim}_row", f"s{dim}_col") for dim in range(DIMS)]
        bound = op.bind(self.tensors)
        start = bound["x"].numbers

        def source(position: Any) -> tuple[Any, Any]:
            row, col = start["row"], start["col"]
            for dim in reversed(range(DIMS)):
                index = position % sizes[dim] if dim else position
                position = position // sizes[dim]
                row, col = row + index * strides[dim][0], col + index * strides[dim][1]
            return row, col

        def element(x: Any, row: Any, col: Any, bz: Any) -> Any:
            at = source((bz * m + row) * n + col)
            return T.if_then_else((row < m) & (col < n), x[at[0], at[1]], 0)

        @macro
        def copied_runs(x, col, row, bz):  # type: ignore[no-untyped-def]
            here = T.alloc_shared((bm, bn), self.dtype)
            for i, j in T.Parallel(bm, bn):
                at = source((bz * m + row + i) * (n // TILE) + col // TILE)
                # That it is not below zero lets the compiler read whole rows.
                here[i, j] = T.if_then_else(row + i < m, x[at[0], T.max(at[1], 0) * TILE + j], 0)
            return here

        @macro
        def copied_turned(x, col, row, bz):  # type: ignore[no-untyped-def]
            lines = T.alloc_shared((bn, bm), self.dtype)
            here = T.alloc_fragment((bm, bn), self.dtype)
            for i, j in T.Parallel(bn, bm):
                at = source((bz * T.ceildiv(m, TILE) + row // TILE) * n + col + i)
                lines[i, j] = T.if_then_else(col + i < n, x[at[0], T.max(at[1], 0) * TILE + j], 0)
            for i, j in T.Parallel(bm, bn):
                here[i, j] = lines[j, i]
            return here

        @macro
        def copied(x, col, row, bz):  # type: ignore[no-untyped-def]
            here = T.alloc_shared((bm, bn), self.dtype)
            for i, j in T.Parallel(bm, bn):
                here[i, j] = element(x, row + i, col + j, bz)
            return here

        def in_place(x: Any, col: Any, row: Any, bz: Any) -> Any:
            return op.Computed(lambda i, j: element(x, row + i, col + j, bz))

        assert not (self.runs and on_gpu()), "elements are counted one by one on a GPU"
        in_runs = copied_turned if self.turned else copied_runs
        on_chip = in_runs if self.runs else copied
        gathered = in_place if on_gpu() else on_chip

        @macro
        def block_of(tensors, bx, by, bz):  # type: ignore[no-untyped-def]
            here = gathered(tensors["x"], bx * bn, by * bm, bz)
            store(
                self.epilogue,
                bound,
                tensors,
                {"acc0": here},
                self.block,
                lambda one: one.start(bz // nb2, bz % nb2, by * (bm // TILE), bx * (bn // TILE)),
                (by * bm, bx * bn),
                (m, n),
            )

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(n, bn), T.ceildiv(m, bm), nb1 * nb2, threads=128) as (bx, by, bz):
                block_of(tensors, bx, by, bz)

        moves = [number for pair in strides for number in pair]
        return prim_func(
            self.name, op.declared(bound), [m, n, nb1, nb2, *sizes, *moves, *op.numbers(bound)], body
        )
