"""What a backend is: something that turns a graph with known shapes into something that runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

from torch.fx import GraphModule

from tilesmith.errors import SettingsError
from tilesmith.models.config import CompilerConfig
from tilesmith.models.executable import ONE_AT_A_TIME, Executable
from tilesmith.models.options import ModelOptions

__all__ = ["ONE_AT_A_TIME", "Backend", "Executable"]

_HOMES = {
    "tenstorrent": ("tilesmith.models.backends.tenstorrent", "TenstorrentBackend"),
    "cpu": ("tilesmith.models.backends.cpu", "CpuBackend"),
    "cuda": ("tilesmith.models.backends.cuda", "CudaBackend"),
}


@dataclass(frozen=True)
class Backend(ABC):
    """A place where graphs run. Make one with `Backend.create`.

    >>> from tilesmith import Backend
    >>> Backend.create("cpu").name
    'cpu'
    """

    options: ModelOptions
    name: ClassVar[str] = ""
    asynchronous: ClassVar[bool] = False
    """Whether a call returns before its work is done: then what can be checked later is."""
    keeps_state: ClassVar[bool] = False
    """Whether inputs may be a `Resident`, which stays where graphs run."""

    @staticmethod
    def create(name: str, options: ModelOptions | CompilerConfig | None = None) -> Backend:
        """The backend of a name, with options, or with those of a configuration made for any backend.

        >>> Backend.create("cpu").name
        'cpu'
        """
        if name not in _HOMES:
            raise SettingsError(
                f"there is no backend {name!r}",
                where="Backend.create(name)",
                remedy=f"choose one of: {', '.join(_HOMES)}",
            )
        module, cls = _HOMES[name]
        backend: Backend = getattr(import_module(module), cls)(_chosen(options))
        return backend

    @abstractmethod
    def compile(self, module: GraphModule, inputs: Sequence[Any]) -> Executable:
        """Make a graph ready for inputs of these shapes. The graph is the backend's own to change."""

    def begin(self) -> None:  # noqa: B027 - most backends have nothing to start
        """Start what every model needs, while this one is captured."""

    def check_input(self, number: int, value: Any) -> None:  # noqa: B027 - most backends take everything
        """Refuse an input the backend cannot take."""


def _chosen(given: ModelOptions | CompilerConfig | None) -> ModelOptions:
    """The options of a backend; what does not fit is refused here, before a model is compiled."""
    if given is None or isinstance(given, ModelOptions):
        return given or ModelOptions()
    if not isinstance(given, CompilerConfig):
        raise SettingsError(
            f"options of a backend cannot be a {type(given).__name__}",
            where="Backend.create(name, options)",
            remedy="give a CompilerConfig, or a ModelOptions",
        )
    if given.strategy is not None:
        raise SettingsError(
            "the configuration has a strategy, and a backend runs none",
            where="Backend.create(name, options)",
            remedy="Compiler.create(config) takes all of the configuration",
        )
    return given.model_options
