"""Batches whose rows follow each other are one matrix: products of many rows use a GPU better than many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tilesmith.kernels.elementwise import Elementwise
from tilesmith.kernels.embedding import Embedding
from tilesmith.kernels.linear import Linear
from tilesmith.kernels.operands import Operand
from tilesmith.kernels.rowwise import RowWise
from tilesmith.models.planning.steps import Launch, Plan
from tilesmith.models.planning.views import TILE

_BY_ROWS = (Elementwise, Embedding, Linear, RowWise)


def with_joined_batches(plan: Plan) -> Plan:
    """The plan with every launch over as few batches as can be."""
    return replace(plan, steps=tuple(joined(one) if isinstance(one, Launch) else one for one in plan.steps))


def joined(step: Launch) -> Launch:
    """A launch whose batches are rows of one, where all operands allow it."""
    if not isinstance(step.template, _BY_ROWS):
        return step
    if isinstance(step.template, Linear) and step.template.x_transposed:
        return step
    numbers = dict(step.numbers)
    for which in ("2", "1"):
        follows = all(_follows(one, numbers, which, step) for one in step.template.tensors)
        if numbers[f"nb{which}"] > 1 and follows:
            numbers["m"] *= numbers[f"nb{which}"]
            numbers[f"nb{which}"] = 1
            numbers |= {
                f"{tensor.name}_{way}{which}": 0 for tensor in step.template.tensors for way in ("row", "col")
            }
        elif numbers[f"nb{which}"] > 1:
            break
    return replace(step, numbers=numbers)


def _follows(operand: Operand, numbers: Mapping[str, int], which: str, step: Launch) -> bool:
    """Whether an operand's rows of the next batch follow those of this one, or are the same for all."""
    row, col = (numbers[f"{operand.name}_{way}{which}"] for way in ("row", "col"))
    weight = isinstance(step.template, Linear) and operand.name.startswith("w")
    if weight or operand.access in ("row", "scalar"):
        return (row, col) == (0, 0)
    if operand.access == "column":
        return (row, col) == (0, numbers["m"])
    return col == 0 and row * (TILE if operand.access == "block" else 1) == numbers["m"]
