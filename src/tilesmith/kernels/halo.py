"""Windows over images that lie in tiles: the pixels a block needs come to L1 once, with those around it.

Each core holds the rows of its block and the halo of the window. The pixels under a tap are copied within L1:
where windows move by one pixel, those of a block lie one behind the other under every tap, so that a copy
takes up to sixteen of them at once.
"""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tilelang.language as T  # noqa: N812

from tilesmith.kernels import operands as op
from tilesmith.kernels.authoring import TILE, named, prim_func, symbols
from tilesmith.kernels.convolution import (
    COMBINE,
    LEAST,
    Window,
    WindowOperation,
    weight_block,
    window_name,
    window_weight,
)
from tilesmith.kernels.epilogue import Epilogue, store
from tilesmith.kernels.macros import macro
from tilesmith.kernels.operands import Operand


@dataclass(frozen=True)
class Halo:
    """The rows of an image that a block needs: so many tiles, from so many before its own first row.

    `shifts`: the rows under a tap are those of the block, moved. Otherwise `before` is not used, and the
    first row is that under the first tap of the block's first window.
    """

    tiles: int
    before: int
    shifts: bool


@dataclass(frozen=True)
class Cores:
    """`columns` x `rows` cores; `wide` of them side by side have different columns of the result.

    Each has `turns` blocks of rows, one behind the other.
    """

    columns: int
    rows: int
    wide: int
    turns: int


