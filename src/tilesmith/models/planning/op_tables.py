"""Which operators of ATen are views, which do the main work of a kernel, and which take work before them."""

from __future__ import annotations

from typing import Any

import torch

import tilesmith.models.custom_ops  # noqa: F401 - importing it registers the operators of tilesmith

aten = torch.ops.aten

VIEWS: dict[Any, str] = {
    aten.view.default: "reshape",
    aten.reshape.default: "reshape",
    aten._unsafe_view.default: "reshape",
    aten.flatten.using_ints: "reshape",
    aten.permute.default: "permute",
    aten.transpose.int: "transpose",
    aten.t.default: "transpose_matrix",
    aten.unsqueeze.default: "reshape",
    aten.squeeze.dim: "reshape",
    aten.squeeze.dims: "reshape",
    aten.squeeze.default: "reshape",
    aten.expand.default: "expand",
    aten.slice.Tensor: "slice",
    aten.select.int: "select",
    aten.alias.default: "same",
    aten.detach.default: "same",
    aten.split_with_sizes.default: "split",
    aten.split.Tensor: "split",
    aten.chunk.default: "split",
    aten.unbind.int: "split",
    aten.flip.default: "flip",
    aten.unfold.default: "unfold",
}
"""Operators that only look at a tensor differently, and how. Flipping a device tensor copies it."""

PRODUCTS = (aten.linear.default, aten.addmm.default, aten.mm.default, aten.bmm.default, aten.matmul.default)
INTEGER_PRODUCTS = (torch.ops.tilesmith.integer_linear.default, torch.ops.tilesmith.integer_conv2d.default)
"""Products of quantised values: exact sums of integers, handed on as reals."""
ATTENTION = (aten.scaled_dot_product_attention.default,)
NORMS: dict[Any, Any] = {
    aten.layer_norm.default: "layer_norm",
    aten.rms_norm.default: "rms_norm",
    aten.softmax.int: "softmax",
    aten._softmax.default: "softmax",
    aten.log_softmax.int: "log_softmax",
    aten._log_softmax.default: "log_softmax",
}
CONVOLUTIONS = (aten.conv2d.default, aten.conv2d.padding, aten.convolution.default)
POOLS = (aten.max_pool2d.default, aten.avg_pool2d.default, aten.adaptive_avg_pool2d.default)
REDUCTIONS: dict[Any, str] = {
    **dict.fromkeys((aten.sum.dim_IntList, aten.sum.default, aten.mean.dim, aten.mean.default), "sum"),
    aten.amax.default: "max",
    aten.amin.default: "min",
}
GROUPED_PRODUCT = torch.ops.tilesmith.grouped_linear.default
CACHE_UPDATE = torch.ops.tilesmith.cache_update.default
MOVES = (
    aten.cat.default,
    aten.upsample_nearest2d.vec,
    aten.upsample_nearest2d.default,
    CACHE_UPDATE,
)
"""Operators that only copy: what follows them is a kernel of its own."""
BACKWARD_ROWS: dict[Any, str] = {
    torch.ops.tilesmith.layer_norm_backward.default: "layer_norm",
    torch.ops.tilesmith.rms_norm_backward.default: "rms_norm",
    aten._softmax_backward_data.default: "softmax",
    aten._log_softmax_backward_data.default: "log_softmax",
}
"""Gradients of norms and softmaxes."""
ANCHORS = {
    *MOVES,
    *PRODUCTS,
    *INTEGER_PRODUCTS,
    GROUPED_PRODUCT,
    *ATTENTION,
    *NORMS,
    *CONVOLUTIONS,
    *POOLS,
    *REDUCTIONS,
    *BACKWARD_ROWS,
    aten.group_norm.default,
    aten.embedding.default,
}
"""Operators that a template of the kernel library does."""

PROLOGUE = {*NORMS, *REDUCTIONS}
"""Operators whose kernel can compute its input from an expression."""
