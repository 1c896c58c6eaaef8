"""Code that dynamo runs eagerly instead of calling the backend: it says so in its logs alone, so we do."""

from __future__ import annotations

import sys
import sysconfig
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import torch
from torch._dynamo.callback import CallbackArgs, callback_handler
from torch._dynamo.exc import Unsupported, UserError
from torch._dynamo.utils import graph_break_reasons
from torch.nn.parallel import DistributedDataParallel

from tilesmith.errors import TilesmithWarning
from tilesmith.models.capture.graph_breaks import WRAPPERS, as_written, left_out

_LIBRARIES = (Path(torch.__file__).parent, Path(sysconfig.get_path("stdlib")))
_breaks_before = 0
_told: set[str] = set()
_ours: list[Callable[..., Any]] = []


class _Lasting(list[Callable[[CallbackArgs], None]]):
    """Listeners of which a reset of dynamo leaves one."""

    def __init__(self, others: Iterable[Callable[[CallbackArgs], None]], ours: Callable[..., None]) -> None:
        super().__init__([*others, ours])
        self._ours = ours

    def clear(self) -> None:
        self[:] = [self._ours]


def watch_eager_frames(backend: Callable[..., Any]) -> None:
    """Warn from now on when torch.compile gives up on a function that this backend was to compile."""
    if backend not in _ours:
        _ours.append(backend)
    if not isinstance(callback_handler.start_callbacks, _Lasting):
        callback_handler.start_callbacks = _Lasting(callback_handler.start_callbacks, _at_start)
        callback_handler.end_callbacks = _Lasting(callback_handler.end_callbacks, _at_end)
        _remember()


def _at_start(_: CallbackArgs) -> None:
    _remember()


def _remember() -> None:
    """What was counted by now is not held against code that is compiled from now on."""
    global _breaks_before
    _breaks_before = len(graph_break_reasons)


def _at_end(_: CallbackArgs) -> None:
    given = _being_compiled(sys._getframe())
    if given is None or given["one_graph"]:  # where all is to be one graph, torch raises an error
        return
    if not any(one is ours for one in _layers(given["compiler_fn"]) for ours in _ours):
        return
    what = _container_in_ddp(given["locals"])
    error = sys.exc_info()[1]  # with which dynamo gives the whole function up
    if what is None and isinstance(error, Unsupported | UserError) and not _is_library(given["code"]):
        what = f"{_name_of(given)}: {str(error).splitlines()[0]}"
    what = what or left_out(graph_break_reasons[_breaks_before:])
    if what is not None:
        warnings.warn(
            f"torch.compile runs eagerly, and not on the device: {what}", TilesmithWarning, stacklevel=2
        )


def _name_of(given: dict[str, Any]) -> str:
    """A function that dynamo was given, and its place; what is wrapped, if it is a wrapper of dynamo's."""
    code = given["code"]
    if code.co_filename == WRAPPERS:
        wrapped = [cell.cell_contents for cell in given["closure"] or () if callable(cell.cell_contents)]
        if wrapped:
            return str(getattr(wrapped[0], "__qualname__", type(wrapped[0]).__name__))
    return f"{as_written(code.co_qualname)} ({code.co_filename}:{code.co_firstlineno})"


def _is_library(code: CodeType) -> bool:
    """Whether code is torch's or Python's own, which users cannot change; their models are not."""
    file = Path(code.co_filename)
    packages = "site-packages" in file.parts and _LIBRARIES[0] not in file.parents
    return not packages and str(file) != WRAPPERS and any(folder in file.parents for folder in _LIBRARIES)


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
