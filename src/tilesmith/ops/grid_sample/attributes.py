"""What a call of grid_sample asks for, beside its tensors; and the shape of its problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from tilesmith.ops.memory import MemoryConfig
from tilesmith.program import ComputeConfig
from tilesmith.runtime import Tensor

MODES = ("bilinear", "nearest")
PADDING_MODES = ("zeros", "border", "reflection")


class GridKind(IntEnum):
    """What a row of the grid holds; kernels/grid.h has the same numbers."""

    BF16 = 0
    FP32 = 1
    PREPARED = 2


@dataclass(frozen=True)
class GridSampleAttributes:
    """The arguments of `grid_sample` that are not tensors."""

    mode: str = "bilinear"
    padding_mode: str = "zeros"
    align_corners: bool = False
    use_precomputed_grid: bool = False
    batch_output_channels: bool = False
    memory_config: MemoryConfig | None = None
    compute: ComputeConfig = ComputeConfig()

    @property
    def values_per_point(self) -> int:
        """Elements of the grid for each point: x and y, or what `prepare_grid_sample_grid` makes of them."""
        return 6 if self.use_precomputed_grid and self.mode == "bilinear" else 2


@dataclass(frozen=True)
class Problem:
    """The sizes of one call: images of `height` x `width` pixels, `sets` points in each row of the grid.

    >>> Problem(1, 8, 8, 32, 4, 5, 3, channels_join=True).output_shape
    (1, 4, 5, 96)
    """

    images: int
    height: int
    width: int
    channels: int
    grid_height: int
    grid_width: int
    sets: int
    channels_join: bool

    @staticmethod
    def of(attrs: GridSampleAttributes, inputs: Sequence[Tensor]) -> Problem:
        image, grid = inputs
        count, height, width, channels = image.shape
        _, grid_height, grid_width, values = grid.shape
        sets = values // attrs.values_per_point
        joined = attrs.batch_output_channels
        return Problem(count, height, width, channels, grid_height, grid_width, sets, joined)

    @property
    def rows_per_image(self) -> int:
        return self.grid_height * self.grid_width

    @property
    def rows(self) -> int:
        """Rows of the grid, over all images."""
        return self.images * self.rows_per_image

    @property
    def points(self) -> int:
        return self.rows * self.sets

    @property
    def sets_per_page(self) -> int:
        """Points whose channels stand in one page of the output."""
        return self.sets if self.channels_join else 1

    @property
    def output_rows_per_row(self) -> int:
        """Rows of the output for each row of the grid."""
        return 1 if self.channels_join else self.sets

    @property
    def output_shape(self) -> tuple[int, int, int, int]:
        width, channels = self.grid_width * self.output_rows_per_row, self.channels * self.sets_per_page
        return self.images, self.grid_height, width, channels
