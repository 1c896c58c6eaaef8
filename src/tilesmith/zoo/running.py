"""Running a model of the zoo on a backend, and how close it comes to torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import torch

from tilesmith.models.compiled_model import compile_model
from tilesmith.models.report import Report
from tilesmith.zoo.catalogue import load
from tilesmith.zoo.picture import check_picture, save_picture
from tilesmith.zoo.sample import Loop, Sample, Size

_CLOSE = 0.99


@dataclass(frozen=True)
class Outcome:
    """One run. `host_ops` are the operators left to the host, each with the reason; `chip_ms` is predicted.

    `top1` and `top5` are the shares of rows with the same largest, and the same five largest, elements; ties
    that bfloat16 blurs do not count in `same_answer`. `compile_s` goes up to the end of the first run, which
    builds the kernels; `run_s` is the second run.
    """

    name: str
    weights: str
    ops: int
    kernels: int
    distinct: int
    host_ops: tuple[str, ...]
    pcc: float
    relative_l2: float
    same_answer: bool | None
    top1: float | None
    top5: float | None
    verdict: str
    judged_well: bool
    compile_s: float
    run_s: float
    chip_ms: float

    @property
    def ok(self) -> bool:
        """Correlated, of the right size, and of the same answer where there is one."""
        close = self.pcc >= _CLOSE and self.relative_l2 < 0.15
        return close and self.same_answer is not False and self.judged_well

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        host = f"on the host: {'; '.join(self.host_ops)}" if self.host_ops else "none on the host"
        answer = {None: "", True: ", the same answer", False: ", ANOTHER ANSWER"}[self.same_answer]
        verdict = f", {self.verdict}" if self.verdict else ""
        return (
            f"{self.name} ({self.weights}): {self.ops} operators -> {self.kernels} kernels, {host}\n"
            f"  PCC {self.pcc:.6f}, relative L2 error {self.relative_l2:.4f}{answer}{verdict}\n"
            f"  compiled in {self.compile_s:.1f} s, ran in {self.run_s:.2f} s, "
            f"{self.chip_ms:.3f} ms predicted on the chip"
        )


def run(
    name: str,
    size: Size = "full",
    backend: str = "tenstorrent",
    checkpoint: Path | None = None,
    *,
    out: Path | None = None,
    **options: Any,
) -> Outcome:
    """Run a model of the zoo and compare it with torch in float32. An image it makes is written to `out`.

    >>> run("mlp", "tiny", backend="cpu").ok
    True
    """
    return run_sample(name, load(name, size, checkpoint), backend, out=out, **options)


def run_sample(
    name: str, sample: Sample, backend: str = "tenstorrent", *, out: Path | None = None, **options: Any
) -> Outcome:
    """The same for a model of one's own with inputs."""
    if out is not None:
        check_picture(name, sample.paints, out)
    compiled = _compiled(sample.model, backend, {"precision": sample.precision, **options})
    begin = perf_counter()
    compiled.run(*sample.inputs)
    ready = perf_counter()
    result = compiled.run(*sample.inputs)
    done = perf_counter()
    if out is not None:
        save_picture(result, out)
    with torch.no_grad():
        wanted = sample.model(*sample.inputs)
    verdict, well = sample.judge(result, wanted) if sample.judge is not None else ("", True)
    rows = (result, wanted) if sample.classifies else None
    return Outcome(
        name=name,
        weights=sample.weights,
        **_counts([model.report for model in compiled.models]),
        pcc=pcc(result, wanted),
        relative_l2=relative_l2(result, wanted),
        same_answer=None if rows is None else same_answer(*rows),
        top1=None if rows is None else same_largest(*rows, 1),
        top5=None if rows is None else same_largest(*rows, 5),
        verdict=verdict,
        judged_well=well,
        compile_s=round(ready - begin, 3),
        run_s=round(done - ready, 3),
        chip_ms=round(compiled.chip_ms, 6),
    )


@dataclass(frozen=True)
class _Compiled:
    """What to call, the compiled models in it, and how often a call runs each."""

    run: Callable[..., torch.Tensor]
    models: tuple[Any, ...]
    turns: tuple[int, ...]

    @property
    def chip_ms(self) -> float:
        times = (_chip_ms(model.executable) for model in self.models)
        return sum(turns * ms for turns, ms in zip(self.turns, times, strict=True))


def _compiled(model: Any, backend: str, options: Mapping[str, Any]) -> _Compiled:
    if not isinstance(model, Loop):
        entry = compile_model(model, backend, **options)
        return _Compiled(entry, (entry,), (1,))
    result = {name: compile_model(part, backend, **options) for name, part in model.models.items()}
    turns = tuple(model.turns[name] for name in result)
    return _Compiled(partial(model.run, **result), tuple(result.values()), turns)


def _counts(reports: Sequence[Report]) -> dict[str, Any]:
    return {
        "ops": sum(report.ops for report in reports),
        "kernels": sum(len(report.kernels) for report in reports),
        "distinct": sum(report.distinct for report in reports),
        "host_ops": tuple(
            sorted({f"{line.op} ({line.reason})" for report in reports for line in report.host})
        ),
    }


def _chip_ms(executable: Any) -> float:
    """Predicted time on the chip, launches and all; other backends predict none."""
    return float(getattr(executable, "microseconds", 0.0)) / 1e3


def pcc(result: torch.Tensor, wanted: torch.Tensor) -> float:
    """The correlation of two results; 1 if both are the same constant.

    >>> round(pcc(torch.tensor([1.0, 2, 3]), torch.tensor([2.0, 4, 6])), 6)
    1.0
    """
    a, b = result.detach().double().flatten(), wanted.detach().double().flatten()
    a, b = a - a.mean(), b - b.mean()
    scale = float(a.norm() * b.norm())
    return float(a @ b) / scale if scale else float(torch.allclose(result.double(), wanted.double()))


def relative_l2(result: torch.Tensor, wanted: torch.Tensor) -> float:
    """The length of the error over the length of what was wanted: scale counts here, unlike in `pcc`.

    >>> relative_l2(torch.tensor([2.0]), torch.tensor([1.0]))
    1.0
    """
    error = (result.detach().double() - wanted.detach().double()).norm()
    return float(error / wanted.detach().double().norm().clamp_min(1e-30))


def same_answer(result: torch.Tensor, wanted: torch.Tensor) -> bool:
    """Whether the largest element of every row that has a clear winner is the same.

    A winner is clear if it is ahead by more than bfloat16 can blur: a hundredth of the spread of the row.

    >>> same_answer(torch.tensor([[0.0, 1.0]]), torch.tensor([[0.1, 0.9]]))
    True
    """
    first, second = wanted.topk(2, dim=-1).values.unbind(-1)
    spread = wanted.amax(-1) - wanted.amin(-1)
    clear = first - second > spread / 100
    return bool((result.argmax(-1) == wanted.argmax(-1))[clear].all())


def same_largest(result: torch.Tensor, wanted: torch.Tensor, count: int) -> float:
    """The share of rows whose `count` largest elements are the same ones, in any order.

    >>> same_largest(torch.tensor([[3.0, 2, 1], [1, 2, 3]]), torch.tensor([[2.0, 3, 1], [3, 2, 1]]), 2)
    0.5
    """
    ours, theirs = (
        tensor.topk(min(count, tensor.shape[-1]), dim=-1).indices.sort(-1).values
        for tensor in (result, wanted)
    )
    return float((ours == theirs).all(-1).float().mean())
