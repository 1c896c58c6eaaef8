"""Lower precision where the results allow it: weights in bfloat8_b, fewer phases, approximate functions.

Every product with constant weights, and attention, is run as it is and in cheaper ways, on the tensors it has
in a run of the model, with the numbers of the chip. The cheapest way that moves its result no farther than
the gate stays. Then the whole model is compared; while it is beyond the gate, the kernels that moved most go
back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from tilesmith import settings
from tilesmith.kernels.attention import Attention
from tilesmith.kernels.linear import Linear
from tilesmith.models.options import ModelOptions
from tilesmith.models.planning.steps import Launch, Plan, Upload
from tilesmith.models.planning.views import Storage, View, new_storage
from tilesmith.models.report import PrecisionLine
from tilesmith.progress import tracked
from tilesmith.runtime import Layout

if TYPE_CHECKING:
    from tilesmith.models.backends.tenstorrent import TenstorrentExecutable

_WEIGHTS = "bfloat8_b"
# The cheapest first.
_FIDELITIES = ("LoFi", "HiFi2")


@dataclass(frozen=True)
class _Trial:
    """A launch in lower precision, and how far its result moved."""

    step: Launch
    uploads: tuple[Upload, ...]
    error: float


def lower_precision(executable: TenstorrentExecutable, inputs: Sequence[Any]) -> None:
    """Lower what the gate allows, and say in the report what was lowered and what was not."""
    weights = {upload.view.storage: upload for upload in executable.plan.constants}
    if not all(_is_real(value) for value in inputs) or executable.options.precision != "bfloat16":
        return
    before = executable.plan
    with executable.settings(), settings.using(checks="off", numbers="chip"):
        wanted, trials = _tried(executable, inputs, weights)
        gate = executable.options.accuracy
        kept = {place: trial for place, trial in trials.items() if trial.error <= gate}
        executable.take(_with(before, kept))
        while kept and _distance(_run(executable, inputs), wanted) > gate:
            worst = sorted(kept, key=lambda place: kept[place].error)[3 * len(kept) // 4 :]
            kept = {place: trial for place, trial in kept.items() if place not in worst}
            executable.take(_with(before, kept))
    lines = tuple(_line(trial, place in kept) for place, trial in trials.items())
    executable.report = replace(executable.report, precision=lines)


def _tried(
    executable: TenstorrentExecutable, inputs: Sequence[Any], weights: dict[Storage, Upload]
) -> tuple[list[Any], dict[int, _Trial]]:
    """The results of the model as it is, and for each product the cheapest way that passes, or the best."""
    values = executable.values(inputs)
    trials: dict[int, _Trial] = {}
    steps = executable.plan.steps
    for place, step in tracked(list(enumerate(steps)), "trying lower precision"):
        executable.do(step, values)
        if isinstance(step, Launch) and (
            _is_product_of(step, weights) or isinstance(step.template, Attention)
        ):
            result = _results(executable, step)
            for trial in _trials(executable, step, weights, result):
                if place not in trials or trial.error < trials[place].error:
                    trials[place] = trial
                if trial.error <= executable.options.accuracy:
                    trials[place] = trial
                    break
            executable.do(step, values)
    return executable.plan.results(values), trials


def _trials(
    executable: TenstorrentExecutable,
    step: Launch,
    weights: dict[Storage, Upload],
    wanted: list[Any],
) -> Iterator[_Trial]:
    narrow: dict[str, Storage] = {}
    uploads: list[Upload] = []
    for name in _weight_names(step):  # attention has none
        storage, upload = step.storages[name], weights[step.storages[name]]
        narrow[name] = new_storage(storage.rows, storage.cols, storage.layout, _WEIGHTS)
        view = upload.view
        uploads.append(replace(upload, view=View(narrow[name], view.axes, view.row, view.col)))
        executable.place(uploads[-1])
    storages = {**step.storages, **narrow}
    for fidelity, approximate in _ways(step, executable.options):
        trial = replace(step, storages=storages, fidelity=fidelity, approximate=approximate)
        executable.device.run(executable.program(trial))
        yield _Trial(trial, tuple(uploads), _distance(_results(executable, step), wanted))


def _ways(step: Launch, options: ModelOptions) -> list[tuple[str, str]]:
    """Fidelities and approximations, the cheapest first; functions are exact where the user said so."""
    results = step.template.epilogue.results if isinstance(step.template, Linear) else ()
    has_functions = not results or any("gelu" in str(one.value) or "exp" in str(one.value) for one in results)
    fast = ("fast", "") if has_functions and not options.approximate else ("",)
    return [(fidelity, approximate) for fidelity in _FIDELITIES for approximate in fast]


def _weight_names(step: Launch) -> list[str]:
    if not isinstance(step.template, Linear):
        return []
    return [f"w{number}" for number in range(step.template.weights)]


def _is_product_of(step: Launch, weights: dict[Storage, Upload]) -> bool:
    return isinstance(step.template, Linear) and all(
        step.storages[name] in weights and step.storages[name].layout is Layout.TILE
        for name in _weight_names(step)
    )


def _with(plan: Plan, kept: dict[int, _Trial]) -> Plan:
    """The plan with some launches lowered; weights nobody reads any more stay behind."""
    steps = tuple(kept[place].step if place in kept else step for place, step in enumerate(plan.steps))
    read = {storage for step in steps if isinstance(step, Launch) for storage in step.storages.values()}
    uploads = (*plan.constants, *(upload for trial in kept.values() for upload in trial.uploads))
    return replace(plan, steps=steps, constants=tuple(one for one in uploads if one.view.storage in read))


def _run(executable: TenstorrentExecutable, inputs: Sequence[Any]) -> list[Any]:
    values = executable.values(inputs)
    for step in tracked(executable.plan.steps, "comparing results"):
        executable.do(step, values)
    return executable.plan.results(values)


def _results(executable: TenstorrentExecutable, step: Launch) -> list[Any]:
    return [executable.tensor(storage).to_numpy().astype(np.float64) for storage in step.outputs]


def _distance(result: Sequence[Any], wanted: Sequence[Any]) -> float:
    """The largest relative L2 error of the results that are tensors of real numbers."""
    return max((_relative(one, other) for one, other in zip(result, wanted, strict=True)), default=0.0)


def _relative(result: Any, wanted: Any) -> float:
    if isinstance(result, torch.Tensor):
        if not result.is_floating_point():
            return 0.0 if torch.equal(result, wanted) else float("inf")
        result, wanted = result.double().numpy(), wanted.double().numpy()
    if not isinstance(result, np.ndarray):
        return 0.0
    return float(np.linalg.norm(result - wanted) / max(float(np.linalg.norm(wanted)), 1e-30))


def _is_real(value: Any) -> bool:
    """Whether a value is there, and not only its shape, as while training graphs are traced."""
    return not isinstance(value, torch.Tensor) or type(value) in (torch.Tensor, torch.nn.Parameter)


def _line(trial: _Trial, lowered: bool) -> PrecisionLine:
    step, weights = trial.step, _WEIGHTS if trial.uploads else ""
    return PrecisionLine(step.ops, weights, step.fidelity, trial.error, lowered, step.approximate)
