"""Winograd's convolutions of 3x3 windows: fewer products, for sums before and after them.

A tile of `size` x `size` results needs (size + 2)^2 products instead of 9 size^2: with F(2x2, 3x3) 16 instead
of 36, with F(4x4, 3x3) 36 instead of 144. Images are transformed along one dimension after the other: along
columns, along rows, then a product for each of the (size + 2)^2 places, then back, and into the image.
"""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import tilelang.language as T  # noqa: N812

from tilesmith.kernels import operands as op
from tilesmith.kernels.authoring import TILE, named, prim_func, symbols
from tilesmith.kernels.convolution import Window
from tilesmith.kernels.epilogue import Epilogue, store
from tilesmith.kernels.macros import macro
from tilesmith.kernels.operands import Operand

Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Sums:
    """Result k is the sum of `matrix[k][i]` times source i, block by block.

    Sources are pixels under tap i of a window, or blocks a stride apart. Results lie a stride apart too:
    x_row1 and y_row1 say how far from one to the next, x_row2 and y_row2 how far from batch to batch.
    """

    matrix: Matrix
    source: Literal["window", "blocks"]
    out_access: op.Access = "block"
    dtype: str = "bfloat16"
    out_dtype: str = "bfloat16"
    block: tuple[int, int] = (32, 64)

    @property
    def name(self) -> str:
        return f"winograd_{len(self.matrix)}_of_{len(self.matrix[0])}_{self.source}"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        access: op.Access = "rows" if self.source == "window" else "block"
        return Operand("x", access, self.dtype), Operand("y", self.out_access, self.out_dtype)

    def prim_func(self) -> Any:
        bm, bn = self.block
        m, n, nb1 = symbols("m", "n", "nb1")
        bound = op.bind(self.tensors)
        from_window = self.source == "window"
        window = Window(bound["x"]) if from_window else None
        taps = range(len(self.matrix[0]))

        @macro
        def sources(tensors, here, bx, by, bz):  # type: ignore[no-untyped-def]
            for tap, held in enumerate(here):
                if from_window:
                    _fetch_from(window, tensors["x"], bz, by * bm, tap, bx * bn, held)
                else:
                    at = bound["x"].start(tap, bz, by * (bm // TILE), bx * (bn // TILE))
                    op.load(tensors["x"], at, held)

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(n, bn), T.ceildiv(m, bm), nb1, threads=128) as (bx, by, bz):
                here = [named(f"source{tap}", T.alloc_shared((bm, bn), self.dtype)) for tap in taps]
                sources(tensors, here, bx, by, bz)
                for k, row in enumerate(self.matrix):
                    transformed = named(f"sum{k}", T.alloc_fragment((bm, bn), "float32"))
                    for i, j in T.Parallel(bm, bn):
                        transformed[i, j] = _sum(row, here, i, j)
                    at = bound["y"].start(k, bz, by * (bm // TILE), bx * (bn // TILE))
                    op.save(bound["y"], transformed, tensors["y"], at, (by * bm, bx * bn), (m, n))

        geometry = list(window.numbers.values()) if window is not None else []
        return prim_func(self.name, op.declared(bound), [m, n, nb1, *geometry, *op.numbers(bound)], body)


@macro
def _fetch_from(window, tensor, batch, first, tap, column, here):  # type: ignore[no-untyped-def]
    for i, j in T.Parallel(*here.shape):
        at = window.at(first + i, tap)
        row = at[1] + batch * window.image.numbers["row1"]
        here[i, j] = T.if_then_else(at[0], tensor[row, window.column(column) + j], 0)


def _sum(row: tuple[float, ...], here: list[Any], i: Any, j: Any) -> Any:
    """Factors of 1 and -1 need no product."""
    total: Any = None
    for factor, source in zip(row, here, strict=True):
        if factor == 0:
            continue
        value = source[i, j].astype("float32")
        if total is None:
            total = value if factor == 1 else value * T.float32(factor)
        elif abs(factor) == 1:
            total = total + value if factor == 1 else total - value
        else:
            total = total + value * T.float32(factor)
    return total


@dataclass(frozen=True)
class Assembly:
    """acc0 of pixel (y, x) is in row (y // size, x // size) of the matrix at (y % size, x % size).

    The matrices lie `apart` rows from each other, each with `tiles_h` x `tiles_w` rows for an image.
    """

    size: int
    epilogue: Epilogue
    dtype: str = "bfloat16"
    block: tuple[int, int] = (32, 64)

    @property
    def name(self) -> str:
        return f"winograd_assembly_{self.size}"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        return (Operand("x", "rows", self.dtype), *self.epilogue.operands)

    def prim_func(self) -> Any:
        (bm, bn), size = self.block, self.size
        m, n = symbols("m", "n")
        apart, tiles_h, tiles_w, out_area, out_width = symbols(
            "apart", "tiles_h", "tiles_w", "out_area", "out_width"
        )
        bound = op.bind(self.tensors)

        def row_of(out: Any) -> Any:
            y, x = out % out_area // out_width, out % out_area % out_width
            tile = out // out_area * (tiles_h * tiles_w) + y // size * tiles_w + x // size
            return (y % size * size + x % size) * apart + tile

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(n, bn), T.ceildiv(m, bm), threads=128) as (bx, by):
                here = T.alloc_shared((bm, bn), self.dtype)
                for i, j in T.Parallel(bm, bn):
                    inside = by * bm + i < m
                    here[i, j] = T.if_then_else(inside, tensors["x"][row_of(by * bm + i), bx * bn + j], 0)
                store(
                    self.epilogue,
                    bound,
                    tensors,
                    {"acc0": here},
                    self.block,
                    lambda one: one.start(0, 0, by * (bm // TILE), bx * (bn // TILE)),
                    (by * bm, bx * bn),
                    (m, n),
                )

        numbers = [m, n, apart, tiles_h, tiles_w, out_area, out_width, *op.numbers(bound)]
        return prim_func(self.name, op.declared(bound), numbers, body)
