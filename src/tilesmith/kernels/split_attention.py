"""Attention of a block of queries whose keys are shared among cores, as for a token of few texts.

One kernel gives every core a part of the keys: it sums up values by the exponentials of its own scores. The
other brings the parts of a head to one peak, and adds them up.
"""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tilelang.language as T  # noqa: N812

from tilesmith.kernels import operands as op
from tilesmith.kernels.attention import HIDDEN, LEAST_TOTAL, Attention, Keys, queries, scores_of
from tilesmith.kernels.authoring import TILE, prim_func, symbols
from tilesmith.kernels.epilogue import Epilogue, store
from tilesmith.kernels.macros import macro
from tilesmith.kernels.operands import Operand
from tilesmith.kernels.reduce import reduce_max, reduce_sum


@dataclass(frozen=True)
class SplitAttention:
    """A block of `attention` has the queries and a part of the keys; there are `parts` of them.

    Sums are stored without being divided, with the peak of each row's scores and the sum of its exponentials.
    """

    attention: Attention
    parts: int

    @property
    def name(self) -> str:
        return "split_attention"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        found = tuple(Operand(name, "row", "float32") for name in ("peaks", "totals"))
        return (*self.attention.tensors, Operand("y", dtype="float32"), *found)

    def prim_func(self) -> Any:
        attention = self.attention
        bm, size = attention.block
        m, n, nb1, nb2 = symbols("m", "n", "nb1", "nb2")
        bound = op.bind(self.tensors)
        keys = Keys(attention, bound, n, n - m)

        @macro
        def part_of(tensors, part, b1, b2):  # type: ignore[no-untyped-def]
            k_here = T.alloc_shared((size, attention.width), attention.dtype)
            v_here = T.alloc_shared((size, attention.value_width), attention.dtype)
            scores = T.alloc_fragment((bm, size), "float32")
            weights = T.alloc_fragment((bm, size), attention.dtype)
            peak = T.alloc_fragment((bm,), "float32")
            total = T.alloc_fragment((bm,), "float32")
            output = T.alloc_fragment((bm, attention.value_width), "float32")
            op.load(tensors["k"], keys.start("k", b1, b2, part), k_here)
            op.load(tensors["v"], keys.start("v", b1, b2, part), v_here)
            q_here = queries(attention, keys, tensors, 0, b1, b2)
            scores_of(attention, keys, tensors, q_here, k_here, scores, attention.scale, 0, b1, b2, part)
            reduce_max(scores, peak, dim=1)
            for i in T.Parallel(bm):
                peak[i] = T.max(peak[i], T.float32(HIDDEN))
            for i, j in T.Parallel(bm, size):
                weights[i, j] = T.exp(scores[i, j] - peak[i])
            reduce_sum(weights, total, dim=1)
            T.clear(output)
            T.gemm(weights, v_here, output)
            y_at = bound["y"].start(b1, b2, part, 0)
            T.copy(output, tensors["y"][y_at[0], y_at[1]])
            peak_at = bound["peaks"].start(b1, b2, 0, part)
            T.copy(peak, tensors["peaks"][peak_at[0], peak_at[1]])
            total_at = bound["totals"].start(b1, b2, 0, part)
            T.copy(total, tensors["totals"][total_at[0], total_at[1]])

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(nb1 * nb2 * self.parts, threads=128) as block:
                head = block // self.parts
                part_of(tensors, block % self.parts, head // nb2, head % nb2)

        return prim_func(self.name, op.declared(bound), [m, n, nb1, nb2, *op.numbers(bound)], body)


@dataclass(frozen=True)
class JoinedAttention:
    """The attention that parts of the keys come to; the epilogue sees it as `acc0`."""

    value_width: int
    parts: int
    epilogue: Epilogue

    @property
    def name(self) -> str:
        return "joined_attention"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        found = tuple(Operand(name, "column", "float32") for name in ("peaks", "totals"))
        return (Operand("x", dtype="float32"), *found, *self.epilogue.operands)

    def prim_func(self) -> Any:
        width = self.value_width
        m, nb1, nb2 = symbols("m", "nb1", "nb2")
        bound = op.bind(self.tensors)

        @macro
        def joined(tensors, output, b1, b2):  # type: ignore[no-untyped-def]
            peak = T.alloc_fragment((TILE,), "float32")
            before = T.alloc_fragment((TILE,), "float32")
            total = T.alloc_fragment((TILE,), "float32")
            kept = T.alloc_fragment((TILE,), "float32")
            added = T.alloc_fragment((TILE,), "float32")
            T.clear(output)
            T.clear(total)
            T.fill(peak, HIDDEN)
            for part in T.serial(self.parts):
                x_here = T.alloc_shared((TILE, width), "float32")
                peak_here = T.alloc_shared((TILE,), "float32")
                total_here = T.alloc_shared((TILE,), "float32")
                op.load(tensors["x"], bound["x"].start(b1, b2, part, 0), x_here)
                op.load(tensors["peaks"], bound["peaks"].start(b1, b2, part, 0), peak_here)
                op.load(tensors["totals"], bound["totals"].start(b1, b2, part, 0), total_here)
                for i in T.Parallel(TILE):
                    before[i] = peak[i]
                for i in T.Parallel(TILE):
                    peak[i] = T.max(before[i], peak_here[i])
                for i in T.Parallel(TILE):
                    kept[i] = T.exp(before[i] - peak[i])
                for i in T.Parallel(TILE):
                    added[i] = T.exp(peak_here[i] - peak[i])
                for i in T.Parallel(TILE):
                    total[i] = total[i] * kept[i] + total_here[i] * added[i]
                for i, j in T.Parallel(TILE, width):
                    output[i, j] = output[i, j] * kept[i] + x_here[i, j] * added[i]
            for i in T.Parallel(TILE):
                total[i] = T.float32(1) / T.max(total[i], T.float32(LEAST_TOTAL))
            for i, j in T.Parallel(TILE, width):
                output[i, j] = output[i, j] * total[i]

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(nb2, nb1, threads=128) as (b2, b1):
                output = T.alloc_fragment((TILE, width), "float32")
                joined(tensors, output, b1, b2)
                store(
                    self.epilogue,
                    bound,
                    tensors,
                    {"acc0": output},
                    (TILE, width),
                    lambda one: one.start(b1, b2, 0, 0),
                    (0, 0),
                    (m, width),
                )

        return prim_func(self.name, op.declared(bound), [m, nb1, nb2, *op.numbers(bound)], body)
