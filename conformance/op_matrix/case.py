"""One case of the matrix: an operation, what its inputs look like, and its other arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Input:
    """A tensor of random values from `low` to `high`."""

    shape: Shape
    dtype: str = "bfloat16"
    layout: str = "tile"
    memory: str = "dram"
    low: float = -3.0
    high: float = 3.0

    def __str__(self) -> str:
        sizes = "x".join(map(str, self.shape)) or "scalar"
        return f"{sizes}:{self.dtype}:{self.layout}:{self.memory}"


@dataclass(frozen=True)
class Case:
    """`args` follow the tensors, `first` comes before them. `listed`: the tensors go as one list."""

    family: str
    operation: str
    inputs: tuple[Input, ...]
    args: tuple[Any, ...] = ()
    options: tuple[tuple[str, Any], ...] = ()
    listed: bool = False
    first: tuple[Any, ...] = ()

    @property
    def name(self) -> str:
        words = [str(one) for one in self.inputs]
        words += [str(value).replace(" ", "") for value in (*self.first, *self.args)]
        words += [f"{key}={value}".replace(" ", "") for key, value in self.options]
        return f"{self.operation}[{','.join(words)}]"
