"""Checks of indices that no input can make wrong -> nothing: then they need not go through the host."""

from __future__ import annotations

import torch
from torch.fx import GraphModule

from tilesmith.models.passes.edit import tidy
from tilesmith.models.planning.integers import ranges_of
from tilesmith.models.planning.plan import constants_of


def drop_bounds(module: GraphModule) -> None:
    """Indices that a kernel counted and limited are in bounds, whatever it counted."""
    checks = module.graph.find_nodes(op="call_function", target=torch.ops.tilesmith.in_bounds.default)
    if not checks:
        return
    for node in checks:
        known = ranges_of(module.graph, constants_of(module)).get(node.args[0])
        if known is not None and known[0] >= 0 and known[1] < node.args[1]:
            node.replace_all_uses_with(node.args[0])
    tidy(module)
