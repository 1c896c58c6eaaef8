"""Compiling a model up to its kernels, without building them: how many, and what is left to the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from tilesmith.frontend.torch import export
from tilesmith.graph.options import ModelOptions
from tilesmith.graph.pipeline import FOR_TILES, GENERAL, optimise
from tilesmith.graph.planning import plan
from tilesmith.graph.report import Report, report_of
from tilesmith.graph.specialise import specialise


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
    chosen = options or ModelOptions()
    captured = export(model, args, kwargs)
    module = specialise(captured.module, captured.flatten(args, kwargs or {}))
    ops = sum(node.op == "call_function" for node in module.graph.nodes)
    optimise(module, chosen, (*GENERAL, *FOR_TILES))
    report = report_of(plan(module, chosen.precision, chosen.fuses), module, ops)
    values = {node.name: node.meta.get("val") for node in module.graph.nodes}
    compute = (line.op for line in report.host if _is_real(values.get(line.node)))
    return Planned(report, tuple(compute))


def _is_real(value: Any) -> bool:
    many = value if isinstance(value, list | tuple) else [value]
    return any(isinstance(one, torch.Tensor) and one.dtype.is_floating_point and one.numel() for one in many)
