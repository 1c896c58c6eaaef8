"""A model at every optimisation level: kernels, predicted time on the chip, traffic of DRAM, accuracy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, get_args

import torch

from tilesmith.models.backends.tenstorrent import TenstorrentExecutable
from tilesmith.models.compiled_model import compile_model
from tilesmith.models.options import Level
from tilesmith.models.report import PrecisionLine
from tilesmith.profiling import Recorder, recording
from tilesmith.profiling.runs.figures import RunFigures, figures_of
from tilesmith.profiling.runs.watch import watching
from tilesmith.progress import tracked
from tilesmith.zoo.running import pcc, relative_l2

LEVELS: tuple[str, ...] = get_args(Level)


@dataclass(frozen=True)
class LevelFigures:
    """One level. `pcc` and `relative_l2` compare the first output with torch in float32."""

    level: str
    kernels: int
    chip_ms: float
    dram_bytes: int
    pcc: float
    relative_l2: float
    host_ops: int
    precision: tuple[PrecisionLine, ...] = ()
    run: RunFigures | None = None

    def to_json(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "run"}


def bench_levels(
    model: torch.nn.Module,
    inputs: Sequence[Any],
    levels: Sequence[str] = LEVELS,
    *,
    title: str = "",
    trace: bool = False,
    **options: Any,
) -> list[LevelFigures]:
    """The figures of a model with these inputs at each level; `trace` finds the bound of every kernel too."""
    with torch.no_grad():
        wanted = first_tensor(model(*inputs))
    title = title or type(model).__name__
    return [
        _figures(model, inputs, level, wanted, title, trace, options) for level in tracked(levels, "levels")
    ]


def _figures(
    model: torch.nn.Module,
    inputs: Sequence[Any],
    level: str,
    wanted: torch.Tensor,
    title: str,
    trace: bool,
    options: dict[str, Any],
) -> LevelFigures:
    compiled = compile_model(model, "tenstorrent", level, **options)
    compiled.prepare(*inputs)  # a search may run kernels too: they are not the model's
    with recording(title) if trace else watching(title, level, "tenstorrent") as seen:
        result = first_tensor(compiled(*inputs))
    run = figures_of(seen.profile, level, "tenstorrent") if isinstance(seen, Recorder) else seen.figures
    executable, report = compiled.executable, compiled.report
    assert isinstance(executable, TenstorrentExecutable)
    return LevelFigures(
        level,
        len(report.kernels),
        executable.microseconds / 1e3,
        executable.dram_bytes,
        pcc(result, wanted),
        relative_l2(result, wanted),
        len(report.host),
        report.precision,
        run,
    )


def table(figures: Sequence[LevelFigures]) -> str:
    """The figures as people read them; the first level is what the others are compared with.

    >>> print(table([LevelFigures("O0", 4, 2.0, 4_000_000, 0.9999, 0.01, 0)]))
    level  kernels  on the host  predicted ms  times faster  DRAM MB      PCC  relative L2
    O0           4            0         2.000          1.00     4.00  0.99990       0.0100
    """
    lines = [
        "level  kernels  on the host  predicted ms  times faster  DRAM MB      PCC  relative L2",
        *(_row(one, figures[0].chip_ms) for one in figures),
    ]
    tried = [line for one in figures for line in one.precision]
    if tried:
        lowered = [line for line in tried if line.lowered]
        lines.append(f"O3 lowered {len(lowered)} of {len(tried)} kernels; the gate refused the others")
        lines += [f"  {count:4d} x {text}" for text, count in Counter(map(str, tried)).items()]
    return "\n".join(lines)


def _row(level: LevelFigures, slowest: float) -> str:
    faster = slowest / level.chip_ms if level.chip_ms else 1.0
    return (
        f"{level.level:5}  {level.kernels:7}  {level.host_ops:11}  {level.chip_ms:12.3f}  {faster:12.2f}"
        f"  {level.dram_bytes / 1e6:7.2f}  {level.pcc:.5f}  {level.relative_l2:11.4f}"
    )


def first_tensor(value: Any) -> torch.Tensor:
    """The first tensor of what a model returns, whatever holds it."""
    if isinstance(value, torch.Tensor):
        return value
    parts = value.values() if isinstance(value, dict) else value
    return first_tensor(next(iter(parts)))
