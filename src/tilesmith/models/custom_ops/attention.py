"""tilesmith::attention and its gradient."""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from tilesmith.models.custom_ops.eager import launched

_UNSEEN = -1e30


@torch.library.custom_op("tilesmith::attention", mutates_args=())
def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, causal: bool, scale: float
) -> Tensor:
    """softmax(query key^T * scale + mask) value, for tensors (batch, head, row, column).

    Several heads of queries may share one head of keys and values. A mask of truth values says what is seen.
    The first row of a causal one sees the first key alone, however many keys there are, as in torch.

    >>> q = torch.zeros(1, 2, 4, 8).double()
    >>> attention(q, q, q + 1, None, True, 1.0).unique().tolist()
    [1.0]
    """
    result: Tensor = launched("attention", _reference, query, key, value, mask, causal, scale)
    return result


@attention.register_fake
def _(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, causal: bool, scale: float) -> Tensor:
    torch._check(q.dim() == 4, lambda: "tilesmith::attention takes tensors (batch, head, row, column)")
    torch._check(
        q.shape[1] % k.shape[1] == 0, lambda: f"{q.shape[1]} heads cannot share {k.shape[1]} of keys evenly"
    )
    return q.new_empty((*q.shape[:-1], v.shape[-1]))


def _reference(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, causal: bool, scale: float) -> Tensor:
    return attention_weights(q, k, mask, causal, scale) @ spread(v, q.shape[1])


def spread(shared: Tensor, heads: int) -> Tensor:
    """Keys or values with a head for each head of the queries."""
    batch, own, rows, cols = shared.shape
    if own == heads:
        return shared
    return shared[:, :, None].expand(batch, own, heads // own, rows, cols).reshape(batch, heads, rows, cols)


def attention_weights(q: Tensor, k: Tensor, mask: Tensor | None, causal: bool, scale: float) -> Tensor:
    """How much each query sees of each key."""
    scores = (q @ spread(k, q.shape[1]).transpose(-1, -2)) * scale
    if causal:
        rows, keys = scores.shape[-2:]
        later = torch.ones(rows, keys, dtype=torch.bool, device=q.device).triu(1)
        scores = scores + torch.zeros(rows, keys, dtype=q.dtype, device=q.device).masked_fill(later, _UNSEEN)
    if mask is not None:
        seen = mask.dtype == torch.bool
        scores = scores.masked_fill(mask.logical_not(), _UNSEEN) if seen else scores + mask
    return scores.softmax(-1)


@torch.library.custom_op("tilesmith::attention_backward", mutates_args=())
def attention_backward(
    grad: Tensor, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, causal: bool, scale: float
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of query, key and value."""
    args = (grad, query, key, value, mask, causal, scale)
    q, k, v = launched("attention_backward", backward_products, *args)
    return q, k, v


@attention_backward.register_fake
def _(
    grad: Tensor, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, causal: bool, scale: float
) -> tuple[Tensor, Tensor, Tensor]:
    return q.new_empty(q.shape), k.new_empty(k.shape), v.new_empty(v.shape)


def backward_products(
    grad: Tensor, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, causal: bool, scale: float
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients as products and a softmax, whose weights are computed again rather than kept."""
    heads = q.shape[1]
    weights = attention_weights(q, k, mask, causal, scale)
    for_values = weights.transpose(-1, -2) @ grad
    for_weights = grad @ spread(v, heads).transpose(-1, -2)
    for_scores = torch.ops.aten._softmax_backward_data(for_weights, weights, -1, weights.dtype) * scale
    for_keys = for_scores.transpose(-1, -2) @ q
    return for_scores @ spread(k, heads), _gathered(for_keys, k), _gathered(for_values, v)


def _gathered(grad: Tensor, shared: Tensor) -> Tensor:
    """The gradient of heads that were spread: the sum over those who shared them."""
    batch, own, rows, cols = shared.shape
    if grad.shape[1] == own:
        return grad
    return grad.reshape(batch, own, grad.shape[1] // own, rows, cols).sum(2)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    query, key, value, mask, ctx.causal, ctx.scale = inputs
    ctx.save_for_backward(query, key, value, mask)


def _backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    query, key, value, mask = ctx.saved_tensors
    made = attention_backward(grad, query, key, value, mask, ctx.causal, ctx.scale)
    return (*made, None, None, None)


attention.register_autograd(_backward, setup_context=_keep)
