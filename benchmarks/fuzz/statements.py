"""Statements of random kernels: each prints itself as lines of TileLang and does itself on numpy arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmarks.fuzz.nodes import Node, Scope, converted
from benchmarks.fuzz.values import Array, Value, half_unit, is_float, largest, settled, stored

_TILE = "    "


@dataclass(frozen=True)
class Memory:
    """A tensor (`scope` "in", "out", "both") or a buffer ("shared", "fragment")."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    scope: str

    @property
    def is_tensor(self) -> bool:
        return self.scope in ("in", "out", "both")


@dataclass
class State:
    """What a block sees: tensors that outlive it, buffers and indices of its own."""

    memories: dict[str, Value]
    indices: dict[str, Array] = field(default_factory=dict)

    @property
    def scope(self) -> Scope:
        return Scope(self.memories, self.indices)


class Statement:
    def lines(self) -> Iterator[str]:
        raise NotImplementedError

    def run(self, state: State) -> None:
        raise NotImplementedError


@dataclass(frozen=True)
class Region:
    """A box of a memory from `offsets` on; `sizes` has one for every dimension."""

    memory: Memory
    offsets: tuple[Node, ...]
    sizes: tuple[int, ...]

    @property
    def text(self) -> str:
        whole = self.sizes == self.memory.shape and all(one.text == "0" for one in self.offsets)
        if whole:
            return self.memory.name
        slices = (f"{at.text}:{at.text} + {size}" for at, size in zip(self.offsets, self.sizes, strict=True))
        return f"{self.memory.name}[{', '.join(slices)}]"

    def windows(self, state: State) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
        """The part that lies in the memory: there, and in the box."""
        there, here = [], []
        for node, size, whole in zip(self.offsets, self.sizes, self.memory.shape, strict=True):
            offset = int(node.value(state.scope).data)
            first, last = max(0, -offset), max(max(0, -offset), min(size, whole - offset))
            there.append(slice(offset + first, offset + last))
            here.append(slice(first, last))
        return tuple(there), tuple(here)


@dataclass(frozen=True)
class Copy(Statement):
    source: Region
    dest: Region
    accumulate: bool = False

    def lines(self) -> Iterator[str]:
        if self.accumulate:
            yield f"T.atomic_add({self.dest.text}, {self.source.text})"
        else:
            yield f"T.copy({self.source.text}, {self.dest.text})"

    def run(self, state: State) -> None:
        there, here = self.source.windows(state)
        data = np.zeros(self.source.sizes, np.float64 if is_float(self.source.memory.dtype) else np.int64)
        error = np.zeros(self.source.sizes)
        found = state.memories[self.source.memory.name]
        data[here], error[here] = found.data[there], found.error[there]
        moved = converted(Value(data, error), self.source.memory.dtype, self.dest.memory.dtype)
        there, here = self.dest.windows(state)
        target = state.memories[self.dest.memory.name]
        part = Value(moved.data.reshape(self.dest.sizes)[here], moved.error.reshape(self.dest.sizes)[here])
        if self.accumulate:
            old = target.at(there)
            error = old.error + part.error
            if is_float(self.dest.memory.dtype):
                part = settled(old.data + part.data, error, self.dest.memory.dtype)
            else:
                part = Value(stored(old.data + part.data, self.dest.memory.dtype), error)
        target.data[there], target.error[there] = part.data, part.error


@dataclass(frozen=True)
class Fill(Statement):
    memory: Memory
    number: float | int

    def lines(self) -> Iterator[str]:
        yield (
            f"T.fill({self.memory.name}, {self.number!r})" if self.number else f"T.clear({self.memory.name})"
        )

    def run(self, state: State) -> None:
        target = state.memories[self.memory.name]
        target.data[...] = stored(np.asarray(self.number), self.memory.dtype)
        target.error[...] = 0


@dataclass(frozen=True)
class Store(Statement):
    """One element; inside `Parallel` for every index at once."""

    memory: Memory
    at: tuple[Node, ...]
    value: Node

    def lines(self) -> Iterator[str]:
        yield f"{self.memory.name}[{', '.join(index.text for index in self.at)}] = {self.value.text}"

    def run(self, state: State) -> None:
        value = converted(self.value.value(state.scope), self.value.dtype, self.memory.dtype)
        mask = np.asarray(state.indices.get("#mask", np.asarray(1)), bool)
        unsure = state.indices.get("#unsure", np.asarray(0.0))
        indices = np.broadcast_arrays(mask, *(node.value(state.scope).data for node in self.at))
        mask, indices = indices[0], indices[1:]
        inside = mask
        for index, size in zip(indices, self.memory.shape, strict=True):
            inside = inside & (index >= 0) & (index < size)
        position = tuple(index[inside] for index in indices)
        target = state.memories[self.memory.name]
        target.data[position] = np.broadcast_to(value.data, mask.shape)[inside]
        target.error[position] = np.broadcast_to(value.error + unsure, mask.shape)[inside]


