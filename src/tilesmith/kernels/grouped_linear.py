"""Products of rows with the weights of their groups, as tokens have with their experts.

A block of rows is multiplied with the weight of every group that has a row in it, and each row keeps its own
product. Where rows lie in the order of their groups, few blocks have rows of more than one.
"""

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
class Shares:
    """`columns` x `rows` cores that have all rows, and `turns` blocks of columns each.

    Rows are brought to a row of cores once, `depth` elements of each, and stay for all groups.
    """

    columns: int
    rows: int
    turns: int
    depth: int


@dataclass(frozen=True)
class GroupedLinear:
    """acc0[i, :] = x[i, :] @ w[ids[i]], or @ w[ids[i]]^T where weights are stored with their outputs first.

    The weight of a group is a batch of `w`. A row whose number names none of the `groups` is zero. Without
    shares any number of blocks goes to any number of cores, each of which reads all it needs.
    """

    epilogue: Epilogue
    groups: int
    transposed: bool = True
    block: tuple[int, int, int] = (32, 64, 64)
    dtype: str = "bfloat16"
    x_access: op.Access = "block"
    weight_dtype: str = "bfloat16"
    stages: int = 2
    shares: Shares | None = None

    @property
    def name(self) -> str:
        return "grouped_linear"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        return (
            Operand("x", self.x_access, self.dtype),
            Operand("w", dtype=self.weight_dtype),
            Operand("ids", "column", "float32"),
            *self.epilogue.operands,
        )

    def prim_func(self) -> Any:
        bm, bn, bk = self.block
        m, n, k = symbols("m", "n", "k")
        bound = op.bind(self.tensors)
        w_block = (bn, bk) if self.transposed else (bk, bn)
        shares = self.shares or Shares(1, 1, 1, bk)

        @macro
        def load_weight(tensors, w_here, group, bx, ko):  # type: ignore[no-untyped-def]
            deep, cols = ko * (bk // TILE), bx * (bn // TILE)
            at = (cols, deep) if self.transposed else (deep, cols)
            op.load(tensors["w"], bound["w"].start(group, 0, *at), w_here)

        @macro
        def streamed(tensors, x_here, w_here, acc, group, by, bx):  # type: ignore[no-untyped-def]
            for ko in T.Pipelined(T.ceildiv(k, bk), num_stages=self.stages):
                op.load(tensors["x"], bound["x"].start(0, 0, by * (bm // TILE), ko * (bk // TILE)), x_here)
                load_weight(tensors, w_here, group, bx, ko)
                T.gemm(x_here, w_here, acc, False, self.transposed)

        @macro
        def held(tensors, x_here, w_here, acc, group, by, bx):  # type: ignore[no-untyped-def]
            for ko in T.Pipelined(shares.depth // bk, num_stages=self.stages):
                load_weight(tensors, w_here, group, bx, ko)
                T.gemm(x_here[0:bm, ko * bk : ko * bk + bk], w_here, acc, False, self.transposed)

        product = held if self.shares else streamed

        @macro
        def block_of(tensors, x_here, ids, numbers, by, bx):  # type: ignore[no-untyped-def]
            w_here = T.alloc_shared(w_block, self.weight_dtype)
            acc = T.alloc_fragment((bm, bn), "float32")
            result = T.alloc_fragment((bm, bn), "float32")
            T.clear(result)
            for i in T.serial(T.min(bm, m - by * bm)):
                group = T.cast(numbers[i], "int32")
                before = T.cast(numbers[T.max(i - 1, 0)], "int32")
                if (group >= 0) & (group < self.groups) & ((i == 0) | (group != before)):
                    T.clear(acc)
                    product(tensors, x_here, w_here, acc, group, by, bx)
                    for r, j in T.Parallel(bm, bn):
                        result[r, j] = T.if_then_else(
                            ids[r] == T.cast(group, "float32"), acc[r, j], result[r, j]
                        )
            store(
                self.epilogue,
                bound,
                tensors,
                {"acc0": result},
                (bm, bn),
                lambda one: one.start(0, 0, by * (bm // TILE), bx * (bn // TILE)),
                (by * bm, bx * bn),
                (m, n),
            )

        @macro
        def load_numbers(tensors, ids, numbers, by):  # type: ignore[no-untyped-def]
            # Once for the vector unit, once to be read one by one.
            at = bound["ids"].start(0, 0, by * (bm // TILE), 0)
            op.load(tensors["ids"], at, ids)
            op.load(tensors["ids"], at, numbers)

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(n, bn), T.ceildiv(m, bm), threads=128) as (bx, by):
                x_here = T.alloc_shared((bm, bk), self.dtype)
                ids = T.alloc_shared((bm,), "float32")
                numbers = T.alloc_shared((bm,), "float32")
                load_numbers(tensors, ids, numbers, by)
                block_of(tensors, x_here, ids, numbers, by, bx)

        @macro
        def body_of_shares(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(shares.columns, shares.rows, threads=128) as (x, y):
                for by in T.serial(T.ceildiv(m, bm)):
                    x_here = T.alloc_shared((bm, shares.depth), self.dtype)
                    ids = T.alloc_shared((bm,), "float32")
                    numbers = T.alloc_shared((bm,), "float32")
                    op.load(tensors["x"], bound["x"].start(0, 0, by * (bm // TILE), 0), x_here)
                    load_numbers(tensors, ids, numbers, by)
                    for turn in T.serial(shares.turns):
                        bx = (turn * shares.rows + y) * shares.columns + x
                        block_of(tensors, x_here, ids, numbers, by, bx)

        chosen = body_of_shares if self.shares else body
        return prim_func(self.name, op.declared(bound), [m, n, k, *op.numbers(bound)], chosen)
