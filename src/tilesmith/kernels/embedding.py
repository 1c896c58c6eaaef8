"""Rows of a table, gathered by index, with an epilogue."""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tilelang.language as T  # noqa: N812

from tilesmith.kernels import operands as op
from tilesmith.kernels.authoring import TILE, prim_func, symbols
from tilesmith.kernels.epilogue import Epilogue, store
from tilesmith.kernels.operands import Operand


@dataclass(frozen=True)
class Embedding:
    """acc0[i, :] = table[ids[i], :]. The table lies in rows, not in tiles."""

    epilogue: Epilogue
    block: tuple[int, int] = (32, 128)
    dtype: str = "bfloat16"

    @property
    def name(self) -> str:
        return "embedding"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        return (
            Operand("ids", "column", "int32"),
            Operand("table", "row", self.dtype),
            *self.epilogue.operands,
        )

    def prim_func(self) -> Any:
        bm, bn = self.block
        m, n, nb1, nb2 = symbols("m", "n", "nb1", "nb2")
        bound = op.bind(self.tensors)

        @T.macro
        def block_of(tensors, bx, by, b1, b2):  # type: ignore[no-untyped-def]
            rows = T.alloc_shared((bm, bn), self.dtype)
            ids = T.alloc_shared((bm,), "int32")
            ids_at = bound["ids"].start(b1, b2, by * (bm // TILE), 0)
            T.copy(tensors["ids"][ids_at[0], ids_at[1]], ids)
            for i in T.serial(bm):
                T.copy(tensors["table"][ids[i], bx * bn], rows[i, :])
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

        @T.macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(n, bn), T.ceildiv(m, bm), nb1 * nb2, threads=128) as (bx, by, bz):
                block_of(tensors, bx, by, bz // nb2, bz % nb2)

        return prim_func(self.name, op.declared(bound), [m, n, nb1, nb2, *op.numbers(bound)], body)
