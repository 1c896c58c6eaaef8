"""Every pass over the graph, in order: one line each."""

from __future__ import annotations

from collections.abc import Callable

from torch.fx import GraphModule

from tilesmith.models.options import ModelOptions
from tilesmith.models.passes.cancel_requantization import cancel_requantization
from tilesmith.models.passes.canonicalize_group_norm import canonicalize_group_norm
from tilesmith.models.passes.cse import cse
from tilesmith.models.passes.decompose import decompose
from tilesmith.models.passes.decompose_complex import decompose_complex
from tilesmith.models.passes.drop_bounds import drop_bounds
from tilesmith.models.passes.edit import compiled_once, tidy
from tilesmith.models.passes.fill_unwritten import fill_unwritten
from tilesmith.models.passes.fold_batch_norm import fold_batch_norm
from tilesmith.models.passes.fold_constants import fold_constants
from tilesmith.models.passes.fold_masks import fold_masks
from tilesmith.models.passes.fold_padding import fold_padding
from tilesmith.models.passes.fold_query_groups import fold_query_groups
from tilesmith.models.passes.fold_single_rows import fold_single_rows
from tilesmith.models.passes.fuse_attention import fuse_attention
from tilesmith.models.passes.fuse_cache_updates import fuse_cache_updates
from tilesmith.models.passes.fuse_experts import fuse_experts
from tilesmith.models.passes.fuse_gelu import fuse_gelu
from tilesmith.models.passes.fuse_grouped_query_attention import fuse_grouped_query_attention
from tilesmith.models.passes.fuse_integer_products import fuse_integer_products
from tilesmith.models.passes.fuse_linear import fuse_linear
from tilesmith.models.passes.fuse_patch_embedding import fuse_patch_embedding
from tilesmith.models.passes.fuse_rms_norm import fuse_rms_norm
from tilesmith.models.passes.fuse_rotary import fuse_rotary
from tilesmith.models.passes.lower_custom_ops import lower_custom_ops
from tilesmith.models.passes.merge_linears import merge_linears
from tilesmith.models.passes.merge_reshapes import merge_reshapes
from tilesmith.models.passes.narrow_masks import narrow_masks
from tilesmith.models.passes.permute_parts import permute_parts
from tilesmith.models.passes.quantize_products import quantize_products
from tilesmith.models.passes.remove_noops import remove_noops
from tilesmith.models.passes.separate_outputs import owners, separate_outputs
from tilesmith.models.passes.split_gated_linear import split_gated_linear
from tilesmith.models.passes.split_joined_channels import split_joined_channels
from tilesmith.models.passes.widen_heads import widen_heads

Pass = Callable[[GraphModule], None]

GENERAL: tuple[Pass, ...] = (
    remove_noops,
    fold_constants,
    fuse_integer_products,
    cancel_requantization,
    fold_batch_norm,
    fold_padding,
    canonicalize_group_norm,
    decompose_complex,
    narrow_masks,
    fuse_cache_updates,
    decompose,
    lower_custom_ops,
    fold_constants,
    drop_bounds,
    cse,
    fuse_patch_embedding,
    fuse_linear,
    fold_constants,
    fuse_rms_norm,
    fuse_gelu,
    fuse_attention,
    fuse_grouped_query_attention,
    fold_masks,
    merge_linears,
    remove_noops,
)
"""What helps everywhere."""

FOR_TILES: tuple[Pass, ...] = (fuse_rotary, split_gated_linear)
"""What helps where products are cheap and moving single elements is not."""

FOR_PADDED_ROWS: tuple[Pass, ...] = (
    *FOR_TILES,
    split_joined_channels,
    widen_heads,
    merge_linears,
    fold_query_groups,
    fold_single_rows,
    permute_parts,
    merge_reshapes,
    fold_constants,
)
"""What helps where, besides, a matrix of one row takes a whole tile."""

FOR_TENSTORRENT: tuple[Pass, ...] = (remove_noops, fuse_experts, *GENERAL, *FOR_PADDED_ROWS)
"""Every pass of the backend "tenstorrent"."""

_BEFORE_INT8: tuple[Pass, ...] = (remove_noops, fold_constants, fold_batch_norm, fuse_linear, fold_constants)
"""What leaves products with the weights they really have."""


def optimise(module: GraphModule, options: ModelOptions, passes: tuple[Pass, ...] = GENERAL) -> None:
    """Run the passes of a level on a graph, in place. At O0 only what is not needed goes."""
    with compiled_once(module):
        before = owners(module)
        fill_unwritten(module)
        lower_custom_ops(module)
        if options.precision == "int8":
            for rewrite in _BEFORE_INT8 if options.folds else (fold_constants, fuse_linear, fold_constants):
                rewrite(module)
            quantize_products(module)
        for rewrite in passes if options.folds else ():
            rewrite(module)
        separate_outputs(module, before)
        tidy(module)
