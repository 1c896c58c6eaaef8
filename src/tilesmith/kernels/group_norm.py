"""Group norm of images: each group of channels is normalised over all pixels of an image, with an epilogue.

Images lie in rows: one row per pixel, its channels along columns. A block of columns holds whole groups. Sums
over pixels are taken channel by channel; a product with `same`, which has a part of one where two channels
are of one group, makes them means of groups, spread over the channels of each. Sums are of distances from
the mean of the first pixels: of values far from zero, squares would leave nothing for the variance.
"""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tilelang.language as T  # noqa: N812

from tilesmith.kernels import operands as op
from tilesmith.kernels.authoring import TILE, prim_func, symbols
from tilesmith.kernels.epilogue import Epilogue, store
from tilesmith.kernels.macros import macro
from tilesmith.kernels.operands import Operand
from tilesmith.kernels.reduce import reduce_sum


@dataclass(frozen=True)
class GroupNorm:
    """The epilogue sees the normalised image as acc0."""

    epilogue: Epilogue
    columns: int
    epsilon: float
    dtype: str = "bfloat16"
    x_access: op.Access = "rows"
    enlarged: float = 1.0
    """How many times the first pixels, a tile of them at most, there are."""

    @property
    def name(self) -> str:
        return "group_norm"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        inputs = (Operand("x", self.x_access, self.dtype), Operand("same", dtype="float32"))
        return (*inputs, *self.epilogue.operands)

    def prim_func(self) -> Any:
        bm, bn = TILE, self.columns
        n, images, area = symbols("n", "images", "area")
        bound = op.bind(self.tensors)

        @macro
        def block_of(tensors, bx, image):  # type: ignore[no-untyped-def]
            here = T.alloc_shared((bm, bn), self.dtype)
            same = T.alloc_shared((bn, bn), "float32")
            x = T.alloc_fragment((bm, bn), "float32")
            normed = T.alloc_fragment((bm, bn), "float32")
            spread = T.alloc_shared((bm, bn), "float32")
            mean = T.alloc_fragment((bm, bn), "float32")
            scale = T.alloc_fragment((bm, bn), "float32")
            part = T.alloc_fragment((bn,), "float32")
            total = T.alloc_fragment((bn,), "float32")
            squares = T.alloc_fragment((bn,), "float32")
            shift = T.alloc_fragment((bm, bn), "float32")
            T.copy(tensors["same"][0, 0], same)
            first = bound["x"].start(0, image, 0, bx * (bn // TILE))
            op.load(tensors["x"], first, here)
            for i, j in T.Parallel(bm, bn):
                x[i, j] = T.if_then_else(i < area, here[i, j].astype("float32"), T.float32(0))
            reduce_sum(x, part, dim=0)
            for i, j in T.Parallel(bm, bn):
                spread[i, j] = part[j]
            T.clear(shift)
            T.gemm(spread, same, shift)
            for i, j in T.Parallel(bm, bn):
                shift[i, j] = shift[i, j] * self.enlarged
            T.clear(total)
            T.clear(squares)
            for step in T.serial(T.ceildiv(area, bm)):
                at = bound["x"].start(0, image, step, bx * (bn // TILE))
                op.load(tensors["x"], at, here)
                for i, j in T.Parallel(bm, bn):
                    away = here[i, j].astype("float32") - shift[i, j]
                    x[i, j] = T.if_then_else(step * bm + i < area, away, T.float32(0))
                reduce_sum(x, part, dim=0)
                for j in T.Parallel(bn):
                    total[j] = total[j] + part[j]
                for i, j in T.Parallel(bm, bn):
                    x[i, j] = x[i, j] * x[i, j]
                reduce_sum(x, part, dim=0)
                for j in T.Parallel(bn):
                    squares[j] = squares[j] + part[j]
            for i, j in T.Parallel(bm, bn):
                spread[i, j] = total[j]
            T.clear(mean)
            T.gemm(spread, same, mean)
            for i, j in T.Parallel(bm, bn):
                spread[i, j] = squares[j]
            T.clear(scale)
            T.gemm(spread, same, scale)
            for i, j in T.Parallel(bm, bn):
                scale[i, j] = T.rsqrt(
                    T.max(scale[i, j] - mean[i, j] * mean[i, j], T.float32(0)) + self.epsilon
                )
            for i, j in T.Parallel(bm, bn):
                mean[i, j] = mean[i, j] + shift[i, j]
            for step in T.serial(T.ceildiv(area, bm)):
                at = bound["x"].start(0, image, step, bx * (bn // TILE))
                op.load(tensors["x"], at, here)
                for i, j in T.Parallel(bm, bn):
                    normed[i, j] = (here[i, j].astype("float32") - mean[i, j]) * scale[i, j]
                store(
                    self.epilogue,
                    bound,
                    tensors,
                    {"acc0": normed},
                    (bm, bn),
                    lambda one, step=step: one.start(0, image, step, bx * (bn // TILE)),
                    (step * bm, bx * bn),
                    (area, n),
                )

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(n, bn), images, threads=128) as (bx, image):
                block_of(tensors, bx, image)

        return prim_func(self.name, op.declared(bound), [n, images, area, *op.numbers(bound)], body)
