"""Code that dynamo runs eagerly instead of calling the backend: it says so in its logs alone, so we do."""

from __future__ import annotations

import re
import sys
import sysconfig
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import torch
from torch._dynamo.callback import CallbackArgs, callback_handler
from torch._dynamo.utils import counters
from torch.nn.parallel import DistributedDataParallel

from tilesmith.errors import TilesmithWarning

_LIBRARIES = (Path(torch.__file__).parent, Path(sysconfig.get_path("stdlib")))
_LAYERS = Path(torch.nn.__file__).parent
_before: dict[str, Counter[str]] = {}
_told: set[str] = set()
_ours: list[Callable[..., Any]] = []


def watch_eager_frames(backend: Callable[..., Any]) -> None:
    """Warn from now on when torch.compile gives up on a function that this backend was to compile."""
    if backend not in _ours:
        _ours.append(backend)
    if _at_start not in callback_handler.start_callbacks:  # a reset of dynamo forgets them
        callback_handler.register_start_callback(_at_start)
        callback_handler.register_end_callback(_at_end)
        _remember()


def _at_start(_: CallbackArgs) -> None:
    _remember()


def _remember() -> None:
    """What was counted by now is not held against code that is compiled from now on."""
    _before.update({table: Counter(counters[table]) for table in ("unimplemented", "graph_break")})


def _since(table: str) -> Counter[str]:
    """What dynamo counted while it compiled this piece of code."""
    return Counter(counters[table]) - _before.get(table, Counter())


def _at_end(_: CallbackArgs) -> None:
    given = _being_compiled(sys._getframe())
    if given is None or not any(one is ours for one in _layers(given["compiler_fn"]) for ours in _ours):
        return
    what = _container_in_ddp(given["locals"])
    reasons = _since("unimplemented")
    file = Path(given["code"].co_filename)
    if what is None and reasons and not _is_library(file):
        why = next(iter(reasons)).splitlines()[0]
        what = f"{given['code'].co_qualname} ({file}:{given['code'].co_firstlineno}): {why}"
    what = what or _left_out_layer(_since("graph_break"), given["code"])
    if what is not None:
        warnings.warn(
            f"torch.compile runs eagerly, and not on the device: {what}", TilesmithWarning, stacklevel=2
        )


def _left_out_layer(breaks: Counter[str], code: CodeType) -> str | None:
    """A layer of torch that dynamo breaks the graph for, or in: packed sequences are such a case."""
    caller = re.sub(r"torch_dynamo_resume_in_(\w+)_at_\d+", r"\1", code.co_qualname)
    place = f"{caller} ({code.co_filename}:{code.co_firstlineno})"
    if breaks and _LAYERS in Path(code.co_filename).parents:
        return f"{place}: {next(iter(breaks)).splitlines()[0]}"
    for why in breaks:
        called = re.search(r"function `(\w+)` in file `([^`]+)`", why)
        if called is not None and _LAYERS in Path(called[2]).parents:
            return f"{called[1]}, which {place} calls, and layers that take what it gives"
    return None


def _is_library(file: Path) -> bool:
    """Whether code is torch's or Python's own, which users cannot change; their models are not."""
    packages = "site-packages" in file.parts and _LIBRARIES[0] not in file.parents
    return not packages and any(folder in file.parents for folder in _LIBRARIES)


def _being_compiled(frame: FrameType | None) -> dict[str, Any] | None:
    """What dynamo was given to compile: the arguments of a function of its own, further up the stack."""
    while frame is not None:
        if frame.f_code.co_name == "_compile" and {"compiler_fn", "code", "locals"} <= frame.f_locals.keys():
            return dict(frame.f_locals)
        frame = frame.f_back
    return None


def _layers(function: Any) -> Iterator[Any]:
    """A backend, and what torch wrapped around it."""
    while function is not None:
        yield function
        inner = getattr(function, "compiler_fn", None) or getattr(function, "__wrapped__", None)
        function = inner or getattr(function, "_torchdynamo_orig_backend", None)


def _container_in_ddp(given: dict[str, Any]) -> str | None:
    """A module of torch in DistributedDataParallel: dynamo looks into neither."""
    values = [getattr(value, "__self__", value) for value in given.values()]
    outer = next((value for value in values if isinstance(value, DistributedDataParallel)), None)
    if outer is None:
        return None
    name = type(outer.module).__name__
    if not type(outer.module).__module__.startswith("torch.") or name in _told:
        return None
    _told.add(name)
    return f"{name} in DistributedDataParallel; compile the module first and wrap the result"
