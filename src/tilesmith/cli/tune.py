"""`tilesmith tune`: the schedules of a model's kernels, found by the clock and kept in a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tilesmith.cli.output import AsJson, check_writable, stdout_kept_for_json, tell

if TYPE_CHECKING:
    from tilesmith.schedules.tuning_database import Tuned


def tune(
    model: Annotated[
        str, typer.Argument(help="a name that `zoo list` prints, or file.py:maker(...) -> (model, inputs)")
    ],
    tiny: Annotated[bool, typer.Option("--tiny", help="the small version, with random weights")] = False,
    candidates: Annotated[int, typer.Option(help="schedules that are timed for a kernel", min=1)] = 8,
    out: Annotated[
        Path | None, typer.Option(help="write the best ones, beside what the file holds", metavar="FILE")
    ] = None,
    weights: Annotated[Path | None, typer.Option(help="a checkpoint of yours", metavar="PATH")] = None,
    as_json: AsJson = False,
) -> None:
    """Time the likely best schedules of every kernel of a model, and keep the fastest."""
    from tilesmith.cli.bench import named_model
    from tilesmith.models.tuning import tuned_schedules
    from tilesmith.schedules.tuning_database import TuningDatabase

    if out is not None:
        check_writable(out)
    kept = TuningDatabase.load(out) if out is not None and out.exists() else TuningDatabase()
    with stdout_kept_for_json(as_json):
        network, inputs = named_model(model, "tiny" if tiny else "full", weights)
        found = tuned_schedules(network, inputs, candidates)
    if out is not None:
        kept.merged(TuningDatabase.of(found)).save(out)
    tell(as_json, [entry.to_json() for entry in found], _table(found))
    if out is not None and not as_json:
        typer.echo(f"{len(found)} schedules are in {out}: tilesmith.compile(model, schedules={str(out)!r})")


def _table(found: Sequence[Tuned]) -> str:
    """A line for each kernel, and under it what changed for those that gained."""
    lines = ["tried  estimate's cycles  best cycles  times faster  kernel"]
    for entry in sorted(found, key=lambda each: each.estimated_cycles - each.cycles, reverse=True):
        cycles = f"{entry.estimated_cycles:17,}  {entry.cycles:11,}"
        lines.append(f"{entry.tried:5}  {cycles}  {entry.gain:12.2f}  {entry.ops}")
        if entry.schedule != entry.estimated:
            lines += [f"         was {entry.estimated}", f"         now {entry.schedule}"]
    return "\n".join(lines) if found else "no kernel of this model has a choice of schedules"
