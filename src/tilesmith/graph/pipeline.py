"""Every pass over the graph, in order: one line each."""

from __future__ import annotations

from torch.fx import GraphModule

from tilesmith.graph.options import ModelOptions


def optimise(module: GraphModule, options: ModelOptions) -> None:
    """Run the passes of a level on a graph, in place."""
    module.graph.eliminate_dead_code()
    module.recompile()
