"""Whole tiles moved to other places: no element changes its place within a tile."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from tilesmith.ops.building import OUT, data_movement_kernel, deal_out, page_writer, tile_buffer
from tilesmith.ops.rearrange.operation import Attributes
from tilesmith.program import Program
from tilesmith.runtime import Layout, Tensor

KERNELS = Path(__file__).parent / "kernels"
TILE = 32


class MoveTilesFactory:
    """Reads the tiles of the output where they are in the input."""

    @staticmethod
    def takes(attrs: Attributes, inputs: Sequence[Tensor]) -> bool:
        return tile_strides(attrs, inputs) is not None

    def create(self, attrs: Attributes, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Program:
        places = tile_strides(attrs, inputs)
        assert places is not None
        offset, strides = places
        extents = _in_tiles(outputs[0].shape)
        work = deal_out(outputs[0].device, outputs[0].num_pages)
        common = [offset, len(extents), *extents, *strides]
        read = data_movement_kernel(
            KERNELS / "read_tiles.cpp", work, inputs, compile_time=[OUT], common=common
        )
        buffer = tile_buffer(OUT, inputs[0].dtype, 2, work.cores)
        return Program([read, page_writer(work, outputs[0])], [buffer])


def tile_strides(attrs: Attributes, inputs: Sequence[Tensor]) -> tuple[int, list[int]] | None:
    """The first tile of the input and the distances between its tiles, along the output's axes; or None."""
    tensor = inputs[0]
    if not (tensor.layout is attrs.layout is Layout.TILE) or len(attrs.segments) != 1 or attrs.view:
        return None
    (segment,) = attrs.segments
    if segment.size != attrs.axes or len(attrs.shape) < 2 or len(tensor.shape) < 2:
        return None
    height, width = tensor.shape[-2:]
    rows, cols = attrs.shape[-2:]
    if attrs.fill and (rows % TILE or cols % TILE):
        return None  # padding has to be written
    matrix, inside = divmod(segment.offset, height * width) if height * width else (0, 0)
    top, left = divmod(inside, width) if width else (0, 0)
    keeps_tiles = (
        (segment.strides[-1] == 1 or cols == 1)
        and (segment.strides[-2] == width or rows == 1)
        and top % TILE == left % TILE == 0
        and top + rows <= height
        and left + cols <= width
        and all(stride % (height * width) == 0 for stride in segment.strides[:-2])
    )
    if not keeps_tiles:
        return None
    down, across = -(-height // TILE), -(-width // TILE)
    outer = [stride // (height * width) * down * across for stride in segment.strides[:-2]]
    return matrix * down * across + top // TILE * across + left // TILE, [*outer, across, 1]


def _in_tiles(shape: tuple[int, ...]) -> list[int]:
    *outer, height, width = shape
    return [*outer, math.ceil(height / TILE), math.ceil(width / TILE)]
