"""Layouts of images: fold, conversions between channels first and last, integral images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilesmith.ops.checks import fatal
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.framework import registered
from tilesmith.ops.host_operation import on_host
from tilesmith.ops.memory import DRAM_MEMORY_CONFIG, MemoryConfig
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout


@registered("ttnn.fold")
def fold(
    input: Tensor,
    stride_h: int,
    stride_w: int,
    use_transpose_as_fold: bool = False,
    output_shape: Sequence[int] | None = None,
    padding: Sequence[int] = (0, 0, 0, 0, 0, 0),
    grid_size: object = None,
    override_memory_config: MemoryConfig | None = None,
    collapse_output: bool = False,
) -> Tensor:
    """Windows of an image (batch, height, width, channels) moved into its channels."""
    given = list(padding)
    top, bottom, left, right, *channels = given if len(given) > 2 else given[:1] * 2 + given[1:] * 2
    before, after = channels or (0, 0)

    def compute(x: Any) -> Any:
        import torch

        image = x.permute(0, 2, 3, 1) if use_transpose_as_fold else x
        image = torch.nn.functional.pad(image, (before, after, left, right, top, bottom))
        batch, height, width, depth = image.shape
        fatal(
            height % stride_h == 0 and width % stride_w == 0,
            f"Fold: {height} x {width} cannot be divided into windows of {stride_h} x {stride_w}",
        )
        down, across = height // stride_h, width // stride_w
        windows = image.reshape(batch, down, stride_h, across, stride_w, depth).permute(0, 1, 3, 2, 4, 5)
        folded = windows.reshape(batch, down, across, -1)
        if output_shape is not None:
            folded = folded[..., : output_shape[-1]]
        return folded.reshape(1, 1, -1, folded.shape[-1]) if collapse_output else folded

    memory = override_memory_config or (DRAM_MEMORY_CONFIG if input.is_sharded() else None)
    dtype = DataType.BFLOAT16 if input.dtype.is_block_float else input.dtype  # in rows are no blocks
    return on_host("ttnn.fold", compute, [input], dtype=dtype, memory_config=memory, layout=Layout.ROW_MAJOR)[
        0
    ]


@registered("ttnn.experimental.convert_to_chw")
def convert_to_chw(input: Tensor, *, dtype: DataType | None = None) -> Tensor:
    """(1, 1, positions, channels) as (1, 1, channels, positions), in rows."""
    return on_host(
        "ttnn.experimental.convert_to_chw",
        lambda x: x.transpose(-1, -2),
        [input],
        dtype=dtype,
        layout=Layout.ROW_MAJOR,
        memory_config=DRAM_MEMORY_CONFIG,
    )[0]


@registered("ttnn.experimental.convert_to_hwc")
def convert_to_hwc(
    input: Tensor, *, memory_config: MemoryConfig | None = None, dtype: DataType | None = None
) -> Tensor:
    """(1, batch, channels, positions) as (1, 1, batch x positions, channels), channels filled up to eight."""

    def compute(x: Any) -> Any:
        import torch

        last = x.transpose(-1, -2)
        return torch.nn.functional.pad(last, (0, -last.shape[-1] % 8)).reshape(
            1, 1, -1, -(-last.shape[-1] // 8) * 8
        )

    return on_host(
        "ttnn.experimental.convert_to_hwc",
        compute,
        [input],
        dtype=dtype,
        layout=Layout.ROW_MAJOR,
        memory_config=memory_config or DRAM_MEMORY_CONFIG,
    )[0]


@registered("ttnn.experimental.intimg")
def intimg(input_tensor: Tensor) -> Tensor:
    """Sums of all elements above and to the left, of (batch, height, width, channels)."""
    return on_host("ttnn.experimental.intimg", lambda x: x.cumsum(1).cumsum(2), [input_tensor])[0]
