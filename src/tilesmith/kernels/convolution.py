"""Convolution as an implicit product, and work on each channel under a window.

Images lie in rows: one row per pixel, its channels along columns. The pixels of a block under one tap of the
window are fetched row by row, with the channels of each in one go; a pixel beyond the border is zero.
"""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, Literal

import tilelang.language as T  # noqa: N812

from tilesmith.kernels import operands as op
from tilesmith.kernels.authoring import TILE, named, on_gpu, prim_func, symbols
from tilesmith.kernels.epilogue import Epilogue, store
from tilesmith.kernels.macros import macro
from tilesmith.kernels.operands import Operand

GEOMETRY = (
    *("height", "width", "area", "pitch", "step", "out_area", "out_width", "taps_w"),
    *("stride_h", "stride_w", "pad_h", "pad_w", "dil_h", "dil_w", "zoom_h", "zoom_w"),
)
"""The numbers of a window, all given with the call.

Images lie `area` rows apart, lines `pitch`, pixels `step`. Each pixel counts as `zoom_h` lines of `zoom_w`.
"""


class Window:
    """How the rows of the result and the taps of a window lead to rows of the image."""

    def __init__(self, image: op.Bound, clamped: bool = False, sparse: bool = False) -> None:
        self.numbers = dict(zip(GEOMETRY, symbols(*GEOMETRY), strict=True))
        self.image = image
        self.clamped = clamped
        self.sparse = sparse

    def at(self, out: Any, tap: Any) -> tuple[Any, Any]:
        """Whether there is a pixel under a tap, and its row.

        Clamped, it is that of the nearest tap that has one. Sparse, only the first place of a pixel has it.
        """
        n = self.numbers
        inner = out % n["out_area"]
        y = inner // n["out_width"] * n["stride_h"] + tap // n["taps_w"] * n["dil_h"] - n["pad_h"]
        x = inner % n["out_width"] * n["stride_w"] + tap % n["taps_w"] * n["dil_w"] - n["pad_w"]
        if self.clamped:
            y, x = _nearest(y, n["height"], n["dil_h"]), _nearest(x, n["width"], n["dil_w"])
        inside = (y >= 0) & (y < n["height"]) & (x >= 0) & (x < n["width"])
        if self.sparse:
            inside = inside & (y % n["zoom_h"] == 0) & (x % n["zoom_w"] == 0)
        row = self.image.numbers["row"] + out // n["out_area"] * n["area"]
        return inside, row + y // n["zoom_h"] * n["pitch"] + x // n["zoom_w"] * n["step"]

    def column(self, first: Any) -> Any:
        return self.image.numbers["col"] * TILE + first


def _nearest(place: Any, size: Any, dilation: Any) -> Any:
    """The place of the nearest tap that is inside, in steps from tap to tap."""
    up = T.ceildiv(T.max(0 - place, 0), dilation)
    down = T.ceildiv(T.max(place - size + 1, 0), dilation)
    return place + (up - down) * dilation


@macro
def _fetch(window, tensor, first, tap, column, here):  # type: ignore[no-untyped-def]
    for i, j in T.Parallel(*here.shape):
        at = window.at(first + i, tap)
        here[i, j] = T.if_then_else(at[0], tensor[at[1], window.column(column) + j], 0)


def _pixel(window: Window, tensor: Any, row: Any, tap: Any, column: Any) -> Any:
    inside, at = window.at(row, tap)
    return T.if_then_else(inside, tensor[at, window.column(column)], 0)


def _pixels_in_place(window: Window, tensor: Any, first: Any, tap: Any, column: Any) -> op.Computed:
    """The pixels of a block under one tap, read where they lie."""
    return op.Computed(lambda i, j: _pixel(window, tensor, first + i, tap, column + j))


