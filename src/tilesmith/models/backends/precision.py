"""Lower precision where the results allow it: block floats, fewer phases of the matrix unit, approximations.

A model is planned in cheaper and cheaper ways and run with your inputs and the numbers of the chip. The
cheapest way whose results still correlate with torch's as `accuracy` asks stays. Approximations are those
that are safe for other inputs too (`models/planning/approximations.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

import torch

from tilesmith import settings
from tilesmith.kernels.attention import Attention
from tilesmith.kernels.packed_attention import PackedAttention
from tilesmith.models.backends.kept_trials import kept_trial
from tilesmith.models.backends.resident import Resident
from tilesmith.models.options import Approximation, BlockFloat, ModelOptions
from tilesmith.models.planning.approximations import PRODUCTS
from tilesmith.models.planning.steps import Launch, Plan
from tilesmith.models.report import PrecisionLine
from tilesmith.progress import tracked

if TYPE_CHECKING:
    from tilesmith.models.backends.tenstorrent import TenstorrentExecutable


@dataclass(frozen=True)
class Lowering:
    """A way to run a model with less: formats, fidelity and approximations, as options of a model."""

    weights: BlockFloat
    activations: BlockFloat
    fidelity: str
    approximate: Approximation

    def of(self, options: ModelOptions) -> ModelOptions:
        """The options with this; what the user chose stays."""
        return replace(
            options,
            weights=options.weights or self.weights,
            activations=options.activations or self.activations,
            fidelity=self.fidelity if options.fidelity == "HiFi4" else options.fidelity,
            approximate=options.approximate or self.approximate,
        )


LOWERINGS = (
    Lowering("bfloat8_b", "bfloat8_b", "LoFi", "safe"),
    Lowering("bfloat8_b", "bfloat8_b", "HiFi2", "safe"),
    Lowering("bfloat8_b", "", "HiFi2", "safe"),
    Lowering("bfloat8_b", "", "HiFi2", "none"),
)
"""The cheapest first."""


def lowered(
    exact: Callable[[], TenstorrentExecutable],
    make: Callable[[Lowering], TenstorrentExecutable],
    options: ModelOptions,
    inputs: Sequence[Any],
    key: str,
) -> TenstorrentExecutable:
    """The cheapest executable that passes the gate, or that which is exact; the report says which.

    `key` stands for the graph and all it is given: what trials of it gave is kept on disk.
    """
    keeps = any(isinstance(value, Resident) for value in inputs)
    if keeps or not all(map(_is_real, inputs)) or options.precision != "bfloat16":
        return exact()
    best = -1.0
    for lowering in LOWERINGS if options.accuracy < 1 else ():
        candidate = make(lowering)
        if not _products(candidate.plan):
            return exact()
        way = (candidate.options, candidate.arch.product, candidate.plan)
        correlation = kept_trial(key, way, partial(_tried, candidate, inputs))
        if correlation >= options.accuracy:
            return _reported(candidate, lowering, correlation, True)
        best = max(best, correlation)
    return _reported(exact(), LOWERINGS[-1], best, False)


def _tried(candidate: TenstorrentExecutable, inputs: Sequence[Any]) -> float:
    """How the results of a candidate correlate with torch's."""
    return _correlation(_run(candidate, inputs), candidate.wanted(inputs), candidate.options.accuracy)


def _products(plan: Plan) -> list[Launch]:
    """What can be lowered."""
    launches = [step for step in plan.steps if isinstance(step, Launch)]
    return [step for step in launches if isinstance(step.template, (*PRODUCTS, Attention, PackedAttention))]


def _run(executable: TenstorrentExecutable, inputs: Sequence[Any]) -> list[Any]:
    values = executable.values(inputs)
    with executable.settings(), settings.using(checks="off", numbers="chip"):
        executable.build()
        for step in tracked(executable.plan.steps, "trying lower precision"):
            executable.do(step, values)
    return executable.plan.results(values)


def _correlation(result: Sequence[Any], wanted: Sequence[Any], accuracy: float) -> float:
    """The least correlation of the results; -1 where the error is larger than that correlation allows."""
    pairs = list(zip(result, wanted, strict=True))
    return min((_pair(one, other, accuracy) for one, other in pairs), default=1.0)


def _pair(result: Any, wanted: Any, accuracy: float) -> float:
    if not isinstance(wanted, torch.Tensor):
        return 1.0
    if not wanted.is_floating_point():
        return 1.0 if torch.equal(result, wanted) else -1.0
    a, b = result.double().flatten(), wanted.double().flatten()
    if not bool(torch.isfinite(a).all()):
        return 1.0 if torch.equal(a, b) else -1.0
    if float((a - b).norm()) > sqrt(1 - accuracy**2) * max(float(b.norm()), 1e-30):
        return -1.0
    a, b = a - a.mean(), b - b.mean()
    scale = float(a.norm() * b.norm())
    return float(a @ b) / scale if scale else 1.0


def _is_real(value: Any) -> bool:
    """Whether a value is there, and not only its shape, as while training graphs are traced."""
    return not isinstance(value, torch.Tensor) or type(value) in (torch.Tensor, torch.nn.Parameter)


def _reported(
    executable: TenstorrentExecutable, lowering: Lowering, correlation: float, is_lowered: bool
) -> TenstorrentExecutable:
    lines = tuple(_lines(executable, lowering, correlation, is_lowered))
    executable.report = replace(executable.report, precision=lines)
    return executable


def _lines(
    executable: TenstorrentExecutable, lowering: Lowering, correlation: float, is_lowered: bool
) -> Iterator[PrecisionLine]:
    for step in _products(executable.plan):
        stored = [step.storages[one.name].dtype for one in step.template.tensors]
        narrow = next((one for one in stored if one.startswith("bfloat") and one.endswith("_b")), "")
        yield PrecisionLine(
            step.ops,
            narrow if is_lowered else lowering.weights,
            executable.options.fidelity if is_lowered else lowering.fidelity,
            correlation,
            is_lowered,
            step.approximate,
        )
