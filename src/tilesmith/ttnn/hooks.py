"""Functions called before and after every operation, as ttnn's Python layer has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tilesmith.ops.framework.registry import RegisteredOperation, Watcher, watching

Before = Callable[[RegisteredOperation, tuple[Any, ...], dict[str, Any]], None]
After = Callable[[RegisteredOperation, tuple[Any, ...], dict[str, Any], Any], None]


class _Hooks(Watcher):
    def __init__(self, before: Before | None = None, after: After | None = None) -> None:
        self._before, self._after = before, after

    def before(self, operation: RegisteredOperation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if self._before is not None:
            self._before(operation, args, kwargs)

    def after(
        self, operation: RegisteredOperation, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
    ) -> None:
        if self._after is not None:
            self._after(operation, args, kwargs, result)


@contextmanager
def register_pre_operation_hook(hook: Before) -> Iterator[None]:
    """Call `hook(operation, args, kwargs)` before every operation of the block."""
    with watching(_Hooks(before=hook)):
        yield


@contextmanager
def register_post_operation_hook(hook: After) -> Iterator[None]:
    """Call `hook(operation, args, kwargs, result)` after every operation of the block."""
    with watching(_Hooks(after=hook)):
        yield
