"""Products with the matrix that turns halves of rows around: moving elements is cheap for a GPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch

from tilesmith.kernels.linear import Linear
from tilesmith.kernels.operands import STRIDES
from tilesmith.kernels.rotary import Rotary
from tilesmith.models.passes.fuse_rotary import rotation
from tilesmith.models.planning.steps import Launch, Plan
from tilesmith.models.planning.views import Storage

_WIDEST = 1024


def with_rotary_kernels(plan: Plan, constants: Mapping[str, torch.Tensor]) -> Plan:
    """The plan with kernels that read halves in each other's place, where it has such products."""
    every = {**constants, **plan.added_constants}
    turns = {
        upload.view.storage
        for upload in plan.constants
        if upload.node in every and is_rotation(every[upload.node])
    }
    steps = (_moved(one) if isinstance(one, Launch) and _turns(one, turns) else one for one in plan.steps)
    return replace(plan, steps=tuple(steps))


def is_rotation(value: torch.Tensor) -> bool:
    """
    >>> is_rotation(rotation(16)), is_rotation(torch.eye(16))
    (True, False)
    """
    square = value.dim() == 2 and value.shape[0] == value.shape[1]
    if not square or not value.is_floating_point() or value.shape[0] % 16 or value.shape[0] > _WIDEST:
        return False
    return torch.equal(value, rotation(value.shape[0]).to(value))


def _turns(step: Launch, turns: set[Storage]) -> bool:
    template: Any = step.template
    if not isinstance(template, Linear) or step.storages["w0"] not in turns:
        return False
    n, weight = step.numbers, step.storages["w0"]
    whole = n["n"] == n["k"] == weight.rows == weight.cols and not any(n[f"w0_{key}"] for key in STRIDES)
    plain = template.weights == 1 and not template.transposed and not template.x_transposed
    return whole and plain and template.x_access in ("block", "rows")


def _moved(step: Launch) -> Launch:
    template: Any = step.template
    numbers = {key: one for key, one in step.numbers.items() if key != "k" and not key.startswith("w0_")}
    storages = {name: one for name, one in step.storages.items() if name != "w0"}
    kernel = Rotary(template.epilogue, step.numbers["n"], dtype=template.dtype, x_access=template.x_access)
    return replace(step, template=kernel, storages=storages, numbers=numbers)
