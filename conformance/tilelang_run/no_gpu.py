"""Lets code written for a GPU run without one: tensors live on the CPU, streams and events do nothing."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
from torch.overrides import TorchFunctionMode


def _on_cpu(value: Any) -> Any:
    if isinstance(value, str) and value.split(":")[0] == "cuda":
        return "cpu"
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    return value


# Products of float16 take minutes on a CPU. References use them.
_SLOW_IN_HALF = (
    torch.matmul,
    torch.Tensor.matmul,
    torch.Tensor.__matmul__,
    torch.mm,
    torch.bmm,
    torch.einsum,
    torch.nn.functional.linear,
    torch.nn.functional.conv2d,
    torch.nn.functional.scaled_dot_product_attention,
)
# Some examples compare what neither they nor their references write.
_UNWRITTEN = (torch.empty, torch.empty_like)
_HALVES = (torch.float16, torch.bfloat16)


def _half_type(values: Any) -> torch.dtype | None:
    """The narrow type among tensors, some of which may be in a list."""
    flat = [one for value in values for one in (value if isinstance(value, list | tuple) else [value])]
    return next((one.dtype for one in flat if isinstance(one, torch.Tensor) and one.dtype in _HALVES), None)


def _wide(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_wide(one) for one in value]
    return value.float() if isinstance(value, torch.Tensor) and value.dtype in _HALVES else value


class CudaOnCpu(TorchFunctionMode):
    """Every torch call that names the device "cuda" means the CPU."""

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if function is torch.Tensor.cuda:
            return args[0]
        named = {name: _on_cpu(value) for name, value in (kwargs or {}).items() if name != "pin_memory"}
        half = _half_type(args) if function in _SLOW_IN_HALF else None
        if half is not None:
            return function(*map(_wide, args), **named).to(half)
        result = function(*map(_on_cpu, args), **named)
        return result.zero_() if function in _UNWRITTEN else result


class _Event:
    """Takes part in timing that means nothing here."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        del args, kwargs

    def record(self, *args: Any) -> None:
        """Nothing is measured."""

    def synchronize(self) -> None:
        """Nothing runs in the background."""

    def elapsed_time(self, other: _Event) -> float:
        del other
        return 1.0


class _Stream:
    """Work is done when it is asked for, in whatever stream."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        del args, kwargs

    def __enter__(self) -> _Stream:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to wait for."""

    def synchronize(self) -> None:
        """Nothing runs in the background."""

    wait_stream = wait_event = record_event = lambda *_: None


class _Profile(_Stream):
    """What takes no time has no profile."""

    def key_averages(self, *_: Any, **__: Any) -> _Profile:
        return self

    def table(self, *_: Any, **__: Any) -> str:
        return "no GPU was profiled"

    def step(self) -> None:
        """Nothing is recorded."""


_Generator = torch.Generator


class _CpuGenerator(_Generator):
    def __new__(cls, device: Any = "cpu") -> _CpuGenerator:
        return _Generator.__new__(cls, device=_on_cpu(device))  # type: ignore[call-arg]


def _nothing() -> Callable[..., None]:
    """A function of its own each time: torch.compile wants every name of torch to be another object."""
    return lambda *_, **__: None


def install() -> None:
    """For the whole process; the mode itself is entered by the caller."""
    properties = SimpleNamespace(
        multi_processor_count=64, name="no GPU", major=9, minor=0, total_memory=2**34,
        shared_memory_per_block=2**20, L2_cache_size=2**24,
    )  # fmt: skip
    stand_ins = {
        "is_available": lambda: True,
        "synchronize": _nothing(),
        "current_device": lambda: 0,
        "device_count": lambda: 1,
        "set_device": _nothing(),
        "init": _nothing(),
        "empty_cache": _nothing(),
        "manual_seed": _nothing(),
        "manual_seed_all": _nothing(),
        "get_device_capability": lambda *_: (9, 0),
        "get_device_name": lambda *_: "no GPU",
        "get_device_properties": lambda *_: properties,
        "memory_allocated": lambda *_: 0,
        "Event": _Event,
        "Stream": _Stream,
        "stream": _Stream,
        "device": _Stream,
        "current_stream": lambda *_: _Stream(),
        "default_stream": lambda *_: _Stream(),
    }
    for name, stand_in in stand_ins.items():
        setattr(torch.cuda, name, stand_in)
    torch.set_default_device = _nothing()
    torch.cuda.profiler.start = torch.cuda.profiler.stop = _nothing()
    torch.cpu.device = _Stream  # type: ignore[attr-defined]
    torch.profiler.profile = _Profile  # type: ignore[misc, assignment]
    fork = torch.random.fork_rng
    torch.random.fork_rng = lambda *_, **__: fork(devices=[])
    torch.Generator = _CpuGenerator  # type: ignore[misc]
