"""Attention: softmax(Q K^T * scale + mask) V, a block of keys at a time, with a running maximum and sum."""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from dataclasses import dataclass
from math import e, log2
from typing import Any

import tilelang.language as T  # noqa: N812

from tilesmith.kernels import operands as op
from tilesmith.kernels.authoring import TILE, prim_func, symbols
from tilesmith.kernels.epilogue import Epilogue, store
from tilesmith.kernels.operands import Operand

# Low enough to vanish under any score, high enough that differences of two stay finite.
_HIDDEN = -1e30


@dataclass(frozen=True)
class Attention:
    """b1 is the batch, b2 the head of the queries; `group` of them share one head of keys and values.

    Heads may lie side by side in the columns of one matrix: nothing is transposed for them. A mask is added
    to the scores. The epilogue sees the result as `acc0`.
    """

    width: int
    value_width: int
    scale: float
    epilogue: Epilogue
    causal: bool = False
    mask: Operand | None = None
    group: int = 1
    block: tuple[int, int] = (32, 32)
    dtype: str = "bfloat16"

    @property
    def name(self) -> str:
        return "attention"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        mask = (self.mask,) if self.mask is not None else ()
        inputs = (Operand(name, dtype=self.dtype) for name in "qkv")
        return (*inputs, *mask, *self.epilogue.operands)

    def prim_func(self) -> Any:
        bm, bn = self.block
        width, value_width, dtype = self.width, self.value_width, self.dtype
        m, n, nb1, nb2 = symbols("m", "n", "nb1", "nb2")
        bound = op.bind(self.tensors)
        power = self.scale * log2(e)  # exp2 is one instruction: log2(e) goes into the scale

        @T.macro
        def block_of(tensors, by, b1, b2):  # type: ignore[no-untyped-def]
            q_here = T.alloc_shared((bm, width), dtype)
            k_here = T.alloc_shared((bn, width), dtype)
            v_here = T.alloc_shared((bn, value_width), dtype)
            scores = T.alloc_fragment((bm, bn), "float32")
            weights = T.alloc_fragment((bm, bn), dtype)
            output = T.alloc_fragment((bm, value_width), "float32")
            peak = T.alloc_fragment((bm,), "float32")
            peak_before = T.alloc_fragment((bm,), "float32")
            rescale = T.alloc_fragment((bm,), "float32")
            total = T.alloc_fragment((bm,), "float32")
            total_here = T.alloc_fragment((bm,), "float32")
            q_at = bound["q"].start(b1, b2, by * (bm // TILE), 0)
            T.copy(tensors["q"][q_at[0], q_at[1]], q_here)
            T.clear(output)
            T.clear(total)
            T.fill(peak, _HIDDEN)
            blocks = T.ceildiv(T.min((by + 1) * bm + (n - m), n), bn) if self.causal else T.ceildiv(n, bn)
            for step in T.Pipelined(blocks, num_stages=2):
                k_at = bound["k"].start(b1, b2 // self.group, step * (bn // TILE), 0)
                T.copy(tensors["k"][k_at[0], k_at[1]], k_here)
                T.clear(scores)
                T.gemm(q_here, k_here, scores, transpose_B=True)
                if self.mask is not None:
                    mask_here = bound["mask"].allocate(self.block)
                    mask_at = bound["mask"].start(b1, b2, by * (bm // TILE), step * (bn // TILE))
                    T.copy(tensors["mask"][mask_at[0], mask_at[1]], mask_here)
                    for i, j in T.Parallel(bm, bn):
                        hidden = bound["mask"].element(mask_here, i, j)
                        scores[i, j] = scores[i, j] * power + hidden * log2(e)
                else:
                    for i, j in T.Parallel(bm, bn):
                        scores[i, j] = scores[i, j] * power
                for i, j in T.Parallel(bm, bn):
                    seen = (step * bn + j <= by * bm + i + (n - m)) if self.causal else (step * bn + j < n)
                    scores[i, j] = T.if_then_else(seen, scores[i, j], _HIDDEN)
                T.copy(peak, peak_before)
                T.reduce_max(scores, peak, dim=1, clear=False)
                for i in T.Parallel(bm):
                    rescale[i] = T.exp2(peak_before[i] - peak[i])
                for i, j in T.Parallel(bm, bn):
                    scores[i, j] = T.exp2(scores[i, j] - peak[i])
                T.reduce_sum(scores, total_here, dim=1)
                for i in T.Parallel(bm):
                    total[i] = total[i] * rescale[i] + total_here[i]
                for i, j in T.Parallel(bm, value_width):
                    output[i, j] = output[i, j] * rescale[i]
                T.copy(scores, weights)
                v_at = bound["v"].start(b1, b2 // self.group, step * (bn // TILE), 0)
                T.copy(tensors["v"][v_at[0], v_at[1]], v_here)
                T.gemm(weights, v_here, output)
            for i, j in T.Parallel(bm, value_width):
                output[i, j] = output[i, j] / total[i]
            store(
                self.epilogue,
                bound,
                tensors,
                {"acc0": output},
                (bm, value_width),
                lambda one: one.start(b1, b2, by * (bm // TILE), 0),
                (by * bm, 0),
                (m, value_width),
            )

        @T.macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(m, bm), nb1 * nb2, threads=128) as (by, bz):
                block_of(tensors, by, bz // nb2, bz % nb2)

        return prim_func(self.name, op.declared(bound), [m, n, nb1, nb2, *op.numbers(bound)], body)
