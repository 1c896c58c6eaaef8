"""grid_sample: sampling an image at the points of a grid, nearest or bilinear."""

from tilesmith.ops.grid_sample.api import grid_sample, prepare_grid_sample_grid
from tilesmith.ops.grid_sample.reference import golden_grid_sample, golden_prepare_grid_sample_grid

__all__ = [
    "golden_grid_sample",
    "golden_prepare_grid_sample_grid",
    "grid_sample",
    "prepare_grid_sample_grid",
]
