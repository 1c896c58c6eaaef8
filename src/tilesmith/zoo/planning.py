"""Compiling a model up to its kernels, without building them: how many, and what is left to the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch._functorch._aot_autograd.utils import make_boxed_func
from torch.fx import GraphModule

from tilesmith.models.capture.fx import export
from tilesmith.models.options import ModelOptions
from tilesmith.models.passes.pipeline import FOR_TILES, GENERAL, optimise
from tilesmith.models.planning.plan import plan
from tilesmith.models.planning.specialize import copied, specialise
from tilesmith.models.report import Report, report_of
from tilesmith.models.torch_backend import through_autograd


@dataclass(frozen=True)
class Planned:
    """`host_compute` are operators on the host that make real numbers; the rest there counts and masks."""

    report: Report
    host_compute: tuple[str, ...]


def planned(
    model: torch.nn.Module,
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None = None,
    options: ModelOptions | None = None,
) -> Planned:
    """Plan a model for inputs like these.

    >>> len(planned(torch.nn.Linear(32, 32).eval(), (torch.zeros(32, 32),)).report.kernels)
    1
    """
    captured = export(model, args, kwargs)
    inputs = [*captured.flatten(args, kwargs or {}), *captured.buffers_of(model)]
    module = specialise(captured.module, inputs)
    return planned_graph(module, options or ModelOptions())


def planned_in_parts(
    model: torch.nn.Module, args: Sequence[Any], kwargs: Mapping[str, Any] | None = None
) -> tuple[Planned, ...]:
    """Plan the graphs that torch.compile makes of a model it cannot capture whole. PyTorch runs them, and
    what lies between them: there, the model reads values to decide what to do next.

    >>> len(planned_in_parts(torch.nn.Linear(32, 32).eval(), (torch.zeros(32, 32),)))
    1
    """
    parts: list[Planned] = []

    def note(module: GraphModule, _inputs: Sequence[Any]) -> Any:
        def run(*given: Any) -> Any:
            parts.append(planned_graph(specialise(copied(module), given), ModelOptions()))
            return module(*given)

        return make_boxed_func(run)

    torch._dynamo.reset()
    with torch.no_grad():
        torch.compile(model, backend=partial(through_autograd, compiler=note))(*args, **(kwargs or {}))
    return tuple(parts)


def planned_graph(module: GraphModule, options: ModelOptions) -> Planned:
    """Plan a graph whose nodes know the shapes of their values; it is changed by the passes.

    >>> from torch.fx.experimental.proxy_tensor import make_fx
    >>> graph = make_fx(lambda x: (torch.relu(x),), tracing_mode="fake")(torch.zeros(32, 32))
    >>> len(planned_graph(graph, ModelOptions()).report.kernels)
    1
    """
    ops = sum(node.op == "call_function" for node in module.graph.nodes)
    optimise(module, options, (*GENERAL, *FOR_TILES))
    report = report_of(plan(module, options.stored, options.fuses), module, ops)
    values = {node.name: node.meta.get("val") for node in module.graph.nodes}
    compute = (line.op for line in report.host if _is_real(values.get(line.node)))
    return Planned(report, tuple(compute))


def _is_real(value: Any) -> bool:
    many = value if isinstance(value, list | tuple) else [value]
    return any(isinstance(one, torch.Tensor) and one.dtype.is_floating_point and one.numel() for one in many)
