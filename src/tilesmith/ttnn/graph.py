"""ttnn.graph: the operations that are called between two marks, as a list of nodes.

A node says which operation began or ended, with what arguments. Memory and device operations are not listed;
tilesmith's profiles have them. Operations run in both modes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from enum import Enum
from pathlib import Path
from typing import Any

from tilesmith.errors import OperationError
from tilesmith.ops.framework.registry import RegisteredOperation, Watcher, watching
from tilesmith.ops.tensor import Tensor

Node = dict[str, Any]


class RunMode(Enum):
    NORMAL = 0
    NO_DISPATCH = 1


class _Capture(Watcher):
    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.open: list[int] = []
        self.seen: AbstractContextManager[None] | None = None
        self.add("capture_start")

    def add(
        self, node_type: str, params: dict[str, str] | None = None, arguments: Sequence[str] = ()
    ) -> None:
        number = len(self.nodes)
        if self.open:
            self.nodes[self.open[-1]]["connections"].append(number)
        elif number:
            self.nodes[0]["connections"].append(number)
        node: Node = {"counter": number, "node_type": node_type, "params": params or {}, "connections": []}
        if node_type == "function_start":
            node["arguments"] = list(arguments)
        self.nodes.append(node)

    def before(self, operation: RegisteredOperation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        told = [_text(one) for one in args] + [f"{name}={_text(one)}" for name, one in kwargs.items()]
        name = operation.python_fully_qualified_name
        self.add("function_start", {"name": name, "inputs": str(len(args) + len(kwargs))}, told)
        self.open.append(len(self.nodes) - 1)

    def after(
        self,
        operation: RegisteredOperation,
        args: tuple[Any, ...],  # noqa: ARG002 - the interface
        kwargs: dict[str, Any],  # noqa: ARG002 - the interface
        result: Any,  # noqa: ARG002 - the interface
    ) -> None:
        self.open.pop()
        self.add("function_end", {"name": operation.python_fully_qualified_name})


_captures: list[_Capture] = []


def _text(value: Any) -> str:
    if isinstance(value, Tensor):
        described = f"DataType::{value.dtype.name}, layout=Layout::{value.layout.name}"
        return f"Tensor(shape={value.shape}, dtype={described})"
    return str(value)


def begin_graph_capture(run_mode: RunMode = RunMode.NORMAL) -> None:  # noqa: ARG001 - both run
    """List every operation from now on."""
    capture = _Capture()
    capture.seen = watching(capture)
    capture.seen.__enter__()
    _captures.append(capture)


def end_graph_capture() -> list[Node]:
    """The nodes since `begin_graph_capture`."""
    if not _captures:
        raise OperationError("no graph is being captured", remedy="call ttnn.graph.begin_graph_capture first")
    capture = _captures.pop()
    assert capture.seen is not None
    capture.seen.__exit__(None, None, None)
    capture.open.clear()
    capture.add("capture_end")
    return capture.nodes


def end_graph_capture_to_file(report_path: str | Path) -> list[Node]:
    """The same, written to a file as JSON, too."""
    nodes = end_graph_capture()
    Path(report_path).write_text(json.dumps(nodes), encoding="utf-8")
    return nodes


def extract_calltrace(captured_graph: Sequence[Node]) -> list[str]:
    """The names of the operations, in order.

    >>> begin_graph_capture()
    >>> extract_calltrace(end_graph_capture())
    []
    """
    return [node["params"]["name"] for node in captured_graph if node["node_type"] == "function_start"]


def pretty_print(captured_graph: Sequence[Node]) -> None:
    """Print the operations, each under the one that called it."""
    depth = 0
    for node in captured_graph:
        depth -= node["node_type"] == "function_end"
        if node["node_type"] == "function_start":
            print("    " * depth + node["params"]["name"])
            depth += 1


def is_graph_capture_active() -> bool:
    return bool(_captures)


def reset_comparison_records_data() -> None:
    """Forget the records of comparison mode: there are none."""
