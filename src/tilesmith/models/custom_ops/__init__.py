"""Operators for PyTorch: `torch.ops.tilesmith.attention` and others, with shapes and gradients registered.

They run as programs wherever they are called: eagerly, inside `torch.compile`, and in an exported graph, as
one node. Tensors of float64, which the chip does not have, are computed with torch.
"""

from tilesmith.models.custom_ops.attention import attention
from tilesmith.models.custom_ops.bounds import in_bounds
from tilesmith.models.custom_ops.cache import cache_update
from tilesmith.models.custom_ops.equality import equality
from tilesmith.models.custom_ops.experts import group_rows, grouped_linear
from tilesmith.models.custom_ops.integer_products import integer_conv2d, integer_linear
from tilesmith.models.custom_ops.matmul import matmul
from tilesmith.models.custom_ops.norms import layer_norm, rms_norm
from tilesmith.models.custom_ops.paged_attention import paged_attention
from tilesmith.models.custom_ops.softmax import softmax

__all__ = [
    "attention",
    "cache_update",
    "equality",
    "group_rows",
    "grouped_linear",
    "in_bounds",
    "integer_conv2d",
    "integer_linear",
    "layer_norm",
    "matmul",
    "paged_attention",
    "rms_norm",
    "softmax",
]

# torch wraps each in an object of its own, with the docstring of that object's class.
for _op in (
    attention,
    cache_update,
    equality,
    group_rows,
    grouped_linear,
    in_bounds,
    integer_conv2d,
    integer_linear,
    layer_norm,
    matmul,
    paged_attention,
    rms_norm,
    softmax,
):
    _op.__doc__ = _op._init_fn.__doc__
