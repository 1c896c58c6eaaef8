"""Which kernels of a plan may approximate whatever their inputs are.

Elementwise kernels stay exact: differences of values far from zero, and angles of rotations, lose too much on
the matrix unit. So do kernels that infinity may meet, which that cannot add: it comes with masks, which are
inputs of the model or constants. Norms of bfloat16 are cut into steps that lose little whatever their mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch

from tilesmith.kernels.attention import Attention
from tilesmith.kernels.convolution import Convolution
from tilesmith.kernels.expression import Input
from tilesmith.kernels.halo import HaloConvolution
from tilesmith.kernels.linear import Linear
from tilesmith.kernels.packed_attention import PackedAttention
from tilesmith.kernels.rowwise import RowWise
from tilesmith.models.planning.finite import is_finite
from tilesmith.models.planning.steps import Launch, Plan, Upload
from tilesmith.models.planning.views import Storage

PRODUCTS = (Linear, Convolution, HaloConvolution)


def safely_approximated(plan: Plan, values: Mapping[str, Any]) -> Plan:
    """The plan with approximations in products and attention; `values` are those of its constants."""
    known = {**values, **plan.added_constants}
    given = {step.view.storage for step in plan.steps if isinstance(step, Upload)}
    given |= {one.view.storage for one in plan.constants if not _is_finite(known.get(one.node))}

    def chosen(step: Any) -> Any:
        if not isinstance(step, Launch):
            return step
        template = step.template
        if isinstance(template, RowWise) and _is_safe_norm(template, step, given):
            return replace(step, template=replace(template, split=True), approximate="bfloat16")
        return replace(step, approximate="fast" if _is_safe(step, given) else "none")

    return replace(plan, steps=tuple(map(chosen, plan.steps)))


def _is_safe(step: Launch, given: set[Storage]) -> bool:
    template = step.template
    if isinstance(template, Attention | PackedAttention):
        return template.mask is None
    if not isinstance(template, PRODUCTS):
        return False
    return not any(step.storages[one.name] in given for one in template.epilogue.reads)


def _is_safe_norm(template: RowWise, step: Launch, given: set[Storage]) -> bool:
    """Whether rows of bfloat16 are normalised, and nothing but vectors, and other numbers, follow."""
    if template.operation not in ("layer_norm", "rms_norm"):
        return False
    read = (*template.inputs, *template.epilogue.reads)
    return (
        isinstance(template.source, Input)
        and all(one.dtype == "bfloat16" for one in read)
        and all(one.access == "row" for one in template.epilogue.reads)
        and not any(step.storages[one.name] in given for one in read)
    )


def _is_finite(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and is_finite(value)
