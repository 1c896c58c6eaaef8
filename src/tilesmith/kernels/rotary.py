"""Rotary embeddings on a GPU: the halves of each row are read in each other's place, the upper one negated.

A matrix unit would spend a product on it, and wait for it to be stored.
"""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tilelang.language as T  # noqa: N812

from tilesmith.kernels import operands as op
from tilesmith.kernels.authoring import prim_func, symbols
from tilesmith.kernels.epilogue import Epilogue, store
from tilesmith.kernels.macros import macro
from tilesmith.kernels.operands import Operand


@dataclass(frozen=True)
class Rotary:
    """acc0 = cat(-x[:, half:], x[:, :half]) for rows of `width` elements, `block_rows` of them in a block."""

    epilogue: Epilogue
    width: int
    block_rows: int = 16
    threads: int = 128
    dtype: str = "bfloat16"
    x_access: op.Access = "block"

    @property
    def name(self) -> str:
        return "rotary"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        return (Operand("x", self.x_access, self.dtype), *self.epilogue.operands)

    def prim_func(self) -> Any:
        rows, half = self.block_rows, self.width // 2
        m, nb1, nb2 = symbols("m", "nb1", "nb2")
        bound = op.bind(self.tensors)

        def turned(tensors: Any, row: Any, b1: Any, b2: Any, first: int) -> op.Computed:
            """What is left of the half that begins at `first`: the other one."""
            x = op.InPlace(tensors["x"], bound["x"].row_start(b1, b2, row, half - first))
            sign = 1.0 if first else -1.0
            return op.Computed(lambda i, j: x[i, j].astype("float32") * T.float32(sign))

        @macro
        def half_of(tensors, row, b1, b2, first):  # type: ignore[no-untyped-def]
            store(
                self.epilogue,
                bound,
                tensors,
                {"acc0": turned(tensors, row, b1, b2, first)},
                (rows, half),
                lambda one: one.row_start(b1, b2, row, first),
                (row, first),
                (m, self.width),
            )

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(m, rows), nb1 * nb2, threads=self.threads) as (by, bz):
                half_of(tensors, by * rows, bz // nb2, bz % nb2, 0)
                half_of(tensors, by * rows, bz // nb2, bz % nb2, half)

        return prim_func(self.name, op.declared(bound), [m, nb1, nb2, *op.numbers(bound)], body)