@dataclass(frozen=True)
class Convolution:
    """acc0 = patches @ weight. The weight lies in tiles, `depth` rows per tap: the channels, padded.

    A sparse one sees zeros between the pixels, as transposed convolutions do.
    """

    epilogue: Epilogue
    block: tuple[int, int, int] = (64, 64, 64)
    dtype: str = "bfloat16"
    sparse: bool = False

    @property
    def name(self) -> str:
        return "convolution"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        return (Operand("x", "rows", self.dtype), Operand("w", dtype=self.dtype), *self.epilogue.operands)

    def prim_func(self) -> Any:
        bm, bn, bk = self.block
        m, n, depth, taps = symbols("m", "n", "depth", "taps")
        bound = op.bind(self.tensors)
        window = Window(bound["x"], sparse=self.sparse)

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(n, bn), T.ceildiv(m, bm), threads=128) as (bx, by):
                patches = T.alloc_shared((bm, bk), self.dtype)
                weight = T.alloc_shared((bk, bn), self.dtype)
                acc = T.alloc_fragment((bm, bn), op.sum_type(self.dtype))
                T.clear(acc)
                for tap in T.serial(taps):
                    for part in T.serial(T.ceildiv(depth, bk)):
                        _fetch(window, tensors["x"], by * bm, tap, part * bk, patches)
                        T.copy(tensors["w"][(tap * (depth // bk) + part) * bk, bx * bn], weight)
                        T.gemm(patches, weight, acc)
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

        numbers = [m, n, depth, taps, *window.numbers.values(), *op.numbers(bound)]
        return prim_func(self.name, op.declared(bound), numbers, body)


WindowOperation = Literal["depthwise", "diagonal", "max", "sum"]


def window_name(operation: WindowOperation) -> str:
    return "depthwise_window" if operation == "diagonal" else f"{operation}_window"


def window_weight(operation: WindowOperation, dtype: str) -> tuple[Operand, ...]:
    weights = {"depthwise": Operand("w", "row", dtype), "diagonal": Operand("w", "block", dtype)}
    return (weights[operation],) if operation in weights else ()


def weight_block(operation: WindowOperation, columns: int) -> tuple[tuple[int, ...], int]:
    """The shape of what a tap weighs the columns of a block with, and how many rows of the weight it is.

    >>> weight_block("diagonal", 32), weight_block("depthwise", 64)
    (((32, 32), 32), ((64,), 1))
    """
    if operation == "diagonal":
        return (TILE, columns), TILE
    return ((columns,), 1) if operation == "depthwise" else ((1,), 1)


@dataclass(frozen=True)
class Windowed:
    """Each channel by itself: a depthwise convolution, or the largest or the sum of what is under a window.

    The weight of a depthwise convolution has a row per tap and a column per channel. In the form "diagonal"
    it has a tile per tap and 32 channels, which lie on its diagonal, so that the matrix unit multiplies.
    """

    operation: WindowOperation
    epilogue: Epilogue
    block: tuple[int, int] = (32, 64)
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
        m, n, taps = symbols("m", "n", "taps")
        bound = op.bind(self.tensors)
        window = Window(bound["x"], clamped=self.operation == "max")
        combine = COMBINE[self.operation]
        shape, each = weight_block(self.operation, bn)

        @macro
        def copied(*place):  # type: ignore[no-untyped-def]
            pixels = T.alloc_shared((bm, bn), self.dtype)
            _fetch(*place, pixels)
            return pixels

        fetched = _pixels_in_place if on_gpu() else copied

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(n, bn), T.ceildiv(m, bm), threads=128) as (bx, by):
                acc = T.alloc_fragment((bm, bn), "float32")
                weights = named("weights", T.alloc_shared(shape, self.dtype))
                T.fill(acc, LEAST if self.operation == "max" else 0.0)
                for tap in T.serial(taps):
                    pixels = fetched(window, tensors["x"], by * bm, tap, bx * bn)
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

        numbers = [m, n, taps, *window.numbers.values(), *op.numbers(bound)]
        return prim_func(self.name, op.declared(bound), numbers, body)


LEAST = -inf


@macro
def _weigh(acc, pixels, weights, rows, columns):  # type: ignore[no-untyped-def]
    for i, j in T.Parallel(rows, columns):
        acc[i, j] = acc[i, j] + pixels[i, j].astype("float32") * weights[j].astype("float32")


@macro
def _multiply(acc, pixels, weights, rows, columns):  # type: ignore[no-untyped-def]
    T.gemm(pixels, weights, acc)


@macro
def _add(acc, pixels, _, rows, columns):  # type: ignore[no-untyped-def]
    for i, j in T.Parallel(rows, columns):
        acc[i, j] = acc[i, j] + pixels[i, j]


@macro
def _keep_largest(acc, pixels, _, rows, columns):  # type: ignore[no-untyped-def]
    for i, j in T.Parallel(rows, columns):
        acc[i, j] = T.max(acc[i, j], pixels[i, j])


COMBINE = {"depthwise": _weigh, "diagonal": _multiply, "sum": _add, "max": _keep_largest}
