"""Which pages of a tensor lie in one slice along a dimension."""

from __future__ import annotations

import math

from tilesmith.collectives.messages import Run
from tilesmith.errors import ProgramError
from tilesmith.runtime import Layout
from tilesmith.runtime.tensor_spec import TensorSpec


def normal_dim(spec: TensorSpec, dim: int) -> int:
    rank = len(spec.shape)
    if not -rank <= dim < rank:
        raise ProgramError(f"a tensor of shape {spec.shape} has no dimension {dim}")
    return dim % rank


def pages_behind(spec: TensorSpec, dim: int) -> int:
    """How many pages lie one behind the other along `dim` and the dimensions behind it."""
    if spec.layout is Layout.ROW_MAJOR:
        return math.prod(spec.shape[dim:-1])
    *outer, rows, columns = spec.padded_shape
    grid = (*outer, rows // spec.tile.rows, columns // spec.tile.cols)
    return math.prod(grid[dim:])


def placed(spec: TensorSpec, dim: int, count: int, index: int, alignment: int) -> Run:
    """Where its pages go in a tensor `count` times as long along `dim`, as the part with this index."""
    pages = spec.num_pages
    if spec.layout is Layout.ROW_MAJOR and dim == len(spec.shape) - 1:
        width = spec.page_size
        if width % alignment:
            raise ProgramError(
                f"rows of {width} bytes cannot be put side by side: DRAM is aligned to {alignment}",
                remedy="gather along another dimension, or pad the rows",
            )
        return Run(0, pages, pages, index * width)
    check_whole_tiles(spec, dim, spec.shape[dim])
    block = pages_behind(spec, dim)
    return Run(index * block, block, block * count)


def first_part(spec: TensorSpec, dim: int, count: int) -> Run:
    """The pages of the first of `count` equal parts along `dim`; the next lies `run` pages behind it."""
    size = spec.shape[dim]
    if size % count or (spec.layout is Layout.ROW_MAJOR and dim == len(spec.shape) - 1):
        raise ProgramError(
            f"{spec.shape} in {spec.layout.name} layout has no {count} equal parts along {dim}",
            remedy="choose a dimension that the number of chips divides",
        )
    check_whole_tiles(spec, dim, size // count)
    block = pages_behind(spec, dim)
    return Run(0, block // count, block)


def check_whole_tiles(spec: TensorSpec, dim: int, size: int) -> None:
    """Parts that begin inside a tile cannot be moved as pages."""
    from_end = len(spec.shape) - dim
    if spec.layout is Layout.ROW_MAJOR or from_end > 2:
        return
    edge = spec.tile.cols if from_end == 1 else spec.tile.rows
    if size % edge:
        raise ProgramError(
            f"parts of {size} along dimension {dim} of {spec.shape} begin inside a tile of {edge}",
            remedy="use ROW_MAJOR layout, another dimension, or a size that tiles divide",
        )