class HaloWindow(Window):
    """A window whose pixels are found in what a core holds."""

    def __init__(self, image: op.Bound, halo: Halo, clamped: bool = False) -> None:
        super().__init__(image, clamped)
        self.halo = halo

    def first_tile(self, first: Any) -> Any:
        """The first tile of rows that the block with this first row needs."""
        if self.halo.shifts:
            return first // TILE - self.halo.before
        n = self.numbers
        inner = first % n["out_area"]
        line = inner // n["out_width"] * n["stride_h"] - n["pad_h"]
        pixel = inner % n["out_width"] * n["stride_w"] - n["pad_w"]
        return T.max(first // n["out_area"] * n["area"] + line * n["pitch"] + pixel, 0) // TILE

    def held(self, first: Any, line: Any, tap: Any) -> tuple[Any, Any]:
        """Whether there is a pixel under a tap, and its row among those that are held."""
        inside, row = self.at(first + line, tap)
        if not self.halo.shifts:
            return inside, row - self.first_tile(first) * TILE
        n = self.numbers
        down = tap // n["taps_w"] * n["dil_h"] - n["pad_h"]
        across = tap % n["taps_w"] * n["dil_w"] - n["pad_w"]
        return inside, down * n["width"] + across + self.halo.before * TILE + line


@macro
def load_halo(window, tensor, first, column, halo):  # type: ignore[no-untyped-def]
    T.copy(tensor[window.first_tile(first) * TILE, window.column(column)], halo)


@macro
def fetch(window, halo, first, tap, column, here):  # type: ignore[no-untyped-def]
    for i, j in T.Parallel(*here.shape):
        at = window.held(first, i, tap)
        here[i, j] = T.if_then_else(at[0], halo[at[1], column + j], 0)


@dataclass(frozen=True)
class HaloConvolution:
    """acc0 = patches @ weight, as `Convolution`, of an image in tiles. `depth` channels, padded."""

    epilogue: Epilogue
    block: tuple[int, int, int]
    mesh: Cores
    halo: Halo
    depth: int
    taps: int
    dtype: str = "bfloat16"
    together: int = 1
    """How many steps the matrix unit adds up before the sum goes to L1."""
    channels: int = 0
    """How many are held at a time; with 0 all of them. All taps of some come before those of the next."""

    @property
    def loads_each_step(self) -> bool:
        """With one tap each part of the channels is used once, and comes when it is."""
        return self.taps == 1 and self.together == 1

    @property
    def held(self) -> int:
        """How many channels of the pixels a core holds at a time."""
        return self.block[2] if self.loads_each_step else self.channels or self.depth

    @property
    def name(self) -> str:
        return "convolution"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        return (Operand("x", "rows", self.dtype), Operand("w", dtype=self.dtype), *self.epilogue.operands)

    def prim_func(self) -> Any:
        bm, bn, bk = self.block
        m, n = symbols("m", "n")
        bound = op.bind(self.tensors)
        window = HaloWindow(bound["x"], self.halo)
        mesh, parts = self.mesh, self.held // bk
        each = mesh.columns // mesh.wide
        group = tuple(range(self.together))
        each_step, turns = self.loads_each_step, self.taps * parts // self.together

        @macro
        def taps_of(tensors, halo, patches, weight, acc, bx, by, start):  # type: ignore[no-untyped-def]
            load_halo(window, tensors["x"], by * bm, start, halo)
            for turn in T.Pipelined(turns, num_stages=2):
                for i in group:
                    step = turn * len(group) + i
                    fetch(window, halo, by * bm, step // parts, step % parts * bk, patches[i])
                    row = step // parts * self.depth + start + step % parts * bk
                    T.copy(tensors["w"][row, bx * bn], weight[i])
                for i in group:
                    T.gemm(patches[i], weight[i], acc)

        @macro
        def block_of(tensors, bx, by):  # type: ignore[no-untyped-def]
            halo = T.alloc_shared((self.halo.tiles * TILE, self.held), self.dtype)
            patches = [named(f"patches{i}", T.alloc_shared((bm, bk), self.dtype)) for i in group]
            weight = [named(f"weight{i}", T.alloc_shared((bk, bn), self.dtype)) for i in group]
            acc = T.alloc_fragment((bm, bn), op.sum_type(self.dtype))
            T.clear(acc)
            if each_step:
                for step in T.Pipelined(self.depth // bk, num_stages=2):
                    load_halo(window, tensors["x"], by * bm, step * bk, halo)
                    fetch(window, halo, by * bm, 0, 0, patches[0])
                    T.copy(tensors["w"][step * bk, bx * bn], weight[0])
                    T.gemm(patches[0], weight[0], acc)
            elif self.held == self.depth:
                taps_of(tensors, halo, patches, weight, acc, bx, by, 0)
            else:
                for part in T.serial(self.depth // self.held):
                    taps_of(tensors, halo, patches, weight, acc, bx, by, part * self.held)
            store(
                self.epilogue,
                bound,
                tensors,
                {"acc0": acc},
                (bm, bn),
                lambda one: one.start(0, 0, by * (bm // TILE), bx * (bn // TILE)),
                (by * bm, bx * bn),
                (m, n),
            )

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(mesh.columns, mesh.rows, threads=128) as (x, y):
                for turn in T.serial(mesh.turns):
                    along = y * each + x % each if each > 1 else y
                    block_of(tensors, x // each if mesh.wide > 1 else 0, along * mesh.turns + turn)

        numbers = [m, n, *window.numbers.values(), *op.numbers(bound)]
        return prim_func(self.name, op.declared(bound), numbers, body)


@dataclass(frozen=True)
class HaloWindowed:
    """Each channel by itself, as `Windowed`, of an image in tiles."""

    operation: WindowOperation
    epilogue: Epilogue
    block: tuple[int, int]
    halo: Halo
    taps: int
    dtype: str = "bfloat16"

    @property
    def name(self) -> str:
        return window_name(self.operation)

    @property
    def tensors(self) -> tuple[Operand, ...]:
        return (
            Operand("x", "rows", self.dtype),
            *window_weight(self.operation, self.dtype),
            *self.epilogue.operands,
        )

    def prim_func(self) -> Any:
        bm, bn = self.block
        m, n = symbols("m", "n")
        bound = op.bind(self.tensors)
        window = HaloWindow(bound["x"], self.halo, clamped=self.operation == "max")
        combine = COMBINE[self.operation]
        shape, each = weight_block(self.operation, bn)

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(n, bn), T.ceildiv(m, bm), threads=128) as (bx, by):
                halo = T.alloc_shared((self.halo.tiles * TILE, bn), self.dtype)
                pixels = T.alloc_shared((bm, bn), self.dtype)
                acc = T.alloc_fragment((bm, bn), "float32")
                weights = named("weights", T.alloc_shared(shape, self.dtype))
                load_halo(window, tensors["x"], by * bm, bx * bn, halo)
                T.fill(acc, LEAST if self.operation == "max" else 0.0)
                for tap in T.Pipelined(self.taps, num_stages=2):
                    fetch(window, halo, by * bm, tap, 0, pixels)
                    if "w" in tensors:
                        T.copy(tensors["w"][tap * each, bx * bn], weights)
                    combine(acc, pixels, weights, bm, bn)
                store(
                    self.epilogue,
                    bound,
                    tensors,
                    {"acc0": acc},
                    self.block,
                    lambda one: one.start(0, 0, by * (bm // TILE), bx * (bn // TILE)),
                    (by * bm, bx * bn),
                    (m, n),
                )

        numbers = [m, n, *window.numbers.values(), *op.numbers(bound)]
        return prim_func(self.name, op.declared(bound), numbers, body)
