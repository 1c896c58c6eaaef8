"""Every pass over the graph, in order: one line each."""

from __future__ import annotations

from torch.fx import GraphModule

from tilesmith.graph.options import ModelOptions
from tilesmith.graph.passes.capture_products import capture_products
from tilesmith.graph.passes.drop_copies import drop_copies
from tilesmith.graph.passes.fold_constants import fold_constants
from tilesmith.graph.passes.fold_masks import fold_masks
from tilesmith.graph.passes.share_common import share_common

PASSES = (drop_copies, fold_constants, fold_masks, share_common, capture_products, drop_copies, fold_constants, share_common)


def optimise(module: GraphModule, options: ModelOptions) -> None:
    """Run the passes of a level on a graph, in place. At O0 only what is not needed goes."""
    if options.folds:
        for one in PASSES:
            one(module)
    else:
        module.graph.eliminate_dead_code()
        module.recompile()
