"""Fits a loaded example to a machine without a GPU, by the names of its functions.

A function that measures returns at once; one that only prints how far two tensors are apart is followed by a
judgement; and where the sizes are a GPU's, the functions `facts.toml` names get smaller ones.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FunctionType
from typing import Any

import torch
from conformance.tilelang_run import redirect
from conformance.tilelang_run.references import KNOWN

_MEASURING = ("do_bench", "benchmark", "benchmark_fwd", "benchmark_function")
_PRINTING = (
    "compare_tensors",
    "validate_tensor_match",
    "assert_similar",
    "assert_tensors_similar",
    "get_err_ratio",
)
_APART = 0.05  # two roundings of float8, which some of them compare with unrounded values


def adapt(namespace: dict[str, Any], folder: Path, sizes: Mapping[str, Any]) -> None:
    """The names a script or module has, and those of the modules beside it that it imported."""
    beside = [vars(module) for module in list(sys.modules.values()) if _is_in(folder, module)]
    for names in (namespace, *beside):
        for name, value in list(names.items()):
            changed = _adapted(name, value, sizes)
            if changed is not value:
                names[name] = changed


def _is_in(folder: Path, module: Any) -> bool:
    return folder in Path(getattr(module, "__file__", None) or "").parents


def _adapted(name: str, value: Any, sizes: Mapping[str, Any]) -> Any:
    if isinstance(value, int):
        return sizes.get(name, value)
    full = f"{getattr(value, '__module__', '')}.{name}"
    if full in KNOWN:
        return KNOWN[full]  # releases differ in what these functions return
    if not isinstance(value, FunctionType) or hasattr(value, "__wrapped__"):
        return value
    if name in _MEASURING:
        return _at_once(value)
    if name in _PRINTING:
        return _judged(value)
    return _with(value, sizes[name]) if name in sizes else value


def _at_once(function: Callable[..., Any]) -> Callable[..., float]:
    @functools.wraps(function)
    def untimed(*_: Any, **__: Any) -> float:
        return 1.0

    return untimed


def _with(function: Callable[..., Any], arguments: Mapping[str, Any]) -> Callable[..., Any]:
    """Calls that are the same with these arguments are made once."""
    signature = inspect.signature(function)
    results: dict[str, Any] = {}

    @functools.wraps(function)
    def smaller(*args: Any, **named: Any) -> Any:
        bound = signature.bind(*args, **named)
        bound.arguments.update(arguments)
        call = str(bound)
        if call not in results:
            results[call] = function(*bound.args, **bound.kwargs)
        return results[call]

    return smaller


def _judged(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def compare(*args: Any, **named: Any) -> Any:
        result = function(*args, **named)
        ours, theirs = [value for value in (*args, *named.values()) if isinstance(value, torch.Tensor)][:2]
        check_near(ours, theirs)
        redirect.compared.append(function.__name__)
        return result

    return compare


def check_near(one: torch.Tensor, other: torch.Tensor) -> None:
    """Infinite in the same places, and elsewhere apart by little of their size.

    >>> check_near(torch.tensor([1.0, torch.inf]), torch.tensor([1.001, torch.inf]))
    >>> check_near(torch.ones(3), torch.zeros(3))
    Traceback (most recent call last):
    AssertionError: the tensors are apart by 1 of their size
    """
    one, other = one.detach().double(), other.detach().double()
    finite = one.isfinite()
    if not torch.equal(finite, other.isfinite()) or not torch.equal(one[~finite], other[~finite]):
        raise AssertionError("infinities or NaNs are in other places")
    apart = (one[finite] - other[finite]).norm() / torch.maximum(one[finite].norm(), other[finite].norm())
    if not apart.nan_to_num() <= _APART:
        raise AssertionError(f"the tensors are apart by {apart:.3g} of their size")
