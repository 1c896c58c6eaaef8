"""Compiled models: `tilesmith.compile(model, backend=...)`, and the compiler behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from tilesmith.backends import Backend, Executable
from tilesmith.errors import BadCallError
from tilesmith.frontend.torch import Captured, export
from tilesmith.graph.options import ModelOptions
from tilesmith.graph.report import Report
from tilesmith.graph.specialise import copied, specialise
from tilesmith.graph.strategy import OptimizationStrategy
from tilesmith.profiling import Profile, recording

__all__ = ["CompiledModel", "Compiler", "CompilerConfig", "compile_model"]


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

    def create_backend(self) -> Backend:
        chosen = {"optimization_level": self.optimization_level, **self.options}
        return Backend.create(self.backend, ModelOptions.of(chosen))


class Compiler:
    """Compiles models for one configuration.

    >>> compiler = Compiler.create(CompilerConfig(backend="cpu"))
    >>> compiler.compile(torch.nn.Linear(10, 5))(torch.randn(1, 10)).shape
    torch.Size([1, 5])
    """

    def __init__(self, config: CompilerConfig | None = None) -> None:
        self.config = config or CompilerConfig()
        self.backend = self.config.create_backend()

    @staticmethod
    def create(config: CompilerConfig | None = None) -> Compiler:
        return Compiler(config)

    def compile(
        self, model: torch.nn.Module, example_inputs: Sequence[Any] | None = None, dynamic_shapes: Any = None
    ) -> CompiledModel:
        if isinstance(model, CompiledModel):
            model = model.original
        compiled = CompiledModel(model, self.backend, dynamic_shapes, self.config.strategy)
        if example_inputs is not None:
            compiled.prepare(*example_inputs)
        return compiled


def compile_model(
    model: torch.nn.Module,
    backend: str = "tenstorrent",
    optimization_level: str = "O2",
    *,
    example_inputs: Sequence[Any] | None = None,
    dynamic_shapes: Any = None,
    **options: Any,
) -> CompiledModel:
    """Compile a model for a backend: "tenstorrent", "cpu" or "cuda".

    It is captured when it is first called, or now if `example_inputs` are given. `dynamic_shapes`, as
    torch.export takes them, let one capture serve many sizes.

    >>> model = compile_model(torch.nn.Linear(8, 4), backend="cpu")
    >>> model(torch.randn(2, 8)).shape
    torch.Size([2, 4])
    """
    config = CompilerConfig(backend, optimization_level, options)
    return Compiler.create(config).compile(model, example_inputs, dynamic_shapes)


class CompiledModel(torch.nn.Module):
    """A model that runs on a backend. Inputs of new shapes are compiled when they come.

    Weights are those the model had when it was captured; `torch.compile(model, backend="tilesmith")` follows
    weights that change, and trains.
    """

    def __init__(
        self,
        model: torch.nn.Module,
        backend: Backend,
        dynamic_shapes: Any = None,
        strategy: OptimizationStrategy | None = None,
    ) -> None:
        super().__init__()
        self._strategy = strategy
        self.backend = backend
        self.original = model
        self._dynamic_shapes = dynamic_shapes
        self._captured: dict[Any, Captured] = {}
        self._executables: dict[Any, Executable] = {}
        self._last: Executable | None = None

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        captured, executable, flat = self._find(args, kwargs)
        self._last = executable
        outputs = executable.run(flat)
        for name, value in zip(captured.mutated, outputs, strict=False):
            self.original.get_buffer(name).copy_(value)
        return captured.unflatten(outputs[len(captured.mutated) :])

    def prepare(self, *args: Any, **kwargs: Any) -> Report:
        """Compile for inputs like these without running, and say what it came to."""
        _, executable, _ = self._find(args, kwargs)
        self._last = executable
        return executable.report

    def profile(self, *args: Any, **kwargs: Any) -> Profile:
        """Where the predicted time of a call goes, kernel by kernel."""
        self.prepare(*args, **kwargs)
        with recording(type(self.original).__name__) as recorder:
            self(*args, **kwargs)
        return recorder.profile

    @property
    def report(self) -> Report:
        """How the model was compiled for the last inputs."""
        return self.executable.report

    @property
    def graphs(self) -> int:
        """How many graphs were compiled: one for each set of shapes."""
        return len(self._executables)

    @property
    def executable(self) -> Executable:
        if self._last is None:
            raise BadCallError(
                "the model has not been compiled yet",
                where="CompiledModel",
                remedy="call it, or `prepare` it with inputs",
            )
        return self._last

    def _find(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Captured, Executable, list[Any]]:
        key = (_signature(args), _signature(sorted(kwargs.items())))
        captured = self._captured.get(() if self._dynamic_shapes is not None else key)
        if captured is None:
            captured = export(self.original, args, kwargs, self._dynamic_shapes)
            self._captured[() if self._dynamic_shapes is not None else key] = captured
        flat = captured.flatten(args, kwargs)
        if key not in self._executables:
            for number, value in enumerate(flat):
                self.backend.check_input(number, value)
            module = specialise(copied(captured.module), flat)
            if self._strategy is not None:
                module = self._strategy.optimize(module)
            self._executables[key] = self.backend.compile(module, flat)
        return captured, self._executables[key], flat


def _signature(value: Any) -> Any:
    """What of an argument decides how a model is compiled."""
    if isinstance(value, torch.Tensor):
        return ("tensor", tuple(value.shape), value.dtype)
    if isinstance(value, list | tuple):
        return (type(value).__name__, *map(_signature, value))
    if isinstance(value, dict):
        return ("dict", *((key, _signature(one)) for key, one in value.items()))
    return value if value is None or isinstance(value, bool | int | float | str) else id(value)
