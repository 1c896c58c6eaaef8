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
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    is_causal: bool = False,
    scale: float | None = None,
) -> Tensor:
    """softmax(query key^T * scale + mask) value, for (batch, head, row, column) or (head, row, column).

    Several heads of queries may share one head of keys and values. A mask of truth values says what is seen.
    The first row of a causal one sees the first key alone, however many keys there are, as in torch. `scale`
    is 1 / sqrt(columns of the query) unless given.

    >>> q = torch.zeros(1, 2, 4, 8).double()
    >>> attention(q, q, q + 1, is_causal=True).unique().tolist()
    [1.0]
    """
    result: Tensor = launched("attention", _reference, query, key, value, attn_mask, is_causal, scale)
    return result


@attention.register_fake
def _(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None = None,
    causal: bool = False,
    scale: float | None = None,
) -> Tensor:
    torch._check(
        q.dim() in (3, 4) and q.dim() == k.dim() == v.dim(),
        lambda: "tilesmith::attention takes tensors (batch, head, row, column) or (head, row, column)",
    )
    heads, shared = q.shape[-3], k.shape[-3]
    torch._check(heads % shared == 0, lambda: f"{heads} heads cannot share {shared} of keys evenly")
    return q.new_empty((*q.shape[:-1], v.shape[-1]))


def _reference(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, causal: bool, scale: float | None
) -> Tensor:
    return attention_weights(q, k, mask, causal, scale) @ spread(v, q.shape[-3])


def spread(shared: Tensor, heads: int) -> Tensor:
    """Keys or values with a head for each head of the queries."""
    *batch, own, rows, cols = shared.shape
    if own == heads:
        return shared
    each = shared.unsqueeze(-3).expand(*batch, own, heads // own, rows, cols)
    return each.reshape(*batch, heads, rows, cols)


def usual_scale(query: Tensor, scale: float | None) -> float:
    """The scale of attention, where none is given that of torch."""
    return float(query.shape[-1]) ** -0.5 if scale is None else scale


def attention_weights(q: Tensor, k: Tensor, mask: Tensor | None, causal: bool, scale: float | None) -> Tensor:
    """How much each query sees of each key."""
    scores = (q @ spread(k, q.shape[-3]).transpose(-1, -2)) * usual_scale(q, scale)
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
    grad: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    causal: bool,
    scale: float | None,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of query, key and value."""
    args = (grad, query, key, value, mask, causal, scale)
    q, k, v = launched("attention_backward", backward_products, *args)
    return q, k, v


@attention_backward.register_fake
def _(
    grad: Tensor, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, causal: bool, scale: float | None
) -> tuple[Tensor, Tensor, Tensor]:
    return q.new_empty(q.shape), k.new_empty(k.shape), v.new_empty(v.shape)


def backward_products(
    grad: Tensor, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, causal: bool, scale: float | None
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients as products and a softmax, whose weights are computed again rather than kept."""
    heads, scale = q.shape[-3], usual_scale(q, scale)
    weights = attention_weights(q, k, mask, causal, scale)
    for_values = weights.transpose(-1, -2) @ grad
    for_weights = grad @ spread(v, heads).transpose(-1, -2)
    for_scores = torch.ops.aten._softmax_backward_data(for_weights, weights, -1, weights.dtype) * scale
    for_keys = for_scores.transpose(-1, -2) @ q
    return for_scores @ spread(k, heads), _gathered(for_keys, k), _gathered(for_values, v)


def _gathered(grad: Tensor, shared: Tensor) -> Tensor:
    """The gradient of heads that were spread: the sum over those who shared them."""
    *batch, own, rows, cols = shared.shape
    if grad.shape[-3] == own:
        return grad
    return grad.reshape(*batch, own, grad.shape[-3] // own, rows, cols).sum(-3)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    query, key, value, mask, ctx.causal, ctx.scale = inputs
    ctx.save_for_backward(query, key, value, mask)


def _backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    query, key, value, mask = ctx.saved_tensors
    result = attention_backward(grad, query, key, value, mask, ctx.causal, ctx.scale)
    return (*result, None, None, None)


attention.register_autograd(_backward, setup_context=_keep)
