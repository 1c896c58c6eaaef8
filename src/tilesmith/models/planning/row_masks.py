"""Masks of rows that nobody needs: what lies below a matrix, in its last tiles, is cleared later.

Sums along columns rely on zeros there. Products of rows, norms and elementwise work keep rows apart, and
clear them in their own results: where all that read a result do so, garbage below it meets nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tilesmith.kernels.elementwise import Elementwise
from tilesmith.kernels.linear import Linear
from tilesmith.kernels.rowwise import RowWise
from tilesmith.models.planning.steps import Download, Launch, Plan, Step, Upload
from tilesmith.models.planning.views import Storage

KEEPS_ROWS_APART = (Linear, RowWise, Elementwise)


def drop_row_masks(plan: Plan) -> Plan:
    """The plan without the masks of results whose readers all keep rows apart, and mask their own results."""
    kept = {view.storage for view in plan.residents.values()} | {one.view.storage for one in plan.constants}
    steps = (*plan.steps, *plan.commits)
    users: dict[Storage, list[tuple[Step, str]]] = {}
    for step in steps:
        for name, storage in _touched(step):
            users.setdefault(storage, []).append((step, name))

    def dropped(step: Any) -> Any:
        if not isinstance(step, Launch) or not _masks_rows(step):
            return step
        template: Any = step.template
        results = {step.storages[one.out.name] for one in template.epilogue.results}
        uses = [use for storage in results for use in users[storage] if use[0] is not step]
        if not uses or results & kept or not all(_clears_rows(*use, step.numbers["m"]) for use in uses):
            return step
        epilogue = replace(template.epilogue, mask_rows=False)
        return replace(step, template=replace(template, epilogue=epilogue))

    return replace(plan, steps=tuple(map(dropped, plan.steps)))


def _touched(step: Step) -> Iterator[tuple[str, Storage]]:
    if isinstance(step, Launch):
        yield from step.storages.items()
    elif isinstance(step, Upload | Download):
        yield "", step.view.storage


def _masks_rows(step: Launch) -> bool:
    template = step.template
    return isinstance(template, KEEPS_ROWS_APART) and template.epilogue.mask_rows


def _clears_rows(step: Step, name: str, rows: int) -> bool:
    """Whether a kernel reads whole tiles of a matrix of so many rows, row by row, and masks its result."""
    if not isinstance(step, Launch) or not _masks_rows(step) or step.numbers["m"] != rows:
        return False
    template: Any = step.template
    if isinstance(template, Linear) and template.x_transposed:
        return False
    rows_alone = [*template.epilogue.reads, *(template.inputs if isinstance(template, RowWise) else ())]
    rows_alone += [one for one in template.tensors if isinstance(template, Linear) and one.name == "x"]
    return any(one.name == name and one.access == "block" for one in rows_alone)
