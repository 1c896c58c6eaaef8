"""Rows of a table, gathered by index, with an epilogue."""

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

FACE = 16
"""Columns, and rows, of a face: a tile has four, one after the other."""


def _in_place(table: Any, ids: Any, at: tuple[Any, Any], column: Any) -> op.Computed:
    """Rows of the table, read where they lie."""
    return op.Computed(lambda i, j: table[ids[at[0], at[1] + i].astype("int32"), column + j])


@dataclass(frozen=True)
class Embedding:
    """acc0[i, :] = table[ids[i], :]. The table lies in rows.

    Or it lies in tiles, `across` of them side by side, each of which the kernel sees as a row: a row of the
    table is in them 16 elements at a time.
    """

    epilogue: Epilogue
    block: tuple[int, int] = (32, 128)
    dtype: str = "bfloat16"
    across: int = 0
    ids_dtype: str = "int32"
    """float32 where a kernel found them."""

    @property
    def name(self) -> str:
        return "embedding"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        return (
            Operand("ids", "column", self.ids_dtype),
            Operand("table", "row", self.dtype),
            *self.epilogue.operands,
        )

    def prim_func(self) -> Any:
        bm, bn = self.block
        m, n, nb1, nb2 = symbols("m", "n", "nb1", "nb2")
        bound = op.bind(self.tensors)

        @macro
        def copied(table, ids_of, at, column):  # type: ignore[no-untyped-def]
            rows = T.alloc_shared((bm, bn), self.dtype)
            ids = T.alloc_shared((bm,), self.ids_dtype)
            T.copy(ids_of[at[0], at[1]], ids)
            for i in T.serial(bm):
                T.copy(table[T.cast(ids[i], "int32"), column], rows[i, :])
            return rows

        @macro
        def copied_from_tiles(table, ids_of, at, column):  # type: ignore[no-untyped-def]
            rows = T.alloc_shared((bm, bn), self.dtype)
            ids = T.alloc_shared((bm,), self.ids_dtype)
            T.copy(ids_of[at[0], at[1]], ids)
            for i in T.serial(bm):
                row = T.cast(ids[i], "int32")
                for piece in T.serial(bn // FACE):
                    tile = row // TILE * self.across + column // TILE + piece // 2
                    first = row % TILE // FACE * (2 * FACE * FACE) + piece % 2 * (FACE * FACE)
                    start = first + row % FACE * FACE
                    T.copy(table[tile, start : start + FACE], rows[i, piece * FACE : piece * FACE + FACE])
            return rows

        on_chip = copied_from_tiles if self.across else copied
        pick = _in_place if on_gpu() else on_chip

        @macro
        def block_of(tensors, bx, by, b1, b2):  # type: ignore[no-untyped-def]
            ids_at = bound["ids"].start(b1, b2, by * (bm // TILE), 0)
            rows = pick(tensors["table"], tensors["ids"], ids_at, bx * bn)
            store(
                self.epilogue,
                bound,
                tensors,
                {"acc0": rows},
                self.block,
                lambda one: one.start(b1, b2, by * (bm // TILE), bx * (bn // TILE)),
                (by * bm, bx * bn),
                (m, n),
            )

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(n, bn), T.ceildiv(m, bm), nb1 * nb2, threads=128) as (bx, by, bz):
                block_of(tensors, bx, by, bz // nb2, bz % nb2)

        return prim_func(self.name, op.declared(bound), [m, n, nb1, nb2, *op.numbers(bound)], body)
