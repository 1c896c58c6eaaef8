"""Every pass over the graph, in order: one line each."""

from __future__ import annotations

from collections.abc import Callable

from torch.fx import GraphModule

from tilesmith.models.options import ModelOptions
from tilesmith.models.passes.canonicalize_group_norm import lift_group_norm
from tilesmith.models.passes.cse import cse
from tilesmith.models.passes.decompose import take_apart
from tilesmith.models.passes.decompose_complex import capture_complex
from tilesmith.models.passes.edit import tidy
from tilesmith.models.passes.fold_batch_norm import fold_batch_norm
from tilesmith.models.passes.fold_constants import fold_constants
from tilesmith.models.passes.fold_masks import fold_masks
from tilesmith.models.passes.fold_padding import fold_padding
from tilesmith.models.passes.fuse_attention import capture_attention
from tilesmith.models.passes.fuse_gelu import capture_gelu
from tilesmith.models.passes.fuse_grouped_query_attention import capture_heads
from tilesmith.models.passes.fuse_linear import capture_products
from tilesmith.models.passes.fuse_patch_embedding import capture_patches
from tilesmith.models.passes.fuse_rms_norm import capture_rms_norm
from tilesmith.models.passes.fuse_rotary import capture_rotation
from tilesmith.models.passes.lower_custom_ops import adopt_custom
from tilesmith.models.passes.merge_linears import merge_products
from tilesmith.models.passes.narrow_masks import narrow_masks
from tilesmith.models.passes.remove_noops import drop_copies
from tilesmith.models.passes.separate_outputs import owners, separate_outputs
from tilesmith.models.passes.split_gated_linear import split_products

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
    cse,
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
    before = owners(module)
    adopt_custom(module)
    for one in passes if options.folds else ():
        one(module)
    separate_outputs(module, before)
    tidy(module)
