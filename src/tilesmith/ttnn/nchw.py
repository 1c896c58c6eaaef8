"""grid_sample for tensors in torch's order, (N, C, H, W), with any number of channels.

Everything else is ttnn's, so that a test written for channels in front changes its import and nothing more:

>>> from tilesmith.ttnn import nchw as ttnn
>>> import torch
>>> with ttnn.manage_device(device_id=0) as device:
...     image, grid = torch.arange(4.0).reshape(1, 1, 2, 2), torch.tensor([[[[-1.0, -1.0], [0.5, 0.5]]]])
...     there = [ttnn.from_torch(one, device=device) for one in (image, grid)]
...     ttnn.to_torch(ttnn.grid_sample(*there, mode="nearest")).tolist()
[[[[0.0, 3.0]]]]
"""

from __future__ import annotations

from typing import Any

from tilesmith.ops import memory
from tilesmith.ops.checks import fatal
from tilesmith.ops.grid_sample.api import grid_sample as grid_sample_nhwc
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout

_CHANNEL_STEP = 32


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = False,
    *,
    memory_config: memory.MemoryConfig | None = None,
) -> Tensor:
    """torch.nn.functional.grid_sample on device tensors: input (N, C, H, W), grid (N, Hg, Wg, 2).

    Channels go to the back and are filled up to a multiple of 32. The result is (N, C, Hg, Wg), row major.
    """
    from tilesmith import ttnn

    fatal(len(input.shape) == 4, f"Input tensor must be 4D (N, C, H, W), but got shape {input.shape}")
    fatal(len(grid.shape) == 4, f"Grid tensor must be 4D (N, H_out, W_out, 2), but got shape {grid.shape}")
    fatal(grid.shape[3] == 2, f"Grid tensor last dimension must be 2 (x, y), but got shape {grid.shape}")
    channels = input.shape[1]
    image = ttnn.permute(
        ttnn.to_layout(input, Layout.ROW_MAJOR), (0, 2, 3, 1), memory_config=memory.DRAM_MEMORY_CONFIG
    )
    missing = -channels % _CHANNEL_STEP
    if missing:
        image = ttnn.pad(image, [(0, 0), (0, 0), (0, 0), (0, missing)], 0.0)
    rows = ttnn.to_layout(grid, Layout.ROW_MAJOR)
    sampled = grid_sample_nhwc(image, rows, mode=mode, padding_mode=padding_mode, align_corners=align_corners)
    count, height, width, _ = sampled.shape
    kept = ttnn.slice(
        sampled, [0, 0, 0, 0], [count, height, width, channels], memory_config=memory.DRAM_MEMORY_CONFIG
    )
    wanted = memory_config or memory.DRAM_MEMORY_CONFIG
    result: Tensor = ttnn.permute(kept, (0, 3, 1, 2), memory_config=wanted)
    return result


def __getattr__(name: str) -> Any:
    from tilesmith import ttnn

    return getattr(ttnn, name)
