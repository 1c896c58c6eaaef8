"""`@fuse_ops` for functions and `@optimize_layout` for modules: they run compiled, and look as before."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any, TypeVar, overload

import torch
from torch import nn

from tilesmith.models.compiled_model import CompiledModel, compile_model
from tilesmith.models.report import Report

__all__ = ["FusedFunction", "fuse_ops", "optimize_layout"]

ModuleType = TypeVar("ModuleType", bound=type[nn.Module])


class _Called(nn.Module):
    """A function as a module, for those who take modules."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


class FusedFunction:
    """A function of tensors whose operators become as few kernels as possible. `report` says how many."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self._plain = compile_model(_Called(function), **options)
        self._trained = _trainable(function, options)
        update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        given = (*args, *kwargs.values())
        learning = any(isinstance(one, torch.Tensor) and one.requires_grad for one in given)
        chosen = self._trained if learning and torch.is_grad_enabled() else self._plain
        return chosen(*args, **kwargs)

    @property
    def report(self) -> Report:
        """How the function was compiled for the last arguments that needed no gradient."""
        return self._plain.report


def _trainable(function: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Any]:
    from tilesmith.models.torch_backend import tilesmith_backend

    named = {key: value for key, value in options.items() if key != "backend"}
    compiled: Callable[..., Any] = torch.compile(
        function,
        backend=tilesmith_backend,
        options={"device": options.get("backend", "tenstorrent"), **named},
    )
    return compiled


@overload
def fuse_ops(function: Callable[..., Any]) -> FusedFunction: ...
@overload
def fuse_ops(function: None = None, **options: Any) -> Callable[[Callable[..., Any]], FusedFunction]: ...
def fuse_ops(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Run a function of tensors as one compiled graph; options are those of `tilesmith.compile`.

    >>> @fuse_ops(backend="cpu")
    ... def scaled_relu(x):
    ...     return torch.relu(x) * 2
    >>> scaled_relu(torch.tensor([[-1.0, 3.0]])).tolist()
    [[0.0, 6.0]]
    """
    if function is None:
        return lambda given: FusedFunction(given, options)
    return FusedFunction(function, options)


@overload
def optimize_layout(module: ModuleType) -> ModuleType: ...
@overload
def optimize_layout(module: None = None, **options: Any) -> Callable[[ModuleType], ModuleType]: ...
def optimize_layout(module: Any = None, **options: Any) -> Any:
    """Make the modules of a class run compiled, with layouts and places in memory chosen for the chip.

    Inside a larger model that is being compiled they are a part of it like any other. While `training`,
    weights are followed and gradients flow.

    >>> @optimize_layout(backend="cpu")
    ... class Double(nn.Module):
    ...     def forward(self, x):
    ...         return x * 2
    >>> Double().eval()(torch.ones(1, 2)).tolist()
    [[2.0, 2.0]]
    """
    if module is None:
        return lambda given: _optimised(given, options)
    return _optimised(module, options)


def _optimised(base: type[nn.Module], options: dict[str, Any]) -> type[nn.Module]:
    def call(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
        if torch.compiler.is_compiling() or self.__dict__.get("_is_captured"):
            return base.__call__(self, *args, **kwargs)
        self.__dict__["_is_captured"] = True
        try:
            return _compiled_for(self, options)(*args, **kwargs)
        finally:
            self.__dict__["_is_captured"] = False

    subclass = type(
        base.__name__, (base,), {"__call__": call, "__doc__": base.__doc__, "__module__": base.__module__}
    )
    subclass.__qualname__ = base.__qualname__
    return subclass


def _compiled_for(module: nn.Module, options: dict[str, Any]) -> Callable[..., Any]:
    """The compiled form of a module in its present mode. Kept beside its parts, not among them."""
    kept: dict[bool, Any] = module.__dict__.setdefault("_compiled_forms", {})
    if module.training not in kept:
        compiled: CompiledModel | Callable[..., Any]
        compiled = (
            _trainable(module.forward, options) if module.training else compile_model(module, **options)
        )
        kept[module.training] = compiled
    form: Callable[..., Any] = kept[module.training]
    return form
