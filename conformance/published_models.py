"""The models of the vendor's published rates with real arithmetic, in the formats of these rates.

    python conformance/published_models.py [--only vit] [--part whole|layer|both] [--batch 1] [--json]

`whole` is the model of `benchmarks/chip_speed.py` in the numbers of the chip, with as large a batch as
asked; `layer` is one of its layers with checks on. The correlation with torch in float32 must be at least
0.99, and a finding is an error, which is told in the row. The command ends with 1 if any row is not so.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
from torch import Tensor, nn

from conformance.published_cases import CASES, Case, Model, compiled
from conformance.published_layers import layer_of
from tilesmith import settings
from tilesmith.errors import TilesmithError
from tilesmith.models.options import ModelOptions
from tilesmith.zoo.sample import settled

LEAST = 0.99
"""The correlation that the vendor asks of these models."""

PARTS = ("whole", "layer")


def row(case: Case, part: str, batch: int, level: str) -> dict[str, Any]:
    """A model or a layer of it, how its result correlates with torch's, and what the checks found."""
    torch.manual_seed(0)
    model, inputs = layer_of(case.name) if part == "layer" else _first(case, batch)
    model = _awake(model).eval()
    checks = "on" if part == "layer" else "off"
    formats = {"target": case.target, "optimization_level": level, "checks": checks, **case.formats}
    begin, problem, found = time.process_time(), "", {}
    try:
        with settings.using(numbers="chip"):
            found = _correlated(model, inputs, case.state, ModelOptions.of(formats))
    except TilesmithError as error:
        problem = f"{type(error).__name__}: {error}"
    made = {"model": case.name, "part": part, "target": case.target, "formats": case.formats, **found}
    made |= {"inputs": [list(one.shape) for one in inputs], "error": problem}
    took = round(time.process_time() - begin, 1)
    return made | {"processor_s": took, "right": not problem and is_right(found)}


def is_right(found: dict[str, Any]) -> bool:
    return bool(found["pcc"] >= LEAST and not found["recomputed"])


def _correlated(
    model: nn.Module, inputs: tuple[Tensor, ...], state: tuple[int, ...], options: ModelOptions
) -> dict[str, Any]:
    with torch.no_grad():
        wanted = model(*deepcopy(inputs))
    executable = compiled(model, inputs, state, options)
    result = executable.run(list(inputs))[-1]
    error = float((result.float() - wanted).norm() / wanted.norm())
    pair = torch.stack([result.float().flatten(), wanted.flatten()]).double()
    return {
        "pcc": round(float(torch.corrcoef(pair)[0, 1]), 5),
        "relative_l2": round(error, 4),
        "launches": len(executable.report.kernels),
        "host_operators": len(executable.report.host),
        "recomputed": executable.report.recomputed,
    }


def _first(case: Case, batch: int) -> Model:
    """The model with the first so many samples of its inputs; what keeps a cache stays as it is."""
    model, inputs = case.make()
    if batch and not case.state:
        longest = max(one.shape[0] for one in inputs)
        inputs = tuple(one[:batch] if one.shape[0] == longest else one for one in inputs)
    return model, inputs


def _awake(model: nn.Module) -> nn.Module:
    """Batch norms as training leaves them: the usual first weights let little of an image through."""
    parts = list(model.modules())
    for part in parts if any(isinstance(one, nn.BatchNorm2d) for one in parts) else ():
        if isinstance(part, nn.Conv2d):
            nn.init.kaiming_normal_(part.weight, nonlinearity="relu")
    return settled(model)


def rows(only: str, parts: tuple[str, ...], batch: int, level: str) -> Iterator[dict[str, Any]]:
    for case in CASES:
        for part in parts:
            if only in case.name:
                yield row(case, part, batch, level)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="the models whose name has this in it")
    parser.add_argument("--part", choices=(*PARTS, "both"), default="both")
    parser.add_argument("--batch", type=int, default=0, help="at most so many samples; 0: as published")
    parser.add_argument("--level", default="O2", help="the optimisation level")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    found = []
    for one in rows(given.only, PARTS if given.part == "both" else (given.part,), given.batch, given.level):
        found.append(one)
        if not given.json:
            told = one["error"] or f"PCC {one['pcc']:.5f}  off by {one['relative_l2']:.4f}"
            print(f"{one['model']:24} {one['part']:6} {told}  {one['processor_s']} s", flush=True)
    wrong = [f"{one['model']} {one['part']}" for one in found if not one["right"]]
    summary = {"models": found, "wrong": wrong}
    print(json.dumps(summary) if given.json else f"{len(found)} rows, wrong: {wrong}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
