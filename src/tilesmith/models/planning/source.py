"""Where an operator comes from: the path of its module, and the line of the user's code."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import torch
from torch.fx import Node

_TORCH = str(Path(torch.__file__).parent)
_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)')
# What the ways to capture a model put before and between the names of modules.
_ROOT = re.compile(r"^(L\['\w+'\]|L__self__)[._]?")
_INDEX = re.compile(r"\._modules\['([^']+)'\]|\['([^']+)'\]|\[(\d+)\]")


@dataclass(frozen=True)
class Source:
    """A module of the user's model ("encoder.layer.3.attention") and a line of its code ("model.py:12")."""

    module: str = ""
    line: str = ""

    def __str__(self) -> str:
        """
        >>> str(Source("layers.0", "model.py:12")), str(Source(line="model.py:12"))
        ('layers.0 (model.py:12)', 'model.py:12')
        """
        return f"{self.module} ({self.line})" if self.module and self.line else self.module or self.line


def source_of(nodes: Iterable[Node]) -> Source:
    """Where the first of some nodes comes from; what passes made comes from where its inputs do."""
    for node in nodes:
        for candidate in (node, *node.all_input_nodes):
            found = Source(_module(candidate), _line(candidate))
            if found.module or found.line:
                return found
    return Source()


def _module(node: Node) -> str:
    stack = node.meta.get("nn_module_stack") or {}
    paths = [entry[0] if isinstance(entry, tuple) else str(entry) for entry in stack.values()]
    return module_path(paths[-1]) if paths else ""


def module_path(captured: str) -> str:
    """The path of a module as `named_modules` has it.

    >>> module_path("L['self'].encoder.layer[3].attention"), module_path("L['self']._modules['0'].q")
    ('encoder.layer.3.attention', '0.q')
    """
    plain = _INDEX.sub(lambda found: "." + next(filter(None, found.groups())), _ROOT.sub("", captured))
    return ".".join(name for name in plain.split(".") if name not in ("", "_modules"))


def _line(node: Node) -> str:
    """The innermost line that is not torch's own."""
    frames = [(found["file"], found["line"]) for found in _FRAME.finditer(node.meta.get("stack_trace") or "")]
    of_user = [f"{file}:{line}" for file, line in frames if not file.startswith(_TORCH)]
    return of_user[-1] if of_user else ""
