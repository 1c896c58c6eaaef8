"""How a template reads and writes its tensors: each is a matrix in memory, seen through strides.

A template works on blocks of an iteration space (b1, b2, m, n): two batch dimensions and a matrix. A tensor
of it lies in a matrix of `rows` x `columns` in memory. Where a block starts follows from offsets and strides
that come with the call, in tiles of 32 where the tensor is stored in tiles. So one compiled kernel serves
heads that lie side by side in columns, slices, and operands that are the same for the whole batch.
"""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import tilelang.language as T  # noqa: N812

from tilesmith.kernels.authoring import TILE, named, symbols
from tilesmith.kernels.macros import macro

Access = Literal["block", "rows", "turned", "turned_rows", "row", "column", "scalar"]

STRIDES = ("row", "row1", "row2", "col", "col1", "col2")
"""For each tensor NAME a kernel takes NAME_row (an offset), NAME_row1 and NAME_row2 (per b1 and b2), ..."""


@dataclass(frozen=True)
class Operand:
    """A tensor of a template.

    A `block` lies in tiles; `rows` are a block too, of a tensor that lies in rows. What is `turned` lies with
    its rows along columns, in tiles, and `turned_rows` in rows. A `row` has one value for each column of the
    block, a `column` one for each of its rows.
    """

    name: str
    access: Access = "block"
    dtype: str = "bfloat16"


class Bound:
    """An operand inside a kernel that is being written, with the numbers that say where its blocks start."""

    def __init__(self, operand: Operand) -> None:
        self.operand = operand
        self.shape = symbols(f"{operand.name}_rows", f"{operand.name}_cols")
        self.numbers = dict(zip(STRIDES, symbols(*(f"{operand.name}_{one}" for one in STRIDES)), strict=True))

    @property
    def declared(self) -> tuple[Sequence[Any], str]:
        return self.shape, self.operand.dtype

    def start(self, b1: Any, b2: Any, row: Any, col: Any) -> tuple[Any, Any]:
        """Where a block begins; `row` and `col` count tiles for blocks, elements for vectors."""
        n = self.numbers
        at_row = n["row"] + b1 * n["row1"] + b2 * n["row2"]
        at_col = n["col"] + b1 * n["col1"] + b2 * n["col2"]
        access = self.operand.access
        if access == "block":
            return (at_row + row) * TILE, (at_col + col) * TILE
        if access == "rows":
            return at_row + row * TILE, (at_col + col) * TILE
        if access == "turned":
            return (at_row + col) * TILE, (at_col + row) * TILE
        if access == "turned_rows":
            return at_row + col * TILE, (at_col + row) * TILE
        along = {"row": col, "column": row, "scalar": None}[access]
        return at_row, at_col if along is None else at_col + along * TILE

    def row_start(self, b1: Any, b2: Any, row: Any, col: Any = 0) -> tuple[Any, Any]:
        """Where one row begins, or a part of it; `row` and `col` count elements."""
        at_row, at_col = self.start(b1, b2, 0, 0)
        if self.operand.access in ("block", "rows"):
            return at_row + row, at_col + col
        return at_row, at_col + {"row": col, "column": row, "scalar": 0}[self.operand.access]

    def allocate(self, block: tuple[int, int]) -> Any:
        """Room in L1 for this operand's part of a block."""
        turned = block[::-1]
        shapes = {"block": block, "rows": block, "turned": turned, "turned_rows": turned}
        vectors = {"row": (block[1],), "column": (block[0],), "scalar": (1,)}
        shape = {**shapes, **vectors}[self.operand.access]
        return named(f"{self.operand.name}_here", T.alloc_shared(shape, self.operand.dtype))

    def element(self, held: Any, i: Any, j: Any) -> Any:
        """One element of what was loaded, as the body of a map reads it."""
        access = self.operand.access
        blocks = {"block": (i, j), "rows": (i, j), "turned": (j, i), "turned_rows": (j, i)}
        return held[{**blocks, "row": (j,), "column": (i,), "scalar": (0,)}[access]]


def sum_type(dtype: str) -> str:
    """What products of a dtype are added up in.

    >>> sum_type("int8"), sum_type("bfloat16")
    ('int32', 'float32')
    """
    return "int32" if dtype == "int8" else "float32"


@dataclass(frozen=True)
class InPlace:
    """An operand that is read where it lies: a GPU's caches do what L1 is filled for elsewhere."""

    tensor: Any
    at: tuple[Any, Any]

    def __getitem__(self, index: tuple[Any, ...]) -> Any:
        row, col = self.at
        if len(index) == 2:
            return self.tensor[row + index[0], col + index[1]]
        return self.tensor[row, col + index[0]]


@dataclass(frozen=True)
class Computed:
    """Elements that are computed where they are read."""

    value: Callable[[Any, Any], Any]

    def __getitem__(self, index: tuple[Any, Any]) -> Any:
        return self.value(*index)


def bind(operands: Sequence[Operand]) -> dict[str, Bound]:
    return {operand.name: Bound(operand) for operand in operands}


def declared(bound: Mapping[str, Bound]) -> dict[str, tuple[Sequence[Any], str]]:
    return {name: one.declared for name, one in bound.items()}


def numbers(bound: Mapping[str, Bound]) -> list[Any]:
    return [number for one in bound.values() for number in one.numbers.values()]


@macro
def load(tensor, at, here):  # type: ignore[no-untyped-def]
    """Bring an operand's part of a block to L1. Naming parts of `at` would rename the kernel's numbers."""
    T.copy(tensor[at[0], at[1]], here)


@macro
def save(bound, block, tensor, at, first, limits):  # type: ignore[no-untyped-def]
    """Store a block; of one in rows only what is within the matrix, since others lie behind it."""
    if bound.operand.access == "block":
        T.copy(block, tensor[at[0], at[1]])
    else:
        rounded = named(f"{bound.operand.name}_rounded", T.alloc_fragment(block.shape, bound.operand.dtype))
        T.copy(block, rounded)
        for i, j in T.Parallel(*block.shape):
            if (first[0] + i < limits[0]) & (first[1] + j < limits[1]):
                tensor[at[0] + i, at[1] + j] = rounded[i, j]
