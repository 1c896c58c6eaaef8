"""ttnn.tracer: the operations called inside a block, as `ttnn.graph` lists them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from tilesmith.errors import OperationError
from tilesmith.ttnn import graph

_last: list[graph.Node] = []
_enabled: list[bool] = []


@contextmanager
def trace() -> Iterator[None]:
    """List the operations of the block; `get_graph` gives them afterwards."""
    graph.begin_graph_capture()
    _enabled.append(True)
    try:
        yield
    finally:
        _enabled.pop()
        _last[:] = graph.end_graph_capture()


def get_graph(*_: Any) -> list[graph.Node]:
    """The operations of the last block that ended."""
    return list(_last)


def visualize(*_: Any, **__: Any) -> NoReturn:
    raise OperationError(
        "tilesmith: traces are not drawn here",
        remedy="print ttnn.graph.extract_calltrace(ttnn.tracer.get_graph())",
    )


def disable_tracing() -> None:
    """Tracing ends with its block."""


def is_tracing_enabled() -> bool:
    return bool(_enabled)
