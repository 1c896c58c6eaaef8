"""Products of few rows on a GPU: a block sums up some columns, its threads share the depth.

Such a product is as long as its weight takes to load, and the matrix unit would wait for it.
"""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tilelang.language as T  # noqa: N812

from tilesmith.kernels import operands as op
from tilesmith.kernels.authoring import named, prim_func, symbols
from tilesmith.kernels.epilogue import Epilogue, store
from tilesmith.kernels.macros import macro
from tilesmith.kernels.operands import Operand
from tilesmith.kernels.reduce import reduce_sum


@dataclass(frozen=True)
class Gemv:
    """acc_i = x @ w_i^T, row by row; `depth` is how long rows are, `columns` how many a block sums up."""

    epilogue: Epilogue
    depth: int
    weights: int = 1
    columns: int = 2
    threads: int = 32
    dtype: str = "bfloat16"
    x_access: op.Access = "block"
    weight_dtype: str = "bfloat16"

    @property
    def name(self) -> str:
        return "gemv"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        weights = tuple(Operand(f"w{number}", dtype=self.weight_dtype) for number in range(self.weights))
        return (Operand("x", self.x_access, self.dtype), *weights, *self.epilogue.operands)

    def prim_func(self) -> Any:
        bn, depth = self.columns, self.depth
        m, n, nb1, nb2 = symbols("m", "n", "nb1", "nb2")
        bound = op.bind(self.tensors)
        weights = [f"w{number}" for number in range(self.weights)]

        def column(acc: Any) -> op.Computed:
            return op.Computed(lambda _, j: acc[j])

        @macro
        def summed(tensors, weight, acc, row, first, b1, b2):  # type: ignore[no-untyped-def]
            products = T.alloc_fragment((bn, depth), "float32")
            x = op.InPlace(tensors["x"], bound["x"].row_start(b1, b2, row))
            w = op.InPlace(tensors[weight], bound[weight].row_start(b1, b2, first))
            for j, i in T.Parallel(bn, depth):
                products[j, i] = x[0, i].astype("float32") * w[j, i].astype("float32")
            reduce_sum(products, acc, dim=1)

        @macro
        def block_of(tensors, row, first, b1, b2):  # type: ignore[no-untyped-def]
            accs = [named(f"acc{i}", T.alloc_fragment((bn,), "float32")) for i in range(self.weights)]
            for weight, acc in zip(weights, accs, strict=True):
                summed(tensors, weight, acc, row, first, b1, b2)
            store(
                self.epilogue,
                bound,
                tensors,
                {f"acc{number}": column(acc) for number, acc in enumerate(accs)},
                (1, bn),
                lambda one: one.row_start(b1, b2, row, first),
                (row, first),
                (m, n),
            )

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(n, bn), m, nb1 * nb2, threads=self.threads) as (bx, row, bz):
                block_of(tensors, row, bx * bn, bz // nb2, bz % nb2)

        return prim_func(self.name, op.declared(bound), [m, n, nb1, nb2, *op.numbers(bound)], body)
