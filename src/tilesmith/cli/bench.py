"""`tilesmith bench`: a model of the zoo, or of a Python file, at every optimisation level."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from tilesmith.cli.compare import Gate
from tilesmith.compiler.kernel_reference import kernel_from, parsed
from tilesmith.errors import BadCallError
from tilesmith.profiling.runs.gate import Verdict
from tilesmith.profiling.runs.store import RunStore, keep
from tilesmith.zoo import load
from tilesmith.zoo.levels import LEVELS, LevelFigures, bench_levels
from tilesmith.zoo.measured import HOSTS, MeasuredFigures, bench_host
from tilesmith.zoo.sample import Loop, Size


def bench(
    name: str,
    tiny: bool,
    levels: str,
    weights: Path | None,
    accuracy: float,
    checks: bool,
    trace: bool = False,
) -> list[LevelFigures]:
    """The figures of the model a user names, at the levels a user names ("O0,O2"; empty for all)."""
    chosen = _levels(levels) or list(LEVELS)
    model, inputs = named_model(name, "tiny" if tiny else "full", weights)
    emulator = {"checks": "on", "numbers": "chip"} if checks else {"checks": "off", "numbers": "fast"}
    title = f"{name} tiny" if tiny else name
    return bench_levels(model, inputs, chosen, title=title, trace=trace, accuracy=accuracy, **emulator)


def bench_measured(
    name: str, tiny: bool, levels: str, weights: Path | None, backend: str, calls: int
) -> list[MeasuredFigures]:
    """The same on a backend of this host, measured; O2 where no level is named."""
    if backend not in HOSTS:
        raise BadCallError(
            f"there is no backend {backend!r}",
            where="--backend",
            remedy=f"tenstorrent is predicted; measured are {' and '.join(HOSTS)}",
        )
    chosen = _levels(levels) or ["O2"]
    model, inputs = named_model(name, "tiny" if tiny else "full", weights)
    title = f"{name} tiny" if tiny else name
    return bench_host(model, inputs, backend, chosen, calls=calls, title=title)


def _levels(named: str) -> list[str]:
    chosen = [level.strip() for level in named.split(",") if level.strip()]
    unknown = [level for level in chosen if level not in LEVELS]
    if unknown:
        raise BadCallError(
            f"there is no level {unknown[0]!r}", where="--levels", remedy=f"levels are {', '.join(LEVELS)}"
        )
    return chosen


def keep_and_judge(figures: Sequence[LevelFigures | MeasuredFigures], gate: Gate) -> list[Verdict]:
    """Keep a run for each level, and hold it against its baseline, which has the level in its name."""
    verdicts = []
    for figure in figures:
        if figure.run is None:
            continue
        where = f" {figure.backend}" if isinstance(figure, MeasuredFigures) else ""
        verdict = gate.verdict(f"{figure.run.title} {figure.level}{where}", figure.run, RunStore())
        keep(figure.run)
        if verdict is not None:
            verdicts.append(verdict)
    return verdicts


def named_model(name: str, size: Size, weights: Path | None) -> tuple[torch.nn.Module, Sequence[Any]]:
    """The model a user names, and its inputs."""
    if ".py:" in name:
        return _from_file(name)
    sample = load(name, size, weights)
    if isinstance(sample.model, Loop):
        raise BadCallError(
            f"{name} is a program around several models",
            where=name,
            remedy=f"name one of its parts: {', '.join(sample.model.models)} of `tilesmith zoo list`",
        )
    return sample.model, sample.inputs


def _from_file(name: str) -> tuple[torch.nn.Module, Sequence[Any]]:
    result = kernel_from(parsed(name))
    if isinstance(result, tuple) and len(result) == 2 and isinstance(result[0], torch.nn.Module):
        model, inputs = result
        return model.eval(), inputs if isinstance(inputs, list | tuple) else (inputs,)
    raise BadCallError(
        f"{name} gives no model",
        where=name,
        remedy="name a function that returns a torch.nn.Module and a tuple of its inputs",
    )
