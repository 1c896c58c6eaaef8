"""Executables by the shapes of their inputs: what was compiled once is not compiled again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import torch

from tilesmith.models.executable import ONE_AT_A_TIME, Executable
from tilesmith.models.report import Report

_collectors: ContextVar[tuple[list[Report], ...]] = ContextVar("collectors", default=())


class ExecutableCache:
    """Executables, each under the signature of the inputs it was compiled for."""

    def __init__(self) -> None:
        self._executables: dict[Any, Executable] = {}

    def __len__(self) -> int:
        return len(self._executables)

    def get(self, key: Any, build: Callable[[], Executable], renew: bool = False) -> Executable:
        """The executable of a signature, built if there is none.

        With `renew` also if the device of the last was closed; else running it tells the user so.
        """
        with ONE_AT_A_TIME:
            found = self._executables.get(key)
            if found is None or (renew and found.is_closed):
                found = self._executables[key] = build()
                for reports in _collectors.get():
                    reports.append(found.report)
            return found


@contextmanager
def collect_reports() -> Iterator[list[Report]]:
    """The reports of what is compiled inside, the latest last. A backward graph is when it is first needed.

    >>> from tilesmith.models.compiled_model import compile_model
    >>> with collect_reports() as reports:
    ...     model = compile_model(torch.nn.Linear(8, 4), backend="cpu", example_inputs=[torch.ones(2, 8)])
    >>> len(reports)
    1
    """
    reports: list[Report] = []
    token = _collectors.set((*_collectors.get(), reports))
    try:
        yield reports
    finally:
        _collectors.reset(token)


def signature(value: Any) -> Any:
    """What of an argument decides how a graph is compiled.

    >>> signature([torch.ones(2, 3), 4])
    ('list', ('tensor', (2, 3), torch.float32), ('int', 4))
    """
    if isinstance(value, torch.Tensor):
        return ("tensor", tuple(value.shape), value.dtype)
    if isinstance(value, list | tuple):
        return (type(value).__name__, *map(signature, value))
    if isinstance(value, dict):
        return ("dict", *((key, signature(entry)) for key, entry in value.items()))
    if isinstance(value, float):
        return "float", value.hex()  # -0.0 equals 0.0, and NaN nothing
    return type(value).__name__, id(value) if value.__hash__ is None else value
