"""What is done to a model that is to be trained, before and while AOTAutograd derives its backward graph.

Norms and attention become operators of tilesmith first: they have kernels of their own in both directions,
and AOTAutograd would decompose them. Gradients that PyTorch computes by scattering become products and sums.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.fx import GraphModule, Node

from tilesmith.models.capture.fx import decompositions
from tilesmith.models.decompositions.table import of_autograd

aten = torch.ops.aten
functional = torch.nn.functional


def keep_whole(module: GraphModule) -> None:
    """Norms along the last dimension and attention without dropout -> operators of tilesmith, in place."""
    for node in list(module.graph.nodes):
        make = _WHOLE.get(node.target) if node.op == "call_function" else None
        result = make(node) if make is not None else None
        if result is not None:
            node.target, node.args = result
            node.kwargs = {}
    module.recompile()


def learns_statistics(module: GraphModule) -> bool:
    """Whether a graph normalises by the mean and variance of a batch: gradients need all of float32."""
    calls = [node for node in module.graph.nodes if node.target is functional.batch_norm]
    return any(_given(node, *_BATCH_NORM)[-1] for node in calls)


_BATCH_NORM = ("input", "running_mean", "running_var", "weight", "bias", "training")


Call = tuple[Callable[..., Any], tuple[Any, ...]] | None


def _given(node: Node, *names: str) -> list[Any]:
    """The arguments of a call by name; None where one is left out."""
    values = dict(zip(names, node.args, strict=False))
    return [values.get(name, node.kwargs.get(name)) for name in names]


def _layer_norm(node: Node) -> Call:
    x, shape, weight, bias, epsilon = _given(node, "input", "normalized_shape", "weight", "bias", "eps")
    if len(shape) != 1:
        return None
    usual = 1e-5 if epsilon is None else epsilon
    return torch.ops.tilesmith.layer_norm.default, (x, list(shape), weight, bias, usual)


def _rms_norm(node: Node) -> Call:
    x, shape, weight, epsilon = _given(node, "input", "normalized_shape", "weight", "eps")
    if len(shape) != 1:
        return None
    usual = torch.finfo(torch.float32).eps
    return torch.ops.tilesmith.rms_norm.default, (
        x,
        list(shape),
        weight,
        usual if epsilon is None else epsilon,
    )


def _attention(node: Node) -> Call:
    names = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal", "scale", "enable_gqa")
    query, key, value, mask, dropout, causal, scale, grouped = _given(node, *names)
    shown = [one.meta.get("example_value") for one in (query, key, value)]
    if dropout or any(not isinstance(one, Tensor) or one.dim() != 4 for one in shown):
        return None
    if isinstance(mask, Node) and mask.meta["example_value"].requires_grad:
        return None
    if any(not isinstance(one.shape[dim], int) for one in shown for dim in (1, 3)):
        return None
    q, k, v = (one.shape for one in shown)
    if q[0] != k[0] or k[:2] != v[:2] or not (q[1] == k[1] or (grouped and q[1] % k[1] == 0)):
        return None  # batches that are broadcast: PyTorch decomposes it
    factor = q[-1] ** -0.5 if scale is None else scale
    return torch.ops.tilesmith.attention.default, (query, key, value, mask, bool(causal), float(factor))


_WHOLE: dict[Any, Callable[[Node], Call]] = {
    functional.layer_norm: _layer_norm,
    functional.rms_norm: _rms_norm,
    functional.scaled_dot_product_attention: _attention,
}


# ---- decompositions of gradients ----

# One kernel each; decomposed, a row is read and written several times.
_SOFTMAX_GRADIENTS = (aten._softmax_backward_data.default, aten._log_softmax_backward_data.default)


def training_decompositions() -> dict[Any, Callable[..., Any]]:
    """The decompositions of operators in graphs of AOTAutograd."""
    table = decompositions()
    for kept in (aten.upsample_nearest2d.default, *_SOFTMAX_GRADIENTS):
        table.pop(kept, None)
    return {**table, **of_autograd()}
