"""Integers that are scaled to reals and divided by the same scale again are the same integers."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule

from tilesmith.models.passes.edit import replace, tidy
from tilesmith.models.passes.match import DIV, MUL, is_call

aten = torch.ops.aten


def cancel_requantization(module: GraphModule) -> None:
    """round(q * s / s) -> q, where q was rounded and s is a number."""
    for node in list(module.graph.nodes):
        if not is_call(node, aten.round.default) or not is_call(node.args[0], *DIV):
            continue
        scaled, scale = node.args[0].args
        if (
            is_call(scaled, *MUL)
            and scaled.args[1] == scale
            and _is_number(scale)
            and _is_whole(scaled.args[0])
        ):
            replace(module, node, scaled.args[0])
    tidy(module)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and value != 0


def _is_whole(value: Any) -> bool:
    """Whether a value holds integers that are small beside what float32 holds."""
    if not is_call(value, aten.clamp.default) or not is_call(value.args[0], aten.round.default):
        return False
    limits = value.args[1:3]
    return len(limits) == 2 and all(_is_number(one) or one == 0 for one in limits)
