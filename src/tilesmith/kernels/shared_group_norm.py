"""Group norm of images by many cores: sums of parts of each image, then every part normalised by them.

The first kernel leaves a row of sums and one of squares for each part of an image, the second adds them up.
Both take distances from the mean of the first pixels, as `group_norm` does: of values far from zero, squares
would leave nothing for the variance. Channels become groups by a product with `into`, which has a one where a
channel is of a group, and groups become channels by one with `back`, which is `into` turned around.
"""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tilelang.language as T  # noqa: N812

from tilesmith.kernels import operands as op
from tilesmith.kernels.authoring import TILE, prim_func, symbols
from tilesmith.kernels.epilogue import Epilogue, loaded, store
from tilesmith.kernels.macros import macro
from tilesmith.kernels.operands import Operand
from tilesmith.kernels.reduce import reduce_sum


@dataclass(frozen=True)
class _OfGroups:
    """`columns` hold whole groups of `each` channels; `groups` is how many, in whole tiles as they are."""

    columns: int
    groups: int
    each: int
    dtype: str = "bfloat16"
    x_access: op.Access = "rows"

    @property
    def block(self) -> tuple[int, int]:
        return TILE, self.columns

    @property
    def inputs(self) -> tuple[Operand, ...]:
        constants = (Operand("into", dtype="float32"), Operand("back", dtype="float32"))
        return (Operand("x", self.x_access, self.dtype), *constants)


@dataclass(frozen=True)
class GroupSums(_OfGroups):
    """Sums and squares of each channel over `steps` times 32 pixels, for each part of each image."""

    @property
    def name(self) -> str:
        return "group_sums"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        return (*self.inputs, Operand("totals", "row", "float32"), Operand("squares", "row", "float32"))

    def prim_func(self) -> Any:
        bm, bn = self.block
        n, images, parts, steps = symbols("n", "images", "parts", "steps")
        bound = op.bind(self.tensors)

        @macro
        def block_of(tensors, bx, part, image):  # type: ignore[no-untyped-def]
            here = T.alloc_shared((bm, bn), self.dtype)
            away = T.alloc_fragment((bm, bn), "float32")
            total = T.alloc_fragment((bm, bn), "float32")
            square = T.alloc_fragment((bm, bn), "float32")
            shift = T.alloc_fragment((bm, bn), "float32")
            line = T.alloc_fragment((bn,), "float32")
            col = bx * (bn // TILE)
            _shift(tensors, bound, here, shift, bx, image, (self.each, self.groups))
            T.clear(total)
            T.clear(square)
            for step in T.serial(steps):
                op.load(tensors["x"], bound["x"].start(0, image, part * steps + step, col), here)
                for i, j in T.Parallel(bm, bn):
                    away[i, j] = here[i, j].astype("float32") - shift[i, j]
                for i, j in T.Parallel(bm, bn):
                    total[i, j] = total[i, j] + away[i, j]
                for i, j in T.Parallel(bm, bn):
                    square[i, j] = square[i, j] + away[i, j] * away[i, j]
            reduce_sum(total, line, dim=0)
            _keep(tensors["totals"], bound["totals"], line, part, parts, image, col)
            reduce_sum(square, line, dim=0)
            _keep(tensors["squares"], bound["squares"], line, part, parts, image, col)

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(n, bn), parts, images, threads=128) as (bx, part, image):
                block_of(tensors, bx, part, image)

        return prim_func(self.name, op.declared(bound), [n, images, parts, steps, *op.numbers(bound)], body)


@dataclass(frozen=True)
class SharedGroupNorm(_OfGroups):
    """The epilogue sees the normalised image as acc0. `area` is how many pixels an image has."""

    epilogue: Epilogue = Epilogue(())
    epsilon: float = 1e-5
    area: int = TILE

    @property
    def name(self) -> str:
        return "group_norm"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        sums = (Operand("totals", "rows", "float32"), Operand("squares", "rows", "float32"))
        return (*self.inputs, *sums, *self.epilogue.operands)

    def prim_func(self) -> Any:
        bm, bn = self.block
        n, images, parts, steps = symbols("n", "images", "parts", "steps")
        bound = op.bind(self.tensors)
        vectors = tuple(one for one in self.epilogue.reads if one.access in ("row", "scalar"))

        @macro
        def block_of(tensors, bx, part, image):  # type: ignore[no-untyped-def]
            here = T.alloc_shared((bm, bn), self.dtype)
            normed = T.alloc_fragment((bm, bn), "float32")
            shift = T.alloc_fragment((bm, bn), "float32")
            mean = T.alloc_fragment((bm, bn), "float32")
            scale = T.alloc_fragment((bm, bn), "float32")
            col = bx * (bn // TILE)
            _shift(tensors, bound, here, shift, bx, image, (self.each, self.groups))
            _statistics(tensors, bound, self, mean, scale, bx, image, parts)
            for i, j in T.Parallel(bm, bn):
                mean[i, j] = mean[i, j] + shift[i, j]
            early = loaded(vectors, bound, tensors, self.block, lambda one: one.start(0, image, 0, col))
            for step in T.serial(steps):
                op.load(tensors["x"], bound["x"].start(0, image, part * steps + step, col), here)
                for i, j in T.Parallel(bm, bn):
                    normed[i, j] = (here[i, j].astype("float32") - mean[i, j]) * scale[i, j]
                store(
                    self.epilogue,
                    bound,
                    tensors,
                    {"acc0": normed},
                    self.block,
                    lambda one, step=step: one.start(0, image, part * steps + step, col),
                    ((part * steps + step) * bm, bx * bn),
                    (self.area, n),
                    early=early,
                )

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(n, bn), parts, images, threads=128) as (bx, part, image):
                block_of(tensors, bx, part, image)

        return prim_func(self.name, op.declared(bound), [n, images, parts, steps, *op.numbers(bound)], body)


