"""What a launch asks of the tuning database: what its kernel computes, over which sizes and tensors."""

from __future__ import annotations

from dataclasses import fields
from hashlib import sha256

from tilesmith.kernels.rowwise import RowWise
from tilesmith.kernels.rowwise_streamed import StreamedRowWise
from tilesmith.models.planning.steps import Launch, Template
from tilesmith.schedules.schedule import CHOICES, fields_of
from tilesmith.schedules.tuning_database import Problem

_ROWS = {field.name for field in fields(RowWise)} & {
    field.name for field in fields(StreamedRowWise)
} - CHOICES


def exactness_of(step: Launch, fidelity: str, approximate: str) -> str:
    """The fidelity and the approximations of a launch, in a model with these."""
    return f"{step.fidelity or fidelity} {step.approximate or approximate}"


def problem_of(step: Launch, chip: str, exactness: str) -> Problem:
    return Problem(
        chip,
        sha256(computation_of(step.template).encode()).hexdigest()[:16],
        dict(sorted(step.numbers.items())),
        {name: f"{s.rows}x{s.cols} {s.dtype} {s.layout.value}" for name, s in sorted(step.storages.items())},
        exactness,
    )


def computation_of(template: Template) -> str:
    """What a template computes, apart from how: the same text for all its schedules."""
    name, kept = type(template).__name__, fields_of(template) - CHOICES
    if isinstance(template, RowWise | StreamedRowWise):  # rows that are held, and rows that stream by
        name, kept = "RowWise", _ROWS
    return f"{name}({', '.join(f'{each}={getattr(template, each)!r}' for each in sorted(kept))})"
