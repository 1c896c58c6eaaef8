"""Elementwise work on blocks of matrices, operands broadcast where they lack a dimension."""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tilelang.language as T  # noqa: N812

from tilesmith.kernels import operands as op
from tilesmith.kernels.authoring import TILE, prim_func, symbols
from tilesmith.kernels.epilogue import Epilogue, store
from tilesmith.kernels.macros import macro
from tilesmith.kernels.operands import Operand


@dataclass(frozen=True)
class Elementwise:
    """An epilogue with nothing before it."""

    epilogue: Epilogue
    block: tuple[int, int] = (32, 128)

    @property
    def name(self) -> str:
        return "elementwise"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        return self.epilogue.operands

    def prim_func(self) -> Any:
        bm, bn = self.block
        m, n, nb1, nb2 = symbols("m", "n", "nb1", "nb2")
        bound = op.bind(self.tensors)

        @macro
        def block_of(tensors, bx, by, b1, b2):  # type: ignore[no-untyped-def]
            store(
                self.epilogue,
                bound,
                tensors,
                {},
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