@macro
def _keep(tensor, bound, line, part, parts, image, col):  # type: ignore[no-untyped-def]
    """Store the row of a part, and again where no part has a row of its own: a tile of rows is read of it."""
    for turn in T.serial(T.ceildiv(TILE - part, parts)):
        T.copy(line, tensor[bound.start(image, part + turn * parts, 0, col)])


@macro
def _shift(tensors, bound, here, shift, bx, image, sizes):  # type: ignore[no-untyped-def]
    """The mean of each group over the first pixels, a tile of them, spread over its channels."""
    (bm, bn), (each, bg) = here.shape, sizes
    into = T.alloc_shared((bn, bg), "float32")
    back = T.alloc_shared((bg, bn), "float32")
    wide = T.alloc_shared((bm, bn), "float32")
    spread = T.alloc_shared((bm, bg), "float32")
    first = T.alloc_fragment((bm, bn), "float32")
    of_group = T.alloc_fragment((bm, bg), "float32")
    line = T.alloc_fragment((bn,), "float32")
    T.copy(tensors["into"][0, 0], into)
    T.copy(tensors["back"][0, 0], back)
    op.load(tensors["x"], bound["x"].start(0, image, 0, bx * (bn // TILE)), here)
    for i, j in T.Parallel(bm, bn):
        first[i, j] = here[i, j].astype("float32")
    reduce_sum(first, line, dim=0)
    for i, j in T.Parallel(bm, bn):
        wide[i, j] = line[j]
    T.clear(of_group)
    T.gemm(wide, into, of_group)
    for i, j in T.Parallel(bm, bg):
        spread[i, j] = of_group[i, j] * (1.0 / (each * bm))
    T.clear(shift)
    T.gemm(spread, back, shift)


@macro
def _statistics(tensors, bound, template, mean, scale, bx, image, parts):  # type: ignore[no-untyped-def]
    """Mean of the distances, and what they are multiplied by, of each group, spread over its channels."""
    (bm, bn), bg = mean.shape, template.groups
    into = T.alloc_shared((bn, bg), "float32")
    back = T.alloc_shared((bg, bn), "float32")
    sums = T.alloc_shared((bm, bn), "float32")
    wide = T.alloc_shared((bm, bn), "float32")
    spread = T.alloc_shared((bm, bg), "float32")
    of_group = T.alloc_fragment((bm, bg), "float32")
    average = T.alloc_fragment((bg,), "float32")
    factor = T.alloc_fragment((bg,), "float32")
    T.copy(tensors["into"][0, 0], into)
    T.copy(tensors["back"][0, 0], back)
    op.load(tensors["totals"], bound["totals"].start(0, image, 0, bx * (bn // TILE)), sums)
    for i, j in T.Parallel(bm, bn):
        wide[i, j] = T.if_then_else(i < parts, sums[i, j], T.float32(0))
    T.clear(of_group)
    T.gemm(wide, into, of_group)
    reduce_sum(of_group, average, dim=0)
    op.load(tensors["squares"], bound["squares"].start(0, image, 0, bx * (bn // TILE)), sums)
    for i, j in T.Parallel(bm, bn):
        wide[i, j] = T.if_then_else(i < parts, sums[i, j], T.float32(0))
    T.clear(of_group)
    T.gemm(wide, into, of_group)
    reduce_sum(of_group, factor, dim=0)
    part = 1.0 / (template.each * template.area)
    for j in T.Parallel(bg):
        average[j] = average[j] * part
    for j in T.Parallel(bg):
        factor[j] = T.rsqrt(
            T.max(factor[j] * part - average[j] * average[j], T.float32(0)) + template.epsilon
        )
    for i, j in T.Parallel(bm, bg):
        spread[i, j] = average[j]
    T.clear(mean)
    T.gemm(spread, back, mean)
    for i, j in T.Parallel(bm, bg):
        spread[i, j] = factor[j]
    T.clear(scale)
    T.gemm(spread, back, scale)
