"""Writes the stubs of tilesmith.ttnn from the signatures of its operations.

    python scripts/ttnn_stubs.py

Operations are objects that are found by name at run time; type checkers see them as functions, through
src/tilesmith/ttnn/__init__.pyi and the stubs of its namespaces.
"""

from __future__ import annotations

import ast
import inspect
import types
import typing
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from tilesmith import ttnn
from tilesmith.ops.device import MeshDevice
from tilesmith.ops.elementwise import activation
from tilesmith.ops.framework import RegisteredOperation, registered_operations
from tilesmith.ttnn.names import NAMES

FOLDER = Path(ttnn.__file__).parent
NAMESPACES = ("experimental", "kv_cache", "transformer")
HEAD = "# ruff: noqa\n# fmt: off\n# Written by scripts/ttnn_stubs.py from the signatures of the operations.\n"
_BY_HAND = {
    "get_golden_function": "def get_golden_function(operation: Callable[..., Any])"
    " -> Callable[..., Any]: ...",
    "attach_golden_function": "def attach_golden_function(operation: Callable[..., Any],"
    " golden_function: Callable[..., Any]) -> None: ...",
    "registered_operations": "def registered_operations() -> Mapping[str, Any]: ...",
}


class Imports:
    """What a stub imports, noted while types are written."""

    def __init__(self) -> None:
        self.names: dict[str, set[str]] = defaultdict(set)
        self.owners: dict[str, str] = {}  # of names: the module

    def text(self, annotation: Any) -> str:
        """A type as it is written in a stub."""
        if annotation is None or annotation is type(None):
            return "None"
        if annotation is Ellipsis:
            return "..."
        if annotation is Any:
            return self._named("typing", "Any")
        origin, args = typing.get_origin(annotation), typing.get_args(annotation)
        if origin in (types.UnionType, typing.Union):
            return " | ".join(dict.fromkeys(self.text(one) for one in args))
        if origin is typing.Literal:
            return f"{self._named('typing', 'Literal')}[{', '.join(map(repr, args))}]"
        if origin is not None:
            inner = ", ".join(
                f"[{', '.join(map(self.text, one))}]" if isinstance(one, list) else self.text(one)
                for one in args
            )
            return f"{self.text(origin)}[{inner}]" if inner else self.text(origin)
        if isinstance(annotation, type):
            if annotation.__module__ == "builtins":
                return annotation.__name__
            if annotation.__module__.partition(".")[0] == "torch":
                self.names["torch"].add("")
                return f"torch.{annotation.__name__}"
            return self._named(annotation.__module__, annotation.__name__)
        return self._named("typing", "Any")

    def _named(self, module: str, name: str) -> str:
        """Under a name of its own: ttnn exports some of the same names, not always the same things."""
        self.names[module].add(name)
        alias = f"_{name}"
        while self.owners.setdefault(alias, module) != module:
            alias += "_"
        return alias

    def lines(self) -> list[str]:
        made = []
        for module, names in sorted(self.names.items()):
            if "" in names:
                made.append(f"import {module}")
            else:
                made += [
                    f"from {module} import {name} as {self._named(module, name)}" for name in sorted(names)
                ]
        return made


def function_text(name: str, operation: RegisteredOperation, imports: Imports) -> str:
    """def name(arguments) -> result: ..."""
    scope = {**inspect.unwrap(operation.function).__globals__, "torch": torch, "MeshDevice": MeshDevice}
    signature = inspect.signature(operation.function)
    parts: list[str] = []
    star = open_ended = False
    for parameter in signature.parameters.values():
        kind = parameter.kind
        if kind is parameter.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        mark = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(kind, "")
        star = star or mark == "*"
        default = "" if parameter.default is parameter.empty else " = ..."
        open_ended = open_ended or mark == "**"
        parts.append(f"{mark}{parameter.name}: {imports.text(_type(parameter.annotation, scope))}{default}")
    if not open_ended and "queue_id" not in signature.parameters:
        parts += [*(["*"] if not star else []), "queue_id: int | None = ..."]
    result = imports.text(_type(signature.return_annotation, scope))
    return f"def {name}({', '.join(parts)}) -> {result}: ..."


def _type(annotation: Any, scope: Mapping[str, Any]) -> Any:
    if annotation is inspect.Signature.empty:
        return Any
    while isinstance(annotation, str):  # an alias may be a string in its turn
        annotation = eval(annotation, {**vars(activation), **scope})
    return annotation


def operations_of(prefix: str) -> dict[str, RegisteredOperation]:
    """By their names without the prefix; those of ttnn itself have no further dot."""
    start = f"{prefix}."
    found = {
        name.removeprefix(start): one
        for name, one in registered_operations().items()
        if name.startswith(start)
    }
    return {
        name: found[name] for name in sorted(found) if "." not in name and not name.startswith("example_of")
    }


def namespace_stub(name: str) -> str:
    imports = Imports()
    functions = [
        function_text(one, operation, imports) for one, operation in operations_of(f"ttnn.{name}").items()
    ]
    return "\n".join([HEAD, *imports.lines(), "", *functions, ""])


def main_stub() -> str:
    imports = Imports()
    functions = [
        function_text(name, operation, imports)
        for name, operation in operations_of("ttnn").items()
        if name not in _BY_HAND
    ]
    exported = [line for line in _reexports() if line.rpartition(" ")[2] not in _BY_HAND]
    modules = [f"from tilesmith.ttnn import {name} as {name}" for name in sorted(ttnn.MODULES)]
    tables = [f"from tilesmith.{module} import {name} as {name}" for name, module in sorted(NAMES.items())]
    plain = ["from collections.abc import Callable, Mapping", "from typing import Any"]
    lines = [HEAD, *plain, *imports.lines(), "", *exported, *modules, *tables, "", *_assigned(), ""]
    return "\n".join([*lines, *_BY_HAND.values(), *functions, ""])


def _reexports() -> list[str]:
    """What __init__.py imports, each by itself."""
    tree = ast.parse((FOLDER / "__init__.py").read_text(encoding="utf-8"))
    skipped = ("__future__", "typing", "importlib", "tilesmith.ttnn.names", "tilesmith.ops.catalogue")
    return sorted(
        f"from {node.module} import {one.name} as {one.asname or one.name}"
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module not in skipped
        for one in node.names
    )


def _assigned() -> list[str]:
    return [
        "TILE_SIZE: int",
        "TRACE_ALLOC_TRACKING: bool",
        "MODULES: tuple[str, ...]",
        "Device = MeshDevice",
        "WormholeComputeKernelConfig = ComputeKernelConfig",
        "BlackholeComputeKernelConfig = ComputeKernelConfig",
        "def tile_size(dtype: DataType) -> int: ...",
    ]


def stubs() -> dict[Path, Callable[[], str]]:
    made: dict[Path, Callable[[], str]] = {FOLDER / "__init__.pyi": main_stub}
    for name in NAMESPACES:
        made[FOLDER / f"{name}.pyi"] = lambda name=name: namespace_stub(name)
    return made


if __name__ == "__main__":
    for path, write in stubs().items():
        path.write_text(write(), encoding="utf-8")