@dataclass(frozen=True)
class Choice(Statement):
    """A branch: over elements inside `Parallel`, of the whole block outside."""

    condition: Node
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()

    def lines(self) -> Iterator[str]:
        yield f"if {self.condition.text}:"
        yield from indented(self.then)
        if self.otherwise:
            yield "else:"
            yield from indented(self.otherwise)

    def run(self, state: State) -> None:
        test = self.condition.value(state.scope)
        before = {name: state.indices.get(name) for name in ("#mask", "#unsure")}
        mask = np.asarray(1) if before["#mask"] is None else before["#mask"]
        unsure = np.asarray(0.0) if before["#unsure"] is None else before["#unsure"]
        for side, taken in ((self.then, test.data != 0), (self.otherwise, test.data == 0)):
            state.indices |= {"#mask": mask & taken, "#unsure": unsure + test.error}
            if np.any(state.indices["#mask"]):
                run_all(side, state)
        for name, value in before.items():
            state.indices.pop(name)
            if value is not None:
                state.indices[name] = value


@dataclass(frozen=True)
class Parallel(Statement):
    extents: tuple[tuple[str, int], ...]
    body: tuple[Statement, ...]

    def lines(self) -> Iterator[str]:
        names, sizes = zip(*self.extents, strict=True)
        yield f"for {', '.join(names)} in T.Parallel({', '.join(map(str, sizes))}):"
        yield from indented(self.body)

    def run(self, state: State) -> None:
        grids = np.ogrid[tuple(slice(size) for _, size in self.extents)]
        outside = dict(state.indices)
        state.indices |= dict(zip((name for name, _ in self.extents), grids, strict=True))
        state.indices["#mask"] = np.ones([size for _, size in self.extents], bool)
        run_all(self.body, state)
        state.indices = outside


@dataclass(frozen=True)
class Reduce(Statement):
    kind: str
    source: Memory
    dest: Memory
    dim: int
    clear: bool = True

    def lines(self) -> Iterator[str]:
        clear = "" if self.clear else ", clear=False"
        yield f"T.reduce_{self.kind}({self.source.name}, {self.dest.name}, dim={self.dim}{clear})"

    def run(self, state: State) -> None:
        found, target = state.memories[self.source.name], state.memories[self.dest.name]
        data, error = found.data, found.error
        if self.kind.startswith("abs"):
            lowest = not is_float(self.dest.dtype) and data.min(initial=0) == -(2**31)
            data, error = np.abs(data), np.full(data.shape, np.inf) if lowest else error
        with np.errstate(all="ignore"):
            result = self._result(data, error)
            if not self.clear:
                both = np.stack([target.data, result.data]), np.stack([target.error, result.error])
                result = self._combined(*both)
        if is_float(self.dest.dtype):
            result = settled(
                result.data, np.where(np.isnan(result.data), np.inf, result.error), self.dest.dtype
            )
        else:
            result = Value(stored(result.data, self.dest.dtype), result.error)
        target.data[...], target.error[...] = (
            result.data.reshape(self.dest.shape),
            result.error.reshape(self.dest.shape),
        )

    def _combined(self, data: Array, error: Array) -> Value:
        if self.kind.endswith("sum"):
            total = data.sum(0)
            spread = half_unit(np.abs(data).sum(0), "float32") * 2 if is_float(self.dest.dtype) else 0.0
            return Value(total, error.sum(0) + spread)
        return _extreme(self.kind, data, error, 0)

    def _result(self, data: Array, error: Array) -> Value:
        if not self.kind.endswith("sum"):
            return _extreme(self.kind, data, error, self.dim)
        total = data.sum(self.dim)
        if not is_float(self.dest.dtype):
            return Value(total, error.sum(self.dim))
        size = np.abs(np.where(np.isfinite(data), data, 0.0)).sum(self.dim)
        # The matrix unit adds rows and reads TF32; columns are added in float32 as well.
        spread = np.where(size > 0, size * 2.0**-10, 0.0)
        return Value(total, error.sum(self.dim) + spread)


