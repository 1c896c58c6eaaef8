"""Attention of single queries: those of several heads are the rows of one tile, as when a token is generated.

A tile has 32 rows, and a head has one query for each of the heads that share its keys. Each head by itself
would leave most rows of its scores empty, and the vector unit would work on them. Here the rows of a tile
belong to several heads: products of a head's rows with its keys are added up, the other rows being zero, and
all of them go through one softmax.
"""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tilelang.language as T  # noqa: N812

from tilesmith.kernels import operands as op
from tilesmith.kernels.attention import HIDDEN, LEAST_TOTAL
from tilesmith.kernels.authoring import TILE, prim_func, symbols
from tilesmith.kernels.epilogue import Epilogue, store
from tilesmith.kernels.macros import macro
from tilesmith.kernels.operands import Operand
from tilesmith.kernels.reduce import reduce_max, reduce_sum


@dataclass(frozen=True)
class PackedAttention:
    """b1 is the batch, b2 counts blocks of `heads` heads of keys; `group` rows of queries belong to each.

    `keys` are all there are, in whole tiles; `whole` says that none of them is padding. A mask is added to
    the scores, the same for all heads. The epilogue sees the result as `acc0`.
    """

    width: int
    value_width: int
    scale: float
    epilogue: Epilogue
    heads: int
    group: int
    mask: Operand | None = None
    keys: int = TILE
    whole: bool = False
    dtype: str = "bfloat16"
    stages: int = 2

    @property
    def name(self) -> str:
        return "packed_attention"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        mask = (self.mask,) if self.mask is not None else ()
        inputs = (Operand(name, dtype=self.dtype) for name in "qkv")
        return (*inputs, *mask, *self.epilogue.operands)

    def prim_func(self) -> Any:
        m, n, nb1, nb2 = symbols("m", "n", "nb1", "nb2")
        bound = op.bind(self.tensors)

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(nb2, nb1, threads=128) as (b2, b1):
                weights = T.alloc_fragment((TILE, self.keys), self.dtype)
                total = T.alloc_fragment((TILE,), "float32")
                output = T.alloc_fragment((TILE, self.value_width), "float32")
                _softmax(self, bound, tensors, weights, total, n, b1, b2)
                _mean(self, bound, tensors, weights, total, output, b1, b2)
                store(
                    self.epilogue,
                    bound,
                    tensors,
                    {"acc0": output},
                    (TILE, self.value_width),
                    lambda one: one.start(b1, b2, 0, 0),
                    (0, 0),
                    (m, self.value_width),
                )

        return prim_func(self.name, op.declared(bound), [m, n, nb1, nb2, *op.numbers(bound)], body)


@macro
def _softmax(self, bound, tensors, weights, total, n, b1, b2):  # type: ignore[no-untyped-def]
    """The exponentials of all heads' scores, and their sums."""
    scores = T.alloc_fragment((TILE, self.keys), "float32")
    peak = T.alloc_fragment((TILE,), "float32")
    _scores(self, bound, tensors, scores, b1, b2)
    if self.mask is not None:
        mask = bound["mask"]
        mask_here = mask.allocate((TILE, self.keys))
        mask_at = mask.start(b1, b2, 0, 0)
        T.copy(tensors["mask"][mask_at[0], mask_at[1]], mask_here)
        for i, j in T.Parallel(TILE, self.keys):
            scores[i, j] = scores[i, j] * self.scale + mask.element(mask_here, i, j)
    else:
        for i, j in T.Parallel(TILE, self.keys):
            scores[i, j] = scores[i, j] * self.scale
    if not self.whole:
        for i, j in T.Parallel(TILE, self.keys):
            scores[i, j] = T.if_then_else(j < n, scores[i, j], HIDDEN)
    reduce_max(scores, peak, dim=1)
    if self.mask is not None:
        for i in T.Parallel(TILE):
            peak[i] = T.max(peak[i], T.float32(HIDDEN))
    for i, j in T.Parallel(TILE, self.keys):
        weights[i, j] = T.exp(scores[i, j] - peak[i])
    reduce_sum(weights, total, dim=1)


@macro
def _scores(self, bound, tensors, scores, b1, b2):  # type: ignore[no-untyped-def]
    """Products of every head's queries with its keys: the rows of other heads are zero, and add nothing."""
    q_here = T.alloc_shared((TILE, self.width), self.dtype)
    q_at = bound["q"].start(b1, b2, 0, 0)
    T.copy(tensors["q"][q_at[0], q_at[1]], q_here)
    T.clear(scores)
    for head in T.Pipelined(self.heads, num_stages=self.stages):
        k_here = T.alloc_shared((self.keys, self.width), self.dtype)
        own = T.alloc_fragment((TILE, self.width), self.dtype)
        rows = T.alloc_fragment((TILE,), self.dtype)
        k_at = bound["k"].start(b1, b2 * self.heads + head, 0, 0)
        T.copy(tensors["k"][k_at[0], k_at[1]], k_here)
        for i in T.Parallel(TILE):
            rows[i] = _belongs(self.group, i, head)
        for i, j in T.Parallel(TILE, self.width):
            own[i, j] = q_here[i, j] * rows[i]
        T.gemm(own, k_here, scores, transpose_B=True)


@macro
def _mean(self, bound, tensors, weights, total, output, b1, b2):  # type: ignore[no-untyped-def]
    """The values of every head, weighted by its rows."""
    T.clear(output)
    for head in T.Pipelined(self.heads, num_stages=self.stages):
        v_here = T.alloc_shared((self.keys, self.value_width), self.dtype)
        own = T.alloc_fragment((TILE, self.keys), self.dtype)
        rows = T.alloc_fragment((TILE,), self.dtype)
        v_at = bound["v"].start(b1, b2 * self.heads + head, 0, 0)
        T.copy(tensors["v"][v_at[0], v_at[1]], v_here)
        for i in T.Parallel(TILE):
            rows[i] = _belongs(self.group, i, head)
        for i, j in T.Parallel(TILE, self.keys):
            own[i, j] = weights[i, j] * rows[i]
        T.gemm(own, v_here, output)
    for i in T.Parallel(TILE):
        total[i] = T.float32(1) / T.max(total[i], T.float32(LEAST_TOTAL))
    for i, j in T.Parallel(TILE, self.value_width):
        output[i, j] = output[i, j] * total[i]


def _belongs(group: int, row: Any, head: Any) -> Any:
    """1 for the `group` rows of a head, 0 for others, without a comparison: those cost the vector unit more.

    From the first row of a head on, row * (group - 1 - row) is at least 0 in it, and at most -group outside.
    """
    own = T.cast(row, "float32") - T.cast(head * group, "float32")
    inside = own * (T.float32(group - 1) - own) + T.float32(1)
    return T.min(T.max(inside, T.float32(0)), T.float32(1))
