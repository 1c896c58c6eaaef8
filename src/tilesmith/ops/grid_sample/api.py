"""The functions a user calls: grid_sample and prepare_grid_sample_grid, with ttnn's signatures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tilesmith.formats import DataFormat
from tilesmith.ops.checks import fatal
from tilesmith.ops.compute_config import ComputeKernelConfig
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.framework import launch, register
from tilesmith.ops.grid_sample.attributes import MODES, PADDING_MODES, GridSampleAttributes
from tilesmith.ops.grid_sample.operation import GRID_SAMPLE
from tilesmith.ops.grid_sample.prepare import prepared_points
from tilesmith.ops.grid_sample.reference import golden_grid_sample, golden_prepare_grid_sample_grid
from tilesmith.ops.host import HostTensor
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout
from tilesmith.runtime.tensor_spec import TensorSpec

_MOST_PIXELS = 1 << 15


def grid_sample(
    input_tensor: Tensor,
    grid: Tensor,
    *,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = False,
    use_precomputed_grid: bool = False,
    batch_output_channels: bool = False,
    memory_config: MemoryConfig | None = None,
    compute_kernel_config: ComputeKernelConfig | None = None,
) -> Tensor:
    """Sample an image at the points of a grid, as torch.nn.functional.grid_sample, with channels last.

    `input_tensor` is (N, H, W, C), row major, bfloat16 or float32, C a multiple of 32. `grid` is
    (N, Hg, Wg, 2 K): K pairs of x and y from -1 to 1 in each row, or what `prepare_grid_sample_grid` makes of
    them (then `use_precomputed_grid=True`). The result is (N, Hg, Wg K, C), or (N, Hg, Wg, C K) with
    `batch_output_channels`.

    `mode` is "bilinear" or "nearest", `padding_mode` "zeros", "border" or "reflection". The result lies where
    the grid lies unless `memory_config` says otherwise; a sharded grid, and "nearest", give height shards.
    """
    attrs = GridSampleAttributes(
        mode=mode,
        padding_mode=padding_mode,
        align_corners=align_corners,
        use_precomputed_grid=use_precomputed_grid,
        batch_output_channels=batch_output_channels,
        memory_config=memory_config,
        compute=(compute_kernel_config or ComputeKernelConfig()).config(()),
    )
    (output,) = launch(GRID_SAMPLE, attrs, [input_tensor, grid])
    return output


def prepare_grid_sample_grid(
    grid: Tensor,
    input_shape: Sequence[int],
    *,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = False,
    output_dtype: DataType | None = None,
) -> Tensor:
    """Turn coordinates into pixel numbers and shares on the host, for grids that are used more than once.

    `grid` is a float32 host tensor (N, Hg, Wg, 2), `input_shape` the image's (N, H, W, C). The result is a
    bfloat16 host tensor with 2 values for each point ("nearest") or 6 ("bilinear"); the pixel numbers in it
    are 16-bit integers.
    """
    fatal(grid.on_device is None, "Grid tensor must be on host")
    fatal(grid.layout is Layout.ROW_MAJOR, "Grid tensor must be in row major layout")
    fatal(len(grid.shape) == 4, "Grid tensor must be 4D")
    fatal(grid.shape[3] == 2, "Grid tensor last dimension must be 2 (x, y coordinates)")
    fatal(
        padding_mode in PADDING_MODES,
        f"padding_mode must be one of {', '.join(PADDING_MODES)}, but got {padding_mode!r}",
    )
    fatal(mode in MODES, f"mode must be one of {', '.join(MODES)}, but got {mode!r}")
    fatal(len(input_shape) == 4, "Input shape must have 4 dimensions [N, H, W, C]")
    fatal(
        output_dtype in (None, DataType.BFLOAT16),
        "Currently only BFLOAT16 is supported for the grid output dtype",
    )
    fatal(grid.dtype is DataType.FLOAT32, "Currently only float32 input grid is supported")
    _, height, width, _ = input_shape
    fatal(
        max(height, width) <= _MOST_PIXELS,
        f"a prepared grid has 16 bits for a pixel: at most {_MOST_PIXELS} a side, but got {height} x {width}",
        remedy="use raw coordinates: use_precomputed_grid=False",
    )
    words = prepared_points(grid.to_numpy(), (height, width), mode, padding_mode, align_corners)
    spec = TensorSpec(words.shape, DataFormat.Float16_b, Layout.ROW_MAJOR, grid.spec.memory_config)
    pages = np.ascontiguousarray(words).view(np.uint8).reshape(spec.num_pages, spec.page_size)
    return Tensor(on_host=HostTensor(spec, pages))


register("ttnn.grid_sample", grid_sample, golden_grid_sample)
register("ttnn.prepare_grid_sample_grid", prepare_grid_sample_grid, golden_prepare_grid_sample_grid)
