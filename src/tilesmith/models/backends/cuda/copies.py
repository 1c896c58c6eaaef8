"""Copies of copies: what is joined in one place and then copied to another goes there at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tilesmith.kernels.expression import Input
from tilesmith.kernels.movement import DIMS, Gather
from tilesmith.models.planning.steps import Download, Launch, Plan, Step
from tilesmith.models.planning.views import TILE, Storage


def without_double_copies(plan: Plan) -> Plan:
    """The plan with copies into a storage that is then copied whole made to its copy."""
    steps = list(plan.steps)
    for place, step in enumerate(plan.steps):
        if isinstance(step, Launch) and _copies_whole(step):
            source = step.storages["x"]
            writers = [
                at for at, other in enumerate(steps) if isinstance(other, Launch) and source in other.outputs
            ]
            moved = [_moved(steps[at], step) for at in writers]
            if _reads(plan.steps, source) == 1 and all(moved):
                for at, launch in zip(writers, moved, strict=True):
                    assert launch is not None
                    steps[at] = launch
                steps[place] = replace(step, numbers={**step.numbers, "nb1": 0})
    kept = (step for step in steps if not _is_dropped(step))
    return replace(plan, steps=tuple(_by_rows(step) if isinstance(step, Launch) else step for step in kept))


def _by_rows(step: Launch) -> Launch:
    """A copy of single rows that follow each other, as one of many rows: a block of a GPU takes several."""
    template: Any = step.template
    if not isinstance(template, Gather) or template.epilogue.reads or len(template.epilogue.results) != 1:
        return step
    n, result = step.numbers, template.epilogue.results[0]
    follow = n["m"] == 1 and n["nb2"] > 1 and n["y_row2"] == 1 and n["y_col"] % TILE == 0
    if result.out.access != "row" or not follow or n["y_col1"] or n["y_col2"] or n["n"] % TILE:
        return step
    rows = replace(result, out=replace(result.out, access="rows"))
    numbers = {**n, "m": n["nb2"], "nb2": 1, "y_row2": 0, "y_col": n["y_col"] // TILE}
    return replace(
        step,
        template=replace(template, epilogue=replace(template.epilogue, results=(rows,))),
        numbers=numbers,
    )


def _is_dropped(step: Step) -> bool:
    return isinstance(step, Launch) and step.numbers.get("nb1") == 0


def _reads(steps: Sequence[Step], storage: Storage) -> int:
    launches = sum(
        storage in step.storages.values() and storage not in step.outputs
        for step in steps
        if isinstance(step, Launch)
    )
    return launches + sum(isinstance(step, Download) and step.view.storage == storage for step in steps)


def _copies_whole(step: Launch) -> bool:
    """Whether a launch copies all of a storage in rows, in order, to batches of blocks."""
    template: Any = step.template
    if not isinstance(template, Gather) or template.epilogue.results[0].out.access != "block":
        return False
    n, source = step.numbers, step.storages["x"]
    plain = template.epilogue.results[0].value == Input("acc0") and not template.epilogue.reads
    sizes = [n[f"d{dim}"] for dim in range(DIMS)]
    dense = sizes == [1] * (DIMS - 2) + [source.rows, source.cols]
    steps = (n[f"s{DIMS - 2}_row"], n[f"s{DIMS - 2}_col"], n[f"s{DIMS - 1}_row"], n[f"s{DIMS - 1}_col"])
    still = not any(n[f"{name}_{way}"] for name in "xy" for way in ("row", "col", "row1", "col1", "col2"))
    same = source.dtype == step.storages["y"].dtype and source.cols == n["n"] == step.storages["y"].cols
    return plain and dense and steps == (1, 0, 0, 1) and still and same and n["nb1"] == 1


def _moved(writer: Step, copy: Launch) -> Launch | None:
    """A launch that writes single rows of the source of a copy, writing to its target instead."""
    if not isinstance(writer, Launch) or not isinstance(writer.template, Gather):
        return None
    n, rows, apart = writer.numbers, copy.numbers["m"], copy.numbers["y_row2"] * TILE
    out = writer.template.epilogue.results[0].out
    if out.access != "row" or n["m"] != 1 or len(writer.outputs) != 1:
        return None
    within = n["y_row"] % rows
    for which in "12":
        if n[f"y_row{which}"] % rows:
            within += n[f"y_row{which}"] * (n[f"nb{which}"] - 1)
    if within >= rows:
        return None
    numbers = {key: n[key] // rows * apart + n[key] % rows for key in ("y_row", "y_row1", "y_row2")}
    target = copy.storages["y"]
    return replace(
        writer,
        storages={**writer.storages, "y": target},
        numbers={**n, **numbers},
        outputs=(target,),
    )
