"""Convolution as an implicit product, and work on each channel under a window.

Images lie in rows: one row per pixel, its channels along columns. Rows of pixels are `pitch` apart and images
`area` apart, and what is left between them holds zeros. So a pixel beyond a border reads zero: the row before
the first of a line is in the gap behind the line before it. With a stride of 1 the pixels of a block under
one tap are then one run of rows, whatever the border; otherwise they are fetched one by one.
"""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import tilelang.language as T  # noqa: N812

from tilesmith.kernels import operands as op
from tilesmith.kernels.authoring import TILE, named, prim_func, symbols
from tilesmith.kernels.epilogue import Epilogue, store
from tilesmith.kernels.operands import Operand

GEOMETRY = (
    *("height", "width", "pitch", "area", "out_pitch", "out_area"),
    *("stride_h", "stride_w", "pad_h", "pad_w", "dil_h", "dil_w", "taps_w"),
)
"""The numbers of a window, all given with the call."""


class Window:
    """How the rows of the result and the taps of a window lead to rows of the image."""

    def __init__(self, image: op.Bound) -> None:
        self.numbers = dict(zip(GEOMETRY, symbols(*GEOMETRY), strict=True))
        self.beyond = image.shape[0]

    def row(self, out: Any, tap: Any) -> Any:
        """The row of the image under a tap; one past the end, which reads zero, beyond the border."""
        n = self.numbers
        y = (
            out % n["out_area"] // n["out_pitch"] * n["stride_h"]
            + tap // n["taps_w"] * n["dil_h"]
            - n["pad_h"]
        )
        x = out % n["out_pitch"] * n["stride_w"] + tap % n["taps_w"] * n["dil_w"] - n["pad_w"]
        inside = (y >= 0) & (y < n["height"]) & (x >= 0) & (x < n["width"])
        return T.if_then_else(inside, out // n["out_area"] * n["area"] + y * n["pitch"] + x, self.beyond)

    def run(self, out: Any, tap: Any) -> Any:
        """Where the run of rows under a tap begins."""
        n = self.numbers
        y = tap // n["taps_w"] * n["dil_h"] - n["pad_h"]
        return out + y * n["pitch"] + tap % n["taps_w"] * n["dil_w"] - n["pad_w"]


@T.macro
def _fetch(window, tensor, first, tap, column, here, rows, runs):  # type: ignore[no-untyped-def]
    if runs:
        T.copy(tensor[window.run(first, tap), column], here)
    else:
        for i in T.serial(rows):
            T.copy(tensor[window.row(first + i, tap), column], here[i, :])


@dataclass(frozen=True)
class Convolution:
    """acc0 = patches @ weight. The weight lies in tiles, `depth` rows per tap: the channels, padded."""

    epilogue: Epilogue
    runs: bool
    block: tuple[int, int, int] = (64, 64, 64)
    dtype: str = "bfloat16"

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
        window = Window(bound["x"])

        @T.macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(n, bn), T.ceildiv(m, bm), threads=128) as (bx, by):
                patches = T.alloc_shared((bm, bk), self.dtype)
                weight = T.alloc_shared((bk, bn), self.dtype)
                acc = T.alloc_fragment((bm, bn), "float32")
                T.clear(acc)
                for tap in T.serial(taps):
                    for part in T.serial(T.ceildiv(depth, bk)):
                        _fetch(window, tensors["x"], by * bm, tap, part * bk, patches, bm, self.runs)
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


@dataclass(frozen=True)
class Windowed:
    """Each channel by itself: a depthwise convolution, or the largest or the sum of what is under a window.

    The weight of a depthwise convolution has a row per tap and a column per channel. A maximum starts from
    `least`, and counts pixels beyond the border as zeros: that is right where nothing is below zero.
    """

    kind: Literal["depthwise", "max", "sum"]
    epilogue: Epilogue
    runs: bool
    block: tuple[int, int] = (32, 64)
    dtype: str = "bfloat16"

    @property
    def name(self) -> str:
        return f"{self.kind}_window"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        weight = (Operand("w", "row", self.dtype),) if self.kind == "depthwise" else ()
        inside = (Operand("there", "rows", self.dtype),) if self.kind == "max" else ()
        return (Operand("x", "rows", self.dtype), *weight, *inside, *self.epilogue.operands)

    def prim_func(self) -> Any:
        bm, bn = self.block
        m, n, taps = symbols("m", "n", "taps")
        bound = op.bind(self.tensors)
        window = Window(bound["x"])
        combine = _COMBINE[self.kind]
        beside = {"depthwise": (bn,), "max": (bm, 1), "sum": (1,)}[self.kind]

        @T.macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(n, bn), T.ceildiv(m, bm), threads=128) as (bx, by):
                pixels = T.alloc_shared((bm, bn), self.dtype)
                other = named("other", T.alloc_shared(beside, self.dtype))
                acc = T.alloc_fragment((bm, bn), "float32")
                T.fill(acc, _LEAST if self.kind == "max" else 0.0)
                for tap in T.serial(taps):
                    _fetch(window, tensors["x"], by * bm, tap, bx * bn, pixels, bm, self.runs)
                    if self.kind == "depthwise":
                        T.copy(tensors["w"][tap, bx * bn], other)
                    elif self.kind == "max":
                        _fetch(window, tensors["there"], by * bm, tap, 0, other, bm, self.runs)
                    combine(acc, pixels, other, bm, bn)
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


# Below every value a pixel has.
_LEAST = -3e38


@T.macro
def _weigh(acc, pixels, weights, rows, columns):  # type: ignore[no-untyped-def]
    for i, j in T.Parallel(rows, columns):
        acc[i, j] = acc[i, j] + pixels[i, j] * weights[j]


@T.macro
def _add(acc, pixels, other, rows, columns):  # type: ignore[no-untyped-def]
    for i, j in T.Parallel(rows, columns):
        acc[i, j] = acc[i, j] + pixels[i, j]


@T.macro
def _keep_largest(acc, pixels, inside, rows, columns):  # type: ignore[no-untyped-def]
    for i, j in T.Parallel(rows, columns):
        acc[i, j] = T.max(acc[i, j], T.if_then_else(inside[i, 0] > 0, pixels[i, j], _LEAST))


_COMBINE = {"depthwise": _weigh, "sum": _add, "max": _keep_largest}
