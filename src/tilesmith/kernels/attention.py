"""Attention: softmax(Q K^T * scale + mask) V, all keys at once or with a running maximum and sum."""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import frexp
from typing import Any

import tilelang.language as T  # noqa: N812

from tilesmith.kernels import operands as op
from tilesmith.kernels.authoring import TILE, on_gpu, prim_func, symbols
from tilesmith.kernels.epilogue import Epilogue, store
from tilesmith.kernels.macros import macro
from tilesmith.kernels.operands import Operand
from tilesmith.kernels.reduce import reduce_max, reduce_sum

# Below every score that a finite mask leaves, so that a row of which all is masked is the mean of all values.
HIDDEN = -3.4028234e38
# A row of which all is masked by infinity adds up to zero, and gives zeros.
LEAST_TOTAL = 1e-30


@dataclass(frozen=True)
class Attention:
    """b1 is the batch, b2 the head of the queries; `group` of them share one head of keys and values.

    Heads may lie side by side in the columns of one matrix: nothing is transposed for them. A mask is added
    to the scores. The epilogue sees the result as `acc0`. Keys that are `whole` blocks need no test for their
    end; `at_once` says that one block has all of them. With `rows`, a core works on so many blocks of queries
    in turn, and reads their keys and values once. The last so many keys may be a smaller block, the `tail`;
    then only that is tested for their end.
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
    whole: bool = False
    at_once: bool = False
    rows: int = 0
    tail: int = 0
    threads: int = 128
    stages: int = 2

    @property
    def name(self) -> str:
        return "attention"

    @property
    def scales_queries(self) -> bool:
        """Whether queries are scaled, not scores: exact by powers of two. A GPU scales scores for nothing."""
        return not on_gpu() and self.scale > 0 and frexp(self.scale)[0] == 0.5

    @property
    def tensors(self) -> tuple[Operand, ...]:
        mask = (self.mask,) if self.mask is not None else ()
        inputs = (Operand(name, dtype=self.dtype) for name in "qkv")
        return (*inputs, *mask, *self.epilogue.operands)

    def prim_func(self) -> Any:
        bm = self.block[0]
        m, n, nb1, nb2 = symbols("m", "n", "nb1", "nb2")
        bound = op.bind(self.tensors)
        keys = Keys(self, bound, n, n - m)
        block_of = _at_once(self, keys) if self.at_once else _step_by_step(self, keys)

        @macro
        def finish(tensors, output, by, b1, b2):  # type: ignore[no-untyped-def]
            store(
                self.epilogue,
                bound,
                tensors,
                {"acc0": output},
                (bm, self.value_width),
                lambda one: one.start(b1, b2, by * (bm // TILE), 0),
                (by * bm, 0),
                (m, self.value_width),
            )

        @macro
        def body_of_rows(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(m, bm * self.rows), nb1 * nb2, threads=self.threads) as (bx, bz):
                held = _held(self, keys, tensors, bz // nb2, bz % nb2)
                for row in T.Pipelined(self.rows, num_stages=2):
                    output = T.alloc_fragment((bm, self.value_width), "float32")
                    by = bx * self.rows + row
                    _softmax_of_all(self, keys, tensors, held, output, by, bz // nb2, bz % nb2)
                    finish(tensors, output, by, bz // nb2, bz % nb2)

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(m, bm), nb1 * nb2, threads=self.threads) as (by, bz):
                output = T.alloc_fragment((bm, self.value_width), "float32")
                block_of(tensors, output, by, bz // nb2, bz % nb2)
                finish(tensors, output, by, bz // nb2, bz % nb2)

        chosen = body_of_rows if self.rows else body
        return prim_func(self.name, op.declared(bound), [m, n, nb1, nb2, *op.numbers(bound)], chosen)


@dataclass(frozen=True)
class Keys:
    """The keys and values of a kernel: `count` of them, `ahead` more than queries."""

    attention: Attention
    bound: Mapping[str, op.Bound]
    count: Any
    ahead: Any
    before: Any = 0
    """How many keys lie before the first block."""

    def start(self, name: str, b1: Any, b2: Any, step: Any) -> tuple[Any, Any]:
        """Where a block of keys begins; on a GPU it need not be of whole tiles."""
        head, size = b2 // self.attention.group, self.attention.block[1]
        if size % TILE:
            return self.bound[name].row_start(b1, head, step * size)
        return self.bound[name].start(b1, head, self.before // TILE + step * (size // TILE), 0)

    def seen(self, row: Any, key: Any) -> Any:
        return key <= row + self.ahead if self.attention.causal else key < self.count


def _at_once(attention: Attention, keys: Keys) -> Any:
    """All keys fit one block: the softmax is the plain one."""

    @macro
    def block_of(tensors, output, by, b1, b2):  # type: ignore[no-untyped-def]
        held = _held(attention, keys, tensors, b1, b2)
        _softmax_of_all(attention, keys, tensors, held, output, by, b1, b2)

    return block_of


@macro
def _held(attention, keys, tensors, b1, b2):  # type: ignore[no-untyped-def]
    """All keys and values of a head."""
    k_here = T.alloc_shared((attention.block[1], attention.width), attention.dtype)
    v_here = T.alloc_shared((attention.block[1], attention.value_width), attention.dtype)
    k_at, v_at = keys.start("k", b1, b2, 0), keys.start("v", b1, b2, 0)
    T.copy(tensors["k"][k_at[0], k_at[1]], k_here)
    T.copy(tensors["v"][v_at[0], v_at[1]], v_here)
    return k_here, v_here


@macro
def _softmax_of_all(attention, keys, tensors, held, output, by, b1, b2):  # type: ignore[no-untyped-def]
    """Attention of a block of queries to all keys. Without a mask the difference to the maximum is scaled."""
    bm, bn = attention.block
    last = attention.mask is None and attention.scale > 0 and not attention.scales_queries
    late, early = (attention.scale, 1.0) if last else (1.0, attention.scale)
    scores = T.alloc_fragment((bm, bn), "float32")
    weights = _alloc_weights((bm, bn), attention.dtype)
    peak = T.alloc_fragment((bm,), "float32")
    total = T.alloc_fragment((bm,), "float32")
    q_here = queries(attention, keys, tensors, by, b1, b2)
    scores_of(attention, keys, tensors, q_here, held[0], scores, early, by, b1, b2, 0)
    reduce_max(scores, peak, dim=1)
    if attention.mask is not None:
        for i in T.Parallel(bm):
            peak[i] = T.max(peak[i], T.float32(HIDDEN))
    for i, j in T.Parallel(bm, bn):
        weights[i, j] = T.exp(_times(scores[i, j] - peak[i], late))
    reduce_sum(weights, total, dim=1)
    T.clear(output)
    T.gemm(weights, held[1], output, policy=_policy())
    for i in T.Parallel(bm):
        total[i] = T.float32(1) / T.max(total[i], T.float32(LEAST_TOTAL))
    for i, j in T.Parallel(bm, attention.value_width):
        output[i, j] = output[i, j] * total[i]


def _step_by_step(attention: Attention, keys: Keys) -> Any:
    """A block of keys at a time: what was summed so far is rescaled when a larger score comes."""
    bm, bn = attention.block
    value_width, n = attention.value_width, keys.count
    blocks = T.ceildiv(n - attention.tail, bn)
    body = replace(attention, whole=True) if attention.tail else attention
    rest = replace(attention, block=(bm, attention.tail))
    after = replace(keys, attention=rest, before=blocks * bn)

    @macro
    def block_of(tensors, output, by, b1, b2):  # type: ignore[no-untyped-def]
        v_here = T.alloc_shared((bn, value_width), attention.dtype)
        scores = T.alloc_fragment((bm, bn), "float32")
        weights = _alloc_weights((bm, bn), attention.dtype)
        peak = T.alloc_fragment((bm,), "float32")
        peak_before = T.alloc_fragment((bm,), "float32")
        rescale = T.alloc_fragment((bm,), "float32")
        total = T.alloc_fragment((bm,), "float32")
        total_here = T.alloc_fragment((bm,), "float32")
        q_here = queries(attention, keys, tensors, by, b1, b2)
        T.clear(output)
        T.clear(total)
        T.fill(peak, HIDDEN)
        to_diagonal = T.min((by + 1) * bm + keys.ahead, n - attention.tail)
        count = T.ceildiv(to_diagonal, bn) if attention.causal else blocks
        sums = (peak, peak_before, rescale, total, total_here)
        for step in T.Pipelined(count, num_stages=attention.stages):
            _add_keys(body, keys, tensors, q_here, (v_here, scores, weights), sums, output, by, b1, b2, step)
        if attention.tail:
            v_rest = T.alloc_shared((attention.tail, value_width), attention.dtype)
            scores_rest = T.alloc_fragment((bm, attention.tail), "float32")
            weights_rest = _alloc_weights((bm, attention.tail), attention.dtype)
            room = (v_rest, scores_rest, weights_rest)
            _add_keys(rest, after, tensors, q_here, room, sums, output, by, b1, b2, 0)
        for i in T.Parallel(bm):
            total[i] = T.float32(1) / T.max(total[i], T.float32(LEAST_TOTAL))
        for i, j in T.Parallel(bm, value_width):
            output[i, j] = output[i, j] * total[i]

    return block_of


@macro
def _add_keys(attention, keys, tensors, q_here, room, sums, output, by, b1, b2, step):  # type: ignore[no-untyped-def]
    """Add what one block of keys gives to the sums so far."""
    bm, bn = attention.block
    v_here, scores, weights = room
    peak, peak_before, rescale, total, total_here = sums
    k_here = T.alloc_shared((bn, attention.width), attention.dtype)
    k_at = keys.start("k", b1, b2, step)
    T.copy(tensors["k"][k_at[0], k_at[1]], k_here)
    scores_of(attention, keys, tensors, q_here, k_here, scores, attention.scale, by, b1, b2, step)
    T.copy(peak, peak_before)
    reduce_max(scores, peak, dim=1, clear=False)
    for i in T.Parallel(bm):
        rescale[i] = T.exp(peak_before[i] - peak[i])
    _exponentials(attention, scores, peak, weights, total_here)
    for i in T.Parallel(bm):
        total[i] = total[i] * rescale[i] + total_here[i]
    for i, j in T.Parallel(bm, attention.value_width):
        output[i, j] = output[i, j] * rescale[i]
    v_at = keys.start("v", b1, b2, step)
    T.copy(tensors["v"][v_at[0], v_at[1]], v_here)
    T.gemm(weights, v_here, output, policy=_policy())


@macro
def _exponentials(attention, scores, peak, weights, total):  # type: ignore[no-untyped-def]
    """The weights of a block and their sums. A GPU adds up what it has in registers, in float32."""
    bm, bn = attention.block
    if on_gpu():
        for i, j in T.Parallel(bm, bn):
            scores[i, j] = T.exp(scores[i, j] - peak[i])
        reduce_sum(scores, total, dim=1)
        T.copy(scores, weights)
    else:
        for i, j in T.Parallel(bm, bn):
            weights[i, j] = T.exp(scores[i, j] - peak[i])
        reduce_sum(weights, total, dim=1)


def _alloc_weights(block: tuple[int, int], dtype: str) -> Any:
    """Room for the weights of a block: the matrix unit takes them from where they are made."""
    return T.alloc_fragment(block, dtype)


def _policy() -> Any:
    """Whole rows for each warp of a GPU, so that maxima and sums of rows stay inside one."""
    return T.GemmWarpPolicy.FullRow if on_gpu() else T.GemmWarpPolicy.Square


def _times(value: Any, factor: float) -> Any:
    return value if factor == 1.0 else value * T.float32(factor)


@macro
def queries(attention, keys, tensors, by, b1, b2):  # type: ignore[no-untyped-def]
    q_here = T.alloc_shared((attention.block[0], attention.width), attention.dtype)
    q_at = keys.bound["q"].start(b1, b2, by * (attention.block[0] // TILE), 0)
    T.copy(tensors["q"][q_at[0], q_at[1]], q_here)
    if attention.scales_queries:
        scaled = T.alloc_fragment((attention.block[0], attention.width), attention.dtype)
        for i, j in T.Parallel(attention.block[0], attention.width):
            scaled[i, j] = q_here[i, j].astype("float32") * T.float32(attention.scale)
        q_here = scaled
    return q_here


@macro
def scores_of(attention, keys, tensors, q_here, k_here, scores, scale, by, b1, b2, step):  # type: ignore[no-untyped-def]
    """Products of queries and a block of keys, scaled, with the mask and what must not be seen far below."""
    bm, bn = attention.block
    scale = 1.0 if attention.scales_queries else scale
    T.clear(scores)
    T.gemm(q_here, k_here, scores, transpose_B=True, policy=_policy())
    if attention.mask is not None:
        mask = keys.bound["mask"]
        mask_here = mask.allocate(attention.block)
        mask_at = mask.start(b1, b2, by * (bm // TILE), keys.before // TILE + step * (bn // TILE))
        T.copy(tensors["mask"][mask_at[0], mask_at[1]], mask_here)
        for i, j in T.Parallel(bm, bn):
            scores[i, j] = scores[i, j] * scale + mask.element(mask_here, i, j)
    elif scale != 1.0:
        for i, j in T.Parallel(bm, bn):
            scores[i, j] = scores[i, j] * scale
    if attention.causal and not on_gpu() and not attention.at_once:
        if keys.before + (step + 1) * bn > by * bm + keys.ahead + 1:  # otherwise all its keys are seen
            _hide(attention, keys, scores, by, step)
    elif attention.causal or not attention.whole:
        _hide(attention, keys, scores, by, step)


@macro
def _hide(attention, keys, scores, by, step):  # type: ignore[no-untyped-def]
    bm, bn = attention.block
    for i, j in T.Parallel(bm, bn):
        seen = keys.seen(by * bm + i, keys.before + step * bn + j)
        scores[i, j] = T.if_then_else(seen, scores[i, j], HIDDEN)
