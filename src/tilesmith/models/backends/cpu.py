"""The same graph passes, run with torch on the host: the reference, and the oracle for the other backends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch.fx import GraphModule

from tilesmith.models.backends.base import Backend, Executable
from tilesmith.models.passes.pipeline import optimise
from tilesmith.models.report import Report


@dataclass(frozen=True)
class CpuBackend(Backend):
    """Graphs without tile kernels: torch's own operators, folded and captured as for the device."""

    name: ClassVar[str] = "cpu"

    def compile(self, module: GraphModule, inputs: Sequence[Any]) -> Executable:  # noqa: ARG002
        ops = sum(node.op == "call_function" for node in module.graph.nodes)
        optimise(module, self.options)
        return CpuExecutable(module, Report(ops=ops))


class CpuExecutable(Executable):
    """The graph as Python code that calls torch."""

    def __init__(self, module: GraphModule, report: Report) -> None:
        self.report = report
        self.module = module

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        with torch.no_grad():
            return list(self.module(*inputs))
