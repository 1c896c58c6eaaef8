"""`generate` of models that `torch.compile(backend="tilesmith")` compiles.

transformers' cache grows with every token, and torch.compile leaves its lengths to the backend, which would
plan for each of them. `generate` itself is not compiled, so that it can be given another cache: here the call
goes to a `Generator`, which has one graph for prompts and one for tokens, and keeps weights and cache on
the device, as `tilesmith.compile(model).generate` does.
"""

from __future__ import annotations

import copy
import inspect
import sys
import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import MethodType, ModuleType
from typing import Any, TypeGuard
from weakref import WeakKeyDictionary

import torch
from torch._dynamo.eval_frame import OptimizedModule, innermost_backend

from tilesmith.errors import CaptureError, TilesmithWarning
from tilesmith.models.backends import Backend
from tilesmith.models.compiled_model import CompiledModel
from tilesmith.models.options import ModelOptions

_LIBRARY = "transformers.generation.utils"
_PATCHED = "_generates_with_tilesmith"
_models: WeakKeyDictionary[torch.nn.Module, tuple[Any, CompiledModel]] = WeakKeyDictionary()
_ours: list[Callable[..., Any]] = []


def take_generate(backend: Callable[..., Any]) -> None:
    """From now on let `generate` of models that are compiled with this backend run on the device."""
    if backend not in _ours:
        _ours.append(backend)
    if not hasattr(OptimizedModule, "generate"):
        setattr(OptimizedModule, "generate", property(_generate_of))  # noqa: B010 - torch's class has no such name
    library = sys.modules.get(_LIBRARY)
    if library is not None:
        _take_from(library)
    elif _when_imported not in sys.meta_path:
        sys.meta_path.insert(0, _when_imported)


class _WhenImported(MetaPathFinder):
    """transformers may be imported after the backend: its `generate` is taken as soon as it is there."""

    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        if name != _LIBRARY:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_take(module: ModuleType) -> None:
                execute(module)
                _take_from(module)

            setattr(spec.loader, "exec_module", execute_and_take)  # noqa: B010 - of this one import
        return spec


_when_imported = _WhenImported()


def _take_from(library: Any) -> None:
    if not hasattr(library, "GenerationMixin") or hasattr(library.GenerationMixin, _PATCHED):
        return  # still being imported, or done before
    theirs = library.GenerationMixin.generate

    @wraps(theirs)
    def generate(model: Any, *args: Any, **kwargs: Any) -> Any:
        options = _options_of(model)
        if options is None:
            return theirs(model, *args, **kwargs)
        return _generated(model, options, theirs, args, kwargs)

    library.GenerationMixin.generate = generate
    setattr(library.GenerationMixin, _PATCHED, True)


def _generate_of(compiled: Any) -> Any:
    """`torch.compile(model).generate`: for other backends the model's own, as torch has it."""
    model = compiled._orig_mod
    generate = model.generate  # refuses models without one
    options = _options(getattr(compiled.dynamo_ctx, "callback", None))
    if options is None or not hasattr(model, "_prepare_static_cache"):
        return generate

    @wraps(generate)
    def generated(*args: Any, **kwargs: Any) -> Any:
        return _generated(model, options, type(model).generate, args, kwargs)

    return generated


def _generated(model: Any, options: Mapping[str, Any], theirs: Any, args: Any, kwargs: Any) -> Any:
    try:
        return _compiled(model, options).generate_with(theirs, args, kwargs)
    except CaptureError as error:  # dynamo would break the graph there
        warnings.warn(
            f"generate plans for every length of the cache: {error.what}", TilesmithWarning, stacklevel=3
        )
        return theirs(model, *args, **kwargs)


def _compiled(model: Any, options: Mapping[str, Any]) -> CompiledModel:
    """The model as `tilesmith.compile` has it: the one of the last call, if it was compiled so."""
    key = sorted(options.items())
    known = _models.get(model)
    if known is None or known[0] != key:
        chosen = dict(options)
        backend = Backend.create(chosen.pop("device", "tenstorrent"), ModelOptions.of(chosen))
        known = _models[model] = (key, CompiledModel(copy.copy(model), backend))
    original = known[1].original
    before = vars(original).get("forward")
    vars(original).update(vars(model))  # modules and parameters are shared, and flags may have changed
    original._compiled_call_impl = None
    if _is_compiled(vars(model).get("forward")):
        forward = _bound_to(original, vars(model)["forward"]._torchdynamo_orig_callable)
        vars(original)["forward"] = before if before == forward else forward
    return known[1]


def _bound_to(model: Any, function: Any) -> Any:
    """A method of the copy: what is kept for a model must not keep the model itself."""
    return MethodType(function.__func__, model) if isinstance(function, MethodType) else function


def _options_of(model: Any) -> Mapping[str, Any] | None:
    """The options of `model.compile(backend="tilesmith")` or of a `forward` that was compiled so."""
    for called in (vars(model).get("forward"), getattr(model, "_compiled_call_impl", None)):
        if _is_compiled(called):
            return _options(inspect.getclosurevars(called).nonlocals.get("callback"))
    return None


def _is_compiled(function: Any) -> TypeGuard[Callable[..., Any]]:
    return inspect.isfunction(function) and hasattr(function, "_torchdynamo_orig_callable")


def _options(callback: Any) -> Mapping[str, Any] | None:
    """The options that torch.compile was given for this backend; None for another."""
    if callback is None:
        return None
    wrapper: Any = innermost_backend(callback)
    if not any(getattr(wrapper, "compiler_fn", wrapper) is backend for backend in _ours):
        return None
    options: Mapping[str, Any] = getattr(wrapper, "kwargs", {}).get("options", {})
    return options
