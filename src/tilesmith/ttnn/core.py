"""ttnn.core: small functions of ttnn's Python layer."""

from __future__ import annotations

from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.queries import get_memory_config
from tilesmith.ops.shard_strategy import create_sharded_memory_config
from tilesmith.ops.tensor import Tensor


def divup(a: int, b: int) -> int:
    """
    >>> divup(7, 4)
    2
    """
    return -(-a // b)


def roundup(a: int, b: int) -> int:
    """
    >>> roundup(7, 4)
    8
    """
    return divup(a, b) * b


def is_sharded(tensor: Tensor) -> bool:
    return tensor.is_sharded()


def num_cores_to_core_grid(cores: int, grid: tuple[int, int]) -> tuple[int, int]:
    """Columns and rows of a grid that holds so many cores."""
    across = min(cores, grid[0])
    return across, divup(cores, across)


__all__ = [
    "MemoryConfig",
    "create_sharded_memory_config",
    "divup",
    "get_memory_config",
    "is_sharded",
    "roundup",
]