def _extreme(kind: str, data: Array, error: Array, dim: int) -> Value:
    result = data.min(dim) if kind == "min" else data.max(dim)
    unsure = np.isnan(data).any(dim)
    return Value(np.where(unsure, 0, result), np.where(unsure, np.inf, error.max(dim)))


@dataclass(frozen=True)
class Cumsum(Statement):
    memory: Memory
    dim: int
    reverse: bool

    def lines(self) -> Iterator[str]:
        yield f"T.cumsum({self.memory.name}, dim={self.dim}, reverse={self.reverse})"

    def run(self, state: State) -> None:
        target = state.memories[self.memory.name]
        with np.errstate(all="ignore"):
            total, size, error = map(self._summed, (target.data, np.abs(target.data), target.error))
        if is_float(self.memory.dtype):
            unit = {"float32": 2.0**-20, "bfloat16": 2.0**-5, "float16": 2.0**-8}[self.memory.dtype]
            error = np.where(np.isfinite(total), error + size * unit, error)
            target.data[...], target.error[...] = stored(total, self.memory.dtype), error
        else:
            target.data[...], target.error[...] = stored(total, self.memory.dtype), error

    def _summed(self, values: Array) -> Array:
        if self.reverse:
            return np.flip(np.cumsum(np.flip(values, self.dim), self.dim), self.dim)
        return np.cumsum(values, self.dim)


@dataclass(frozen=True)
class Gemm(Statement):
    a: Memory
    b: Memory
    c: Memory
    transpose_a: bool
    transpose_b: bool

    def lines(self) -> Iterator[str]:
        flags = f"transpose_A={self.transpose_a}, transpose_B={self.transpose_b}"
        yield f"T.gemm({self.a.name}, {self.b.name}, {self.c.name}, {flags})"

    def run(self, state: State) -> None:
        a, b, c = (state.memories[one.name] for one in (self.a, self.b, self.c))
        x, ex = (a.data.T, a.error.T) if self.transpose_a else (a.data, a.error)
        y, ey = (b.data.T, b.error.T) if self.transpose_b else (b.data, b.error)
        with np.errstate(all="ignore"):
            total = c.data + x @ y
            if not is_float(self.c.dtype):
                c.data[...], c.error[...] = stored(total, self.c.dtype), c.error
                return
            size = np.abs(x) @ np.abs(y)
            # The matrix unit lines products up before it adds them (one), cuts both operands of float32 to
            # TF32 (two more), and one operand of float16 to ten of its eleven bits (one more).
            unit = {"bfloat16": 1, "float16": 2, "float32": 3}[self.a.dtype] * 2.0**-10
            error = c.error + ex @ np.abs(y) + np.abs(x) @ ey + ex @ ey + size * unit
        # The matrix unit has no NaN, and the order of additions decides what a sum is that may overflow.
        known = np.isfinite(total) & ~np.isnan(error) & (size <= largest("float32"))
        result = settled(total, np.where(known, error, np.inf), self.c.dtype)
        c.data[...], c.error[...] = result.data, result.error


@dataclass(frozen=True)
class For(Statement):
    """`count` is a number or an expression of values in tensors; `header` says which kind of loop."""

    variable: str
    count: Node
    body: tuple[Statement, ...]
    header: str = "T.serial({})"

    def lines(self) -> Iterator[str]:
        yield f"for {self.variable} in {self.header.format(self.count.text)}:"
        yield from indented(self.body)

    def run(self, state: State) -> None:
        for number in range(int(self.count.value(state.scope).data)):
            state.indices[self.variable] = np.asarray(number)
            run_all(self.body, state)


@dataclass(frozen=True)
class While(Statement):
    """A variable that counts up to a limit."""

    variable: str
    limit: Node
    body: tuple[Statement, ...]

    def lines(self) -> Iterator[str]:
        yield f"{self.variable} = T.alloc_var('int32')"
        yield f"{self.variable} = 0"
        yield f"while {self.variable} < {self.limit.text}:"
        yield from indented(self.body)
        yield f"{_TILE}{self.variable} = {self.variable} + 1"

    def run(self, state: State) -> None:
        for number in range(int(self.limit.value(state.scope).data)):
            state.indices[self.variable] = np.asarray(number)
            run_all(self.body, state)


def indented(statements: Sequence[Statement]) -> Iterator[str]:
    for statement in statements:
        yield from (f"{_TILE}{line}" for line in statement.lines())


def run_all(statements: Sequence[Statement], state: State) -> None:
    for statement in statements:
        statement.run(state)
