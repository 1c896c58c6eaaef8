"""How predicted time grows with the batch and with the sequence: 1, 2, 4 and 8 times as much work.

    python benchmarks/scaling.py [--json] [--plot docs/images/scaling.svg] [--only bert]

Times come from the clock of the emulator, each distinct kernel once and without computing numbers. What is
asked is whether eight times the work takes about eight times as long, and whether anything jumps on the way.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
from conformance.published_cases import Model, bert, compiled, resnet50

from benchmarks.chip.models import timed_kernels
from benchmarks.line_chart import Series, line_chart
from tilesmith.models.options import ModelOptions

TIMES = (1, 2, 4, 8)

CASES: dict[str, Callable[[int], Model]] = {
    "bert, batch 1 to 8 of 128 tokens": lambda times: bert(1, 768, times, 128),
    "bert, 64 to 512 tokens": lambda times: bert(1, 768, 1, 64 * times),
    "resnet-50, batch 1 to 8": resnet50,
}
"""One layer of BERT-base with its embeddings, and the whole of ResNet-50."""


def predicted_us(make: Callable[[int], Model], times: int, target: str) -> float:
    torch.manual_seed(0)
    model, inputs = make(times)
    options = ModelOptions.of({"target": target, "checks": "off"})
    executable = compiled(model.eval(), inputs, (), options)
    return sum(kernel.total_us + kernel.launch_us * kernel.count for kernel in timed_kernels(executable))


def growth(name: str, target: str, quiet: bool) -> dict[str, Any]:
    """The times of a case; `steps` are what each doubling multiplies them by, at most 2 but for a cliff."""
    us = [predicted_us(CASES[name], times, target) for times in TIMES]
    steps = [round(after / before, 2) for before, after in pairwise(us)]
    if not quiet:
        print(f"{name:34} {' '.join(f'{one:9.1f}' for one in us)} us   doublings {steps}", flush=True)
    return {"case": name, "target": target, "us": [round(one, 1) for one in us], "steps": steps}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--target", default="n150")
    parser.add_argument("--plot", type=Path)
    given = parser.parse_args()
    chosen = [name for name in CASES if given.only in name]
    rows = [growth(name, given.target, given.json) for name in chosen]
    if given.plot is not None:
        series = [Series(row["case"], [us / row["us"][0] for us in row["us"]]) for row in rows]
        title = f"predicted time on an {given.target}, as many times that of the smallest"
        given.plot.write_text(line_chart(title, "times as much work", TIMES, series), encoding="utf-8")
    if given.json:
        print(json.dumps({"scaling": rows, "steepest": max(max(row["steps"]) for row in rows)}, indent=2))


if __name__ == "__main__":
    main()
