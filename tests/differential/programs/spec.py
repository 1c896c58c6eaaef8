"""What a random kernel is: inputs, steps over buffers, outputs.

A kernel is cut into blocks of rows and columns ("blocks"), of whole rows ("rows") or of whole columns
("columns"); only where a block holds whole rows or columns does a reduction along them mean the same as on
the whole matrix, which is what torch computes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tests.differential.programs.expressions import Expression, Interval

Kind = Literal["block", "row", "column"]
"""A matrix, a vector over columns (one value per column, a row), a vector over rows."""


@dataclass(frozen=True)
class Buffer:
    """A buffer on the core; `source` names the global tensor it is loaded from, if any."""

    name: str
    kind: Kind
    dtype: str
    scope: str
    bounds: Interval
    source: str = ""


@dataclass(frozen=True)
class Gemm:
    """dest = A @ B, or += without `clear`, over blocks of K; A and B are tensors of their own."""

    dest: Buffer
    a: str
    b: str
    k: int
    block_k: int
    transpose_a: bool
    transpose_b: bool
    stages: int
    dtype: str
    clear: bool


@dataclass(frozen=True)
class Map:
    """dest[..] = expression, element by element, in a T.Parallel of dest's dimensions."""

    dest: Buffer
    expression: Expression


@dataclass(frozen=True)
class Reduce:
    dest: Buffer
    source: Buffer
    operation: str


@dataclass(frozen=True)
class Copy:
    dest: Buffer
    source: Buffer


@dataclass(frozen=True)
class Repeat:
    """The map, `count` times; it reads its own destination."""

    count: int
    body: Map


@dataclass(frozen=True)
class Where:
    """The map only in blocks of even index along an axis of the grid."""

    axis: Literal["bx", "by"]
    body: Map


Step = Gemm | Map | Reduce | Copy | Repeat | Where


@dataclass(frozen=True)
class Program:
    m: int
    n: int
    block_m: int
    block_n: int
    inputs: tuple[Buffer, ...]
    steps: tuple[Step, ...]
    outputs: tuple[Buffer, ...]

    def shape(self, kind: Kind) -> tuple[int, ...]:
        return {"block": (self.m, self.n), "row": (self.n,), "column": (self.m,)}[kind]

    def gemms(self) -> tuple[Gemm, ...]:
        return tuple(step for step in self.steps if isinstance(step, Gemm))
