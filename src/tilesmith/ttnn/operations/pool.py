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
golden_grid_sample = _golden("grid_sample")
