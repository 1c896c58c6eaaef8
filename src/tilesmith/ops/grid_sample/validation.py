"""What can be wrong with a call of grid_sample, in ttnn's order and words."""

from __future__ import annotations

from collections.abc import Sequence

from tilesmith.formats import DataFormat
from tilesmith.ops.checks import fatal
from tilesmith.ops.grid_sample.attributes import MODES, PADDING_MODES, GridSampleAttributes
from tilesmith.runtime import Layout, MemoryConfig, Tensor, TensorMemoryLayout

_FLOATS = (DataFormat.Float16_b, DataFormat.Float32)
_LAYOUTS = (TensorMemoryLayout.INTERLEAVED, TensorMemoryLayout.HEIGHT_SHARDED)
_CHANNEL_STEP = 32


def validate(attrs: GridSampleAttributes, inputs: Sequence[Tensor]) -> None:
    """Raise OperationError for the first rule that is broken."""
    image, grid = inputs
    _check_shapes(attrs, image, grid)
    _check_types(attrs, image, grid)
    _check_modes(attrs)
    _check_memory(attrs, image, grid)
    channels = image.padded_shape[-1]
    fatal(
        channels % _CHANNEL_STEP == 0,
        "Input tensor last dimension must be divisible by TILE_WIDTH (32),"
        f" but got {channels} in padded shape {_shape(image.padded_shape)}",
        remedy="pad the channels with ttnn.pad, as tilesmith.ttnn.nchw does",
    )


def _check_shapes(attrs: GridSampleAttributes, image: Tensor, grid: Tensor) -> None:
    fatal(
        len(image.shape) == 4,
        f"Input tensor must be 4D (N, H, W, C), but got shape {_shape(image.shape)}"
        f" with {len(image.shape)} dimensions",
    )
    fatal(
        len(grid.shape) == 4,
        f"Grid tensor must be 4D (N, H_out, W_out, coords), but got shape {_shape(grid.shape)}"
        f" with {len(grid.shape)} dimensions",
    )
    values, each = grid.shape[-1], attrs.values_per_point
    # ttnn names the parts of a bilinear point in both modes.
    parts = (
        "h_nw, w_nw, weight_nw, weight_ne, weight_sw, weight_se"
        if attrs.use_precomputed_grid
        else "x, y coordinates"
    )
    mode = "Precomputed" if attrs.use_precomputed_grid else "Standard"
    fatal(
        values % each == 0,
        f"{mode} grid tensor last dimension must be a multiple of {each} (for {parts}),"
        f" but got {values} in shape {_shape(grid.shape)}",
    )
    fatal(
        image.shape[0] == grid.shape[0],
        f"Batch size mismatch: input tensor shape {_shape(image.shape)} has batch size {image.shape[0]},"
        f" but grid tensor shape {_shape(grid.shape)} has batch size {grid.shape[0]}",
    )
    for name, sizes in (("Input", image.shape), ("Grid", grid.shape)):
        fatal(0 not in sizes, f"{name} tensor must not be empty, but got shape {_shape(sizes)}")
    fatal(
        not attrs.batch_output_channels or values // each > 1,
        "batch_output_channels=True requires grid batching factor K > 1. Use a batched grid with multiple"
        " coordinate sets per row of grid.",
    )


def _check_types(attrs: GridSampleAttributes, image: Tensor, grid: Tensor) -> None:
    fatal(image.dtype in _FLOATS, "Input tensor must be BFLOAT16 or FLOAT32")
    if attrs.use_precomputed_grid:
        fatal(grid.dtype is DataFormat.Float16_b, "Precomputed grid tensor must be BFLOAT16")
    else:
        fatal(grid.dtype in _FLOATS, "Grid tensor must be BFLOAT16 or FLOAT32")
    fatal(image.layout is Layout.ROW_MAJOR, "Input tensor must be ROW_MAJOR layout")
    fatal(grid.layout is Layout.ROW_MAJOR, "Grid tensor must be ROW_MAJOR layout")


def _check_modes(attrs: GridSampleAttributes) -> None:
    fatal(
        attrs.padding_mode in PADDING_MODES,
        f"padding_mode must be one of {', '.join(PADDING_MODES)}, but got {attrs.padding_mode!r}",
    )
    # ttnn takes any other word for "nearest"; a typing mistake should not change the result unnoticed.
    fatal(attrs.mode in MODES, f"mode must be one of {', '.join(MODES)}, but got {attrs.mode!r}")


def _check_memory(attrs: GridSampleAttributes, image: Tensor, grid: Tensor) -> None:
    for name, memory in (("Input", image.memory_config), ("Grid", grid.memory_config)):
        fatal(
            memory.memory_layout in _LAYOUTS,
            f"{name} tensor must have INTERLEAVED or HEIGHT_SHARDED memory layout",
        )
    wanted = attrs.memory_config
    fatal(
        wanted is None or wanted.memory_layout in _LAYOUTS,
        "Output tensor must have INTERLEAVED or HEIGHT_SHARDED memory layout",
    )
    fatal(
        not _in_dram_shards(grid.memory_config),
        "Grid tensor in height shards must be in L1, where the cores that sample find their rows",
        remedy="use L1, or an interleaved grid",
    )


def _in_dram_shards(memory: MemoryConfig) -> bool:
    return memory.is_sharded and memory.in_dram


def _shape(sizes: Sequence[int]) -> str:
    return f"Shape([{', '.join(map(str, sizes))}])"
