"""Statements in which elements of a buffer meet: reductions, running sums, products of matrices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from conformance.fuzz.matrix_unit import product
from conformance.fuzz.statements import Memory, State, Statement
from conformance.fuzz.values import Array, Value, half_unit, is_float, largest, settled, stored

_BITS = {"bitand": np.bitwise_and, "bitor": np.bitwise_or, "bitxor": np.bitwise_xor}


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
            # What an integer has no positive counterpart of may become anything.
            if self.dest.dtype.startswith("int"):
                error = np.where(data == np.iinfo(self.dest.dtype).min, np.inf, error)
            data = np.abs(data)
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
        if self.kind in _BITS:
            return Value(_BITS[self.kind].reduce(data, axis=0), error.max(0))
        if self.kind.endswith("sum"):
            total = data.sum(0)
            spread = half_unit(np.abs(data).sum(0), "float32") * 2 if is_float(self.dest.dtype) else 0.0
            return Value(total, error.sum(0) + spread)
        return _extreme(self.kind, data, error, 0)

    def _result(self, data: Array, error: Array) -> Value:
        if self.kind in _BITS:
            return Value(_BITS[self.kind].reduce(data, axis=self.dim), error.max(self.dim))
        if not self.kind.endswith("sum"):
            return _extreme(self.kind, data, error, self.dim)
        total = data.sum(self.dim)
        if not is_float(self.dest.dtype):
            return Value(total, error.sum(self.dim))
        size = np.abs(np.where(np.isfinite(data), data, 0.0)).sum(self.dim)
        # The vector unit adds tiles, then lanes, in float32: fewer than 64 additions one after another.
        # A part of a sum may be beyond the largest number, whatever the whole is.
        spread = np.where(size < 2.0**127, size * 2.0**-18, np.inf)
        return Value(total, error.sum(self.dim) + spread)


def _extreme(kind: str, data: Array, error: Array, dim: int) -> Value:
    result = data.min(dim) if kind == "min" else data.max(dim)
    unsure = np.isnan(data).any(dim)
    return Value(np.where(unsure, 0, result), np.where(unsure, np.inf, error.max(dim)))


@dataclass(frozen=True)
class Scan(Statement):
    """A running sum, or with `kind` "max" a running maximum."""

    memory: Memory
    dim: int
    reverse: bool
    kind: str = "sum"

    def lines(self) -> Iterator[str]:
        yield f"T.cum{self.kind}({self.memory.name}, dim={self.dim}, reverse={self.reverse})"

    def run(self, state: State) -> None:
        """One element after another, each sum rounded: scalar code on a core that adds as IEEE has it."""
        target = state.memories[self.memory.name]
        lines = np.moveaxis(
            target.data, self.dim, 0
        )  # a view: what is written there is written in the memory
        errors = np.moveaxis(target.error, self.dim, 0)
        order = range(len(lines))[:: -1 if self.reverse else 1]
        with np.errstate(all="ignore"):
            for before, here in pairwise(order):
                if self.kind == "max":
                    found = Value(
                        np.stack([lines[before], lines[here]]), np.stack([errors[before], errors[here]])
                    )
                    made = _extreme("max", found.data, found.error, 0)
                    lines[here], errors[here] = made.data, made.error
                    continue
                total = lines[before] + lines[here]
                unsure = errors[before] + errors[here]
                lines[here] = stored(total, self.memory.dtype)
                if is_float(self.memory.dtype):
                    unsure = settled(total, unsure, self.memory.dtype).error
                    exact = (errors[before] + errors[here]) == 0
                    unsure = np.where(exact & np.isfinite(unsure), 0.0, unsure)
                errors[here] = np.where(np.isnan(unsure), np.inf, unsure)


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
        if not is_float(self.c.dtype):
            c.data[...] = stored(c.data + x @ y, self.c.dtype)
            return
        known = self._known(x, y)
        with np.errstate(all="ignore"):
            made = product(Value(x, ex), Value(y, ey), self.a.dtype)
            total = c.data + made.data
            last = np.where(c.data == 0, 0.0, half_unit(np.abs(c.data) + np.abs(made.data), "float32"))
            error = np.where(known & np.isfinite(total), c.error + made.error + last, np.inf)
        result = settled(total, error, self.c.dtype)
        c.data[...], c.error[...] = result.data, result.error

    def _known(self, x: Array, y: Array) -> Array:
        """The unit has no NaN, and the order of additions decides what a sum is that may overflow."""
        with np.errstate(all="ignore"):
            size = np.abs(x) @ np.abs(y)
        known: Array = np.isfinite(size) & (size <= largest("float32") / 2)
        return known
