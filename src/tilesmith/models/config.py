"""CompilerConfig: what to compile for, as one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tilesmith.models.options import ModelOptions
from tilesmith.models.strategy import OptimizationStrategy

__all__ = ["CompilerConfig"]


@dataclass(frozen=True)
class CompilerConfig:
    """What to compile for. The other options are those of `ModelOptions`.

    >>> CompilerConfig(backend="cpu").optimization_level
    'O2'
    """

    backend: str = "tenstorrent"
    optimization_level: str = "O2"
    options: Mapping[str, Any] = field(default_factory=dict)
    strategy: OptimizationStrategy | None = None
    """What to do to graphs before the backend's own passes."""

    @property
    def model_options(self) -> ModelOptions:
        return ModelOptions.of({"optimization_level": self.optimization_level, **self.options})
