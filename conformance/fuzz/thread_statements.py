"""Statements of random kernels in which threads meet: shuffles, reductions of a warp or a block, reducers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from conformance.fuzz.nodes import Node, converted
from conformance.fuzz.statements import Memory, State, Statement
from conformance.fuzz.values import Array, Value, is_float, settled, stored

THREADS = 128
WARP = 32
_COMBINED = {
    "sum": np.add,
    "max": np.maximum,
    "min": np.minimum,
    "bitand": np.bitwise_and,
    "bitor": np.bitwise_or,
    "bitxor": np.bitwise_xor,
}
_LAMBDAS = {
    "sum": "x + y",
    "max": "T.max(x, y)",
    "min": "T.min(x, y)",
    "bitand": "x & y",
    "bitor": "x | y",
    "bitxor": "x ^ y",
}


def meeting(kind: str, values: Value, dtype: str) -> Value:
    """Elements along the last dimension combined to one; sums of floats in any order."""
    data, error = values.data, values.error
    with np.errstate(all="ignore"):
        result = _COMBINED[kind].reduce(data, axis=-1)
        unsure = error.max(-1)
        if kind == "sum" and is_float(dtype):
            size = np.abs(np.where(np.isfinite(data), data, 0.0)).sum(-1)
            spread = size * max(2.0**-18, data.shape[-1] * 2.0**-24)
            unsure = error.sum(-1) + np.where(size < 2.0**127, spread, np.inf)
        if not is_float(dtype):
            return Value(stored(result, dtype), unsure)
        made = settled(result, np.where(np.isnan(data).any(-1), np.inf, unsure), dtype)
    return Value(made.data, np.where(np.isnan(made.data), np.inf, made.error))


@dataclass(frozen=True)
class EachThread(Statement):
    """A vector with an element for each thread, from what threads tell each other.

    `how` is a kind of shuffle ("up", "down", "xor", "sync"), "warp" or "block", and `kind` how values are
    combined there.
    """

    dest: Memory
    value: Node
    how: str
    kind: str = ""
    by: int = 0
    width: int = WARP

    def lines(self) -> Iterator[str]:
        dtype, name = self.value.dtype, self.dest.name
        yield "T.sync_threads()"
        yield "tx = T.get_thread_binding()"
        if self.how == "warp":
            yield f"{name}[tx] = T.warp_reduce_{self.kind}({self.value.text})"
        elif self.how == "block":
            yield f"mine_{name} = T.alloc_local((1,), '{dtype}')"
            yield f"all_{name} = T.alloc_local((1,), '{dtype}')"
            yield f"mine_{name}[0] = {self.value.text}"
            yield f"with T.attr(T.comm_reducer(lambda x, y: {_LAMBDAS[self.kind]}, [T.cast(0, '{dtype}')]),"
            yield "        'reduce_scope', T.reinterpret(T.uint64(0), dtype='handle')):"
            yield f"    T.evaluate(T.tvm_thread_allreduce(T.uint32(1), mine_{name}[0], True,"
            yield f"        all_{name}[0], tx, dtype='handle'))"
            yield f"{name}[tx] = all_{name}[0]"
        else:
            yield f"{name}[tx] = T.shfl_{self.how}({self.value.text}, {self.by}, {self.width})"
        yield "T.sync_threads()"

    def run(self, state: State) -> None:
        outside = dict(state.indices)
        state.indices["tx"] = np.arange(THREADS)
        found = converted(self.value.value(state.scope), self.value.dtype, self.dest.dtype)
        state.indices = outside
        data, error = (np.broadcast_to(part, (THREADS,)) for part in (found.data, found.error))
        target = state.memories[self.dest.name]
        if self.how not in ("warp", "block"):
            source = self._sources()
            target.data[...], target.error[...] = data[source], error[source]
            return
        size = WARP if self.how == "warp" else THREADS
        made = meeting(self.kind, Value(data.reshape(-1, size), error.reshape(-1, size)), self.dest.dtype)
        target.data[...], target.error[...] = np.repeat(made.data, size), np.repeat(made.error, size)

    def _sources(self) -> Array:
        """The thread whose value comes; those whose source lies beyond their group keep their own."""
        here = np.arange(THREADS)
        first, lane = here // self.width * self.width, here % self.width
        if self.how == "sync":
            return first + self.by % self.width
        if self.how == "up":
            return np.where(lane >= self.by, here - self.by, here)
        there = here + self.by if self.how == "down" else here ^ self.by
        return np.where(there < first + self.width, there, here)


@dataclass(frozen=True)
class Reducer(Statement):
    """Rows or columns of values that need no buffer, combined in an epoch of their own."""

    name: str
    kind: str
    value: Node
    dest: Memory
    over: tuple[tuple[str, int], ...]
    along: str
    start: int | None = None

    def lines(self) -> Iterator[str]:
        yield f"{self.name} = T.alloc_reducer({self.dest.shape}, '{self.dest.dtype}', op='{self.kind}')"
        start = "" if self.start is None else f", {float(self.start) if self._is_float else self.start}"
        yield f"T.reducer_init({self.name}{start})"
        names, sizes = zip(*self.over, strict=True)
        yield f"for {', '.join(names)} in T.Parallel({', '.join(map(str, sizes))}):"
        kept = next(name for name in names if name != self.along)
        yield f"    T.reducer_update({self.name}[{kept}], {self.value.text})"
        yield f"T.finalize_reducer({self.name}, {self.dest.name})"

    @property
    def _is_float(self) -> bool:
        return is_float(self.dest.dtype)

    def run(self, state: State) -> None:
        sizes = [size for _, size in self.over]
        grids = np.ogrid[tuple(slice(size) for size in sizes)]
        outside = dict(state.indices)
        state.indices |= dict(zip((name for name, _ in self.over), grids, strict=True))
        found = converted(self.value.value(state.scope), self.value.dtype, self.dest.dtype)
        state.indices = outside
        axis = [name for name, _ in self.over].index(self.along)
        data, error = (
            np.moveaxis(np.broadcast_to(one, sizes), axis, -1) for one in (found.data, found.error)
        )
        if self.start is not None:
            extra = np.full((*data.shape[:-1], 1), self.start, data.dtype)
            data, error = np.append(data, extra, -1), np.append(error, np.zeros(extra.shape), -1)
        made = meeting(self.kind, Value(data, error), self.dest.dtype)
        target = state.memories[self.dest.name]
        target.data[...], target.error[...] = made.data, made.error
