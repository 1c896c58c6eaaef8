"""Compiled models: `tilesmith.compile(model, backend=...)`, and the compiler behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import torch

from tilesmith.errors import BadCallError
from tilesmith.models.backends import Backend, Executable
from tilesmith.models.backends.base import ONE_AT_A_TIME
from tilesmith.models.capture.fx import Captured, export
from tilesmith.models.capture.state import Watch, attributes, fingerprint
from tilesmith.models.config import CompilerConfig
from tilesmith.models.executable_cache import ExecutableCache, signature
from tilesmith.models.generation.generate import Generator, generator_of
from tilesmith.models.model_trial import ModelTrial
from tilesmith.models.options import ModelOptions
from tilesmith.models.planning.specialize import copied, specialise
from tilesmith.models.report import Report
from tilesmith.models.strategy import OptimizationStrategy
from tilesmith.notebook import html_fields
from tilesmith.profiling import Advice, Profile, recording
from tilesmith.runtime.observers import originating
from tilesmith.units import readable

__all__ = ["CompiledModel", "Compiler", "CompilerConfig", "compile_model"]


class Compiler:
    """Compiles models for one configuration.

    >>> compiler = Compiler.create(CompilerConfig(backend="cpu"))
    >>> compiler.compile(torch.nn.Linear(10, 5))(torch.randn(1, 10)).shape
    torch.Size([1, 5])
    """

    def __init__(self, config: CompilerConfig | None = None) -> None:
        self.config = config or CompilerConfig()
        self.backend = Backend.create(self.config.backend, self.config.model_options)

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

    Parameters and buffers that change are noticed, and the model is captured anew. For weights that change
    all the time, as in training, `torch.compile(model, backend="tilesmith")` takes them as inputs.

    >>> compiled = compile_model(torch.nn.ReLU(), backend="cpu")
    >>> compiled(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
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
        self.training = model.training
        self._dynamic_shapes = dynamic_shapes
        self._graphs: dict[Any, _Graph] = {}
        self._last: Executable | None = None
        self._known: dict[Any, _Known] = {}
        self._generator: Generator | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is compiled anew: what runs on a device stays there."""
        return CompiledModel, (self.original, self.backend, self._dynamic_shapes, self._strategy)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        if self.backend.asynchronous:
            return self._forward_quickly(args, kwargs)
        return self._forward(*self._find(args, kwargs))

    def _forward(self, captured: Captured, executable: Executable, flat: list[Any]) -> Any:
        self._last = executable
        buffers = captured.buffers_of(self.original)
        every = [*flat, *buffers]
        name, compiled = type(self.original).__name__, partial(self._compiled, captured, every)
        with originating(ModelTrial(name, self.backend.options, compiled, executable, every)):
            outputs = executable.run(every)
        with torch.no_grad():
            return captured.deliver(outputs, buffers, flat)

    def __repr__(self) -> str:
        return f"CompiledModel({type(self.original).__name__} for {self.backend.name}, {self.graphs} graphs)"

    def _repr_html_(self) -> str:
        if self._last is None:
            return html_fields(repr(self), {"state": "compiled when it is called"})
        report = self._last.report
        return html_fields(
            repr(self),
            {
                "operators": report.ops,
                "kernels": f"{len(report.kernels)}, {report.distinct} distinct",
                "on the host": len(report.host),
                "weights": readable(report.weights),
            },
        )

    def _forward_quickly(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Run first, then see whether the model changed: both at once, since the run is elsewhere."""
        key = (
            tuple(
                [(one.shape, one.dtype) if isinstance(one, torch.Tensor) else signature(one) for one in args]
            ),
            signature(tuple(kwargs.items())) if kwargs else None,
            torch.is_inference_mode_enabled(),
        )
        known = self._known.get(key)
        if known is not None:
            flat = [*args, *kwargs.values()] if known.as_they_are else known.captured.flatten(args, kwargs)
            if known.arrange is None:
                if known.watch.unchanged():
                    return self._forward(known.captured, known.executable, flat)
            else:
                outputs = known.executable.run(flat)
                if known.watch.unchanged():
                    if self._last is not known.executable:  # setting an attribute of a module takes long
                        self._last = known.executable
                    return known.arrange(outputs)
        captured, executable, flat = self._find(args, kwargs)
        self._known[key] = _Known(
            captured,
            executable,
            Watch(self.original, captured.buffers_of(self.original)),
            captured.takes_as_they_are(args, kwargs),
            None if captured.changes_anything else captured.arranged(),
        )
        return self._forward(captured, executable, flat)

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

    def generate(self, *args: Any, **kwargs: Any) -> Any:
        """`generate` of a model of transformers: one graph for the prompt, one for every token after it."""
        return self.generate_with(getattr(type(self.original), "generate", None), args, kwargs)

    def generate_with(self, generate: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """The same with a `generate` of a class of the model, or of a base of it."""
        if self._generator is None:
            self._generator = generator_of(self.original, self.backend, self._part, self._strategy)
        try:
            return self._generator.run(generate, args, kwargs)
        finally:
            self._last = self._generator.step.last or self._last

    def _part(self, module: torch.nn.Module) -> CompiledModel:
        """The model, or one of its modules that is called by itself, compiled as the model is."""
        same = module is self.original
        return self if same else CompiledModel(module, self.backend, None, self._strategy)

    def advised(self, advice: Advice) -> CompiledModel:
        """The model compiled with the settings of an advice of its profile."""
        backend = replace(self.backend, options=replace(self.backend.options, **advice.settings))
        return CompiledModel(self.original, backend, self._dynamic_shapes, self._strategy)

    @property
    def report(self) -> Report:
        """How the model was compiled for the last inputs."""
        return self.executable.report

    @property
    def graphs(self) -> int:
        """How many graphs were compiled: one for each set of shapes."""
        generated = self._generator.step.graphs if self._generator is not None else 0
        return generated + sum(len(one.executables) for one in self._graphs.values())

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
        with ONE_AT_A_TIME:
            inputs = (signature(args), signature(sorted(kwargs.items())))
            open_sizes = self._dynamic_shapes is not None
            graph = self._graph(args, kwargs, _without_sizes(inputs) if open_sizes else inputs)
            flat = graph.captured.flatten(args, kwargs)
            graph.captured.check_sizes(flat)
            every = [*flat, *graph.captured.buffers_of(self.original)]
            executable = graph.executables.get(inputs, lambda: self._compiled(graph.captured, every))
            return graph.captured, executable, flat

    def _graph(self, args: Sequence[Any], kwargs: Mapping[str, Any], inputs: Any) -> _Graph:
        """The model captured for these inputs, with the weights it has now."""
        key = (tuple(part.training for part in self.original.modules()), inputs)
        graph = self._graphs.get(key)
        if graph is None or graph.weights != self._weights_for(graph.captured):
            self.backend.begin()
            captured = export(self.original, args, kwargs, self._dynamic_shapes)
            graph = self._graphs[key] = _Graph(captured, self._weights_for(captured))
        return graph

    def _compiled(
        self, captured: Captured, inputs: Sequence[Any], options: ModelOptions | None = None
    ) -> Executable:
        backend = self.backend if options is None else replace(self.backend, options=options)
        for number, value in enumerate(inputs):
            backend.check_input(number, value)
        module = specialise(copied(captured.module), inputs)
        if self._strategy is not None:
            module = self._strategy.optimize(module)
        return backend.compile(module, inputs)

    def _weights_for(self, captured: Captured) -> tuple[Any, ...]:
        """What the graph has as constants: tensors with what was written to them, and plain attributes."""
        inputs = {id(one) for one in captured.buffers_of(self.original)}
        every = (*self.original.parameters(), *self.original.buffers())
        held = tuple(fingerprint(one) for one in every if id(one) not in inputs)
        return held, attributes(self.original.modules())


@dataclass(frozen=True, slots=True)
class _Known:
    """A call of a signature that was met: how its arguments are taken, and its results arranged.

    `arrange` is None where the call writes to buffers or arguments.
    """

    captured: Captured
    executable: Executable
    watch: Watch
    as_they_are: bool
    arrange: Callable[[list[Any]], Any] | None


@dataclass(frozen=True)
class _Graph:
    """A captured model, the weights it was captured with, and what it was compiled to."""

    captured: Captured
    weights: tuple[Any, ...]
    executables: ExecutableCache = field(default_factory=ExecutableCache)


def _without_sizes(described: Any) -> Any:
    if isinstance(described, tuple):
        kept = (described[0], *described[2:]) if described[:1] == ("tensor",) else described
        return tuple(map(_without_sizes, kept))
    return described
