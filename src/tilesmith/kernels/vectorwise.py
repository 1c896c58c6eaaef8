"""Elementwise work on vectors: one value per row of some matrix, as means and scales are."""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tilelang.language as T  # noqa: N812

from tilesmith.kernels import operands as op
from tilesmith.kernels.authoring import TILE, prim_func, symbols
from tilesmith.kernels.epilogue import element_of, loaded
from tilesmith.kernels.expression import Expr
from tilesmith.kernels.macros import macro
from tilesmith.kernels.operands import Operand


@dataclass(frozen=True)
class VectorWise:
    """Operands are rows or scalars; the result is a row."""

    value: Expr
    inputs: tuple[Operand, ...]
    out: Operand
    size: int = 256

    @property
    def name(self) -> str:
        return "vectorwise"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        return (*self.inputs, self.out)

    def prim_func(self) -> Any:
        size = self.size
        n, nb1, nb2 = symbols("n", "nb1", "nb2")
        bound = op.bind(self.tensors)

        @macro
        def block_of(tensors, bx, b1, b2):  # type: ignore[no-untyped-def]
            place = lambda one: one.start(b1, b2, 0, bx * (size // TILE))  # noqa: E731
            result = T.alloc_fragment((size,), "float32")
            held = loaded(self.inputs, bound, tensors, (1, size), place)
            for j in T.Parallel(size):
                result[j] = element_of(self.value, bound, held, 0, j)
            at = place(bound[self.out.name])
            T.copy(result, tensors[self.out.name][at[0], at[1]])

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(n, size), nb1 * nb2, threads=128) as (bx, bz):
                block_of(tensors, bx, bz // nb2, bz % nb2)

        return prim_func(self.name, op.declared(bound), [n, nb1, nb2, *op.numbers(bound)], body)
