"""ttnn.operations.pool: golden functions of pooling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tilesmith.ops.catalogue import load_operations
from tilesmith.ops.framework import get_golden_function, registered_operations

load_operations()


def _golden(name: str) -> Callable[..., Any]:
    return get_golden_function(registered_operations()[f"ttnn.{name}"])


golden_maxpool2d = _golden("max_pool2d")
golden_avg_pool2d = _golden("avg_pool2d")
golden_adaptive_avg_pool2d = _golden("adaptive_avg_pool2d")
golden_adaptive_max_pool2d = _golden("adaptive_max_pool2d")
golden_global_avg_pool2d = _golden("global_avg_pool2d")
golden_upsample = _golden("upsample")
golden_rotate = _golden("rotate")
_grid_sample = _golden("grid_sample")


def golden_grid_sample(
    input_tensor: Any,
    grid: Any,
    *,
    grid_batching_factor: int | None = None,
    batch_output_channels: bool = False,
    **options: Any,
) -> Any:
    """As the tensor's type has it; `grid_batching_factor` says how many points of a row belong together."""
    if grid_batching_factor is None:
        found = _grid_sample(input_tensor, grid, batch_output_channels=batch_output_channels, **options)
        return found.to(input_tensor.dtype)
    found = _grid_sample(input_tensor, grid, **options).to(input_tensor.dtype)
    count, height, width, channels = found.shape
    if not batch_output_channels:
        return found
    return found.reshape(count, height, width // grid_batching_factor, grid_batching_factor * channels)
