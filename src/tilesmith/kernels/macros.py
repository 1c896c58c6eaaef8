"""`T.macro` for functions that are made again and again.

TileLang reads the text of a macro and rewrites it whenever the function is made. Templates make the same
functions for every kernel, and spent most of the time of tracing there. Only the values around them differ.
A function around which there is nothing is rewritten when a kernel first uses it: imports need none.
"""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from types import CellType, CodeType, FunctionType
from typing import Any

import tilelang.language as T  # noqa: N812 - the name TileLang's users know


@dataclass(frozen=True)
class _Rewritten:
    """A macro as TileLang made it first, and the code of the function that writes its body."""

    macro: Any
    code: CodeType
    global_names: dict[str, Any]
    annotations: dict[str, Any]

    def around(self, function: FunctionType, values: dict[str, Any]) -> Any:
        """The macro of another function with the same text, around which there are these values."""
        cells = tuple(CellType(values[name]) for name in self.code.co_freevars)
        body = FunctionType(self.code, self.global_names, function.__name__, None, cells)
        generator = replace(self.macro.ir_gen, gen=body)
        return replace(self.macro, orig_func=function, ir_gen=generator)


# By the text, and by the names around it that have a value by then.
_known: dict[tuple[CodeType, tuple[str, ...]], _Rewritten] = {}


class _Late:
    """A macro that is made when it is first used."""

    def __init__(self, function: FunctionType) -> None:
        self._function = function

    @cached_property
    def _macro(self) -> Any:
        return _made(self._function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._macro(*args, **kwargs)


def macro(function: Callable[..., Any]) -> Any:
    """The macro of a function, whose text is rewritten once.

    >>> def adding(number: int) -> Any:
    ...     @macro
    ...     def added(x):
    ...         return x + number
    ...     return added
    >>> one, two = adding(1), adding(2)
    >>> one.source == two.source, [added.orig_func(1) for added in (one, two)]
    (True, [2, 3])
    """
    assert isinstance(function, FunctionType)
    return _Late(function) if function.__closure__ is None else _made(function)


def _made(function: FunctionType) -> Any:
    values = _values_around(function)
    key = function.__code__, tuple(values)
    if key in _known and _known[key].annotations == function.__annotations__:
        return _known[key].around(function, values)
    first = T.macro(function)
    body = first.ir_gen.gen
    if set(body.__code__.co_freevars) <= set(values):
        bare = replace(first, orig_func=None, ir_gen=replace(first.ir_gen, gen=None))
        _known[key] = _Rewritten(bare, body.__code__, body.__globals__, dict(function.__annotations__))
    return first


def _values_around(function: FunctionType) -> dict[str, Any]:
    values = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):  # what is defined after the function has no value yet
            values[name] = cell.cell_contents
    return values
