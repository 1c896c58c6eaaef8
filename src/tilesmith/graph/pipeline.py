"""Every pass over the graph, in order: one line each."""

from __future__ import annotations

from collections.abc import Callable

from torch.fx import GraphModule

from tilesmith.graph.options import ModelOptions
from tilesmith.graph.passes.adopt_custom import adopt_custom
from tilesmith.graph.passes.capture_attention import capture_attention
from tilesmith.graph.passes.capture_complex import capture_complex
from tilesmith.graph.passes.capture_gelu import capture_gelu
from tilesmith.graph.passes.capture_heads import capture_heads
from tilesmith.graph.passes.capture_patches import capture_patches
from tilesmith.graph.passes.capture_products import capture_products
from tilesmith.graph.passes.capture_rms_norm import capture_rms_norm
from tilesmith.graph.passes.capture_rotation import capture_rotation
from tilesmith.graph.passes.drop_copies import drop_copies
from tilesmith.graph.passes.edit import tidy
from tilesmith.graph.passes.fold_batch_norm import fold_batch_norm
from tilesmith.graph.passes.fold_constants import fold_constants
from tilesmith.graph.passes.fold_masks import fold_masks
from tilesmith.graph.passes.fold_padding import fold_padding
from tilesmith.graph.passes.lift_group_norm import lift_group_norm
from tilesmith.graph.passes.merge_products import merge_products
from tilesmith.graph.passes.narrow_masks import narrow_masks
from tilesmith.graph.passes.share_common import share_common
from tilesmith.graph.passes.split_products import split_products
from tilesmith.graph.passes.take_apart import take_apart

Pass = Callable[[GraphModule], None]

GENERAL: tuple[Pass, ...] = (
    drop_copies,
    fold_constants,
    fold_batch_norm,
    fold_padding,
    lift_group_norm,
    capture_complex,
    narrow_masks,
    take_apart,
    adopt_custom,
    fold_constants,
    share_common,
    capture_patches,
    capture_products,
    fold_constants,
    capture_rms_norm,
    capture_gelu,
    capture_attention,
    capture_heads,
    fold_masks,
    merge_products,
    drop_copies,
)
"""What helps everywhere."""

FOR_TILES: tuple[Pass, ...] = (capture_rotation, split_products)
"""What helps where products are cheap and moving single elements is not."""


def optimise(module: GraphModule, options: ModelOptions, passes: tuple[Pass, ...] = GENERAL) -> None:
    """Run the passes of a level on a graph, in place. At O0 only what is not needed goes."""
    adopt_custom(module)
    for one in passes if options.folds else ():
        one(module)
    tidy(module)
