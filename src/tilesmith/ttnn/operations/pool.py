"""ttnn.operations.pool: golden functions of pooling."""

from __future__ import annotations

from typing import Any

from tilesmith.ops.framework import get_golden_function, registered_operations


def golden_upsample(*args: Any, **options: Any) -> Any:
    return get_golden_function(registered_operations()["ttnn.upsample"])(*args, **options)


def golden_grid_sample(*args: Any, **options: Any) -> Any:
    return get_golden_function(registered_operations()["ttnn.grid_sample"])(*args, **options)
