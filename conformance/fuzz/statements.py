"""Statements of random kernels: each prints itself as lines of TileLang and does itself on numpy arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from conformance.fuzz.nodes import Node, Scope, converted
from conformance.fuzz.values import Array, Value, is_float, settled, stored

_TILE = "    "


@dataclass(frozen=True)
class Memory:
    """A tensor (`scope` "in", "out", "both"), a buffer ("shared", "fragment") or a scalar ("var")."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    scope: str

    @property
    def is_tensor(self) -> bool:
        return self.scope in ("in", "out", "both")

    @property
    def declaration(self) -> str:
        shape = "" if self.scope == "var" else f"{self.shape}, "
        return f"{self.name} = T.alloc_{self.scope}({shape}'{self.dtype}')"


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
    atomic: str = ""
    """"add", "max" or "min": what is done with the old value."""

    def lines(self) -> Iterator[str]:
        if self.atomic:
            yield f"T.atomic_{self.atomic}({self.dest.text}, {self.source.text})"
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
        if self.atomic:
            part = combined(self.atomic, target.at(there), part, self.dest.memory.dtype)
        target.data[there], target.error[there] = part.data, part.error


def combined(op: str, old: Value, new: Value, dtype: str) -> Value:
    """What an atomic update makes of two values."""
    with np.errstate(all="ignore"):
        if op == "add":
            error = old.error + new.error
            total = old.data + new.data
            return settled(total, error, dtype) if is_float(dtype) else Value(stored(total, dtype), error)
        result = (np.maximum if op == "max" else np.minimum)(old.data, new.data)
        # Which of a number and NaN is taken, or of two zeros, is nobody's promise.
        unsure = np.isnan(result) if is_float(dtype) else np.zeros(result.shape, bool)
        return Value(result, np.where(unsure, np.inf, np.maximum(old.error, new.error)))


@dataclass(frozen=True)
class Transpose(Statement):
    source: Memory
    dest: Memory

    def lines(self) -> Iterator[str]:
        yield f"T.transpose({self.source.name}, {self.dest.name})"

    def run(self, state: State) -> None:
        found = state.memories[self.source.name]
        moved = converted(Value(found.data.T, found.error.T), self.source.dtype, self.dest.dtype)
        target = state.memories[self.dest.name]
        target.data[...], target.error[...] = moved.data, moved.error


@dataclass(frozen=True)
class Assign(Statement):
    """A scalar variable gets a value."""

    memory: Memory
    value: Node

    def lines(self) -> Iterator[str]:
        yield f"{self.memory.name} = {self.value.text}"

    def run(self, state: State) -> None:
        value = converted(self.value.value(state.scope), self.value.dtype, self.memory.dtype)
        target = state.memories[self.memory.name]
        target.data[...], target.error[...] = value.data, value.error


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
    """One element; inside `Parallel` for every index at once. With `atomic` several may meet in one place."""

    memory: Memory
    at: tuple[Node, ...]
    value: Node
    atomic: str = ""

    def lines(self) -> Iterator[str]:
        place = f"{self.memory.name}[{', '.join(index.text for index in self.at)}]"
        yield (
            f"T.atomic_{self.atomic}({place}, {self.value.text})"
            if self.atomic
            else f"{place} = {self.value.text}"
        )

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
        data = np.broadcast_to(value.data, mask.shape)[inside]
        error = np.broadcast_to(value.error + unsure, mask.shape)[inside]
        if self.atomic:
            for number, one in enumerate(zip(*position, strict=True)):
                part = combined(
                    self.atomic, target.at(one), Value(data[number], error[number]), self.memory.dtype
                )
                target.data[one], target.error[one] = part.data, part.error
            return
        target.data[position], target.error[position] = data, error


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
        run_rounds(self.variable, int(self.count.value(state.scope).data), self.body, state)


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
        run_rounds(self.variable, int(self.limit.value(state.scope).data), self.body, state)


class Left(Exception):
    """Raised by a `break` or a `continue`, and caught by the loop around it."""

    def __init__(self, keyword: str) -> None:
        self.keyword = keyword


@dataclass(frozen=True)
class Leave(Statement):
    """A `break` or a `continue` of the loop around it, where a condition holds."""

    keyword: str
    condition: Node

    def lines(self) -> Iterator[str]:
        yield f"if {self.condition.text}:"
        yield f"{_TILE}{self.keyword}"

    def run(self, state: State) -> None:
        if self.condition.value(state.scope).data:
            raise Left(self.keyword)


def run_rounds(variable: str, count: int, body: Sequence[Statement], state: State) -> None:
    for number in range(count):
        state.indices[variable] = np.asarray(number)
        try:
            run_all(body, state)
        except Left as left:
            if left.keyword == "break":
                return


def indented(statements: Sequence[Statement]) -> Iterator[str]:
    for statement in statements:
        yield from (f"{_TILE}{line}" for line in statement.lines())


def run_all(statements: Sequence[Statement], state: State) -> None:
    for statement in statements:
        statement.run(state)
