"""The operators that random models are made of: each draws its attributes, and asks for further inputs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import functional

SIZES = (1, 1, 2, 3, 5, 7, 8, 16, 31, 32, 33, 40, 64)

Operand = Callable[[Sequence[int]], Tensor]
"""Asks for another input of a shape."""
Step = Callable[[random.Random, Tensor, Operand], Tensor]


def _elementwise(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    return rng.choice(UNARY)(x)


def _with_another(rng: random.Random, x: Tensor, operand: Operand) -> Tensor:
    kept = list(x.shape)[x.dim() - rng.randint(0, x.dim()) :]
    y = operand([1 if rng.random() < 0.4 else size for size in kept])
    return rng.choice(BINARY)(x, y)


def _reduced(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    dims = rng.sample(range(x.dim()), rng.randint(1, x.dim()))
    made: Tensor = rng.choice((torch.mean, torch.amax, torch.sum))(x, dims, keepdim=True)
    return x - made if rng.random() < 0.5 else made.squeeze(dims) * 0.25


def _turned(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    return x.permute(rng.sample(range(x.dim()), x.dim()))


def _part(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    dim = rng.randrange(x.dim())
    first = rng.randrange(x.shape[dim])
    last, step = rng.randint(first + 1, x.shape[dim]), rng.choice((1, 1, 2))
    return x[(slice(None),) * dim + (slice(first, last, step),)]


def _picked(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    dim = rng.randrange(x.dim())
    numbers = [rng.randrange(x.shape[dim]) for _ in range(rng.randint(1, 5))]
    return x.index_select(dim, torch.tensor(numbers))


def _joined(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    dim = rng.randrange(x.dim())
    return torch.cat([x, x * 2, x.narrow(dim, 0, 1)], dim)


def _reshaped(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    if x.dim() > 1 and rng.random() < 0.5:
        first = rng.randrange(x.dim() - 1)
        return x.flatten(first, first + 1)
    return x.unsqueeze(rng.randint(0, x.dim())) if x.dim() < 5 else x


def _repeated(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    return x.expand([3 if size == 1 and rng.random() < 0.5 else size for size in x.shape])


def _product(rng: random.Random, x: Tensor, operand: Operand) -> Tensor:
    scale = float(x.shape[-1]) ** -0.5
    if x.dim() > 1 and rng.random() < 0.4:
        return torch.matmul(x, x.transpose(-1, -2)).mul(scale)
    return torch.matmul(x, operand([x.shape[-1], rng.choice(SIZES)])).mul(scale)


def _attended(rng: random.Random, x: Tensor, operand: Operand) -> Tensor:
    rows = x.reshape(1, 1, -1, x.shape[-1])[:, :, :40]
    keys, values = (operand([1, 1, size, x.shape[-1]]) for size in [rng.choice(SIZES)] * 2)
    mask = operand([rows.shape[2], keys.shape[2]]) if rng.random() < 0.3 else None
    causal, scale = mask is None and rng.random() < 0.3, rng.choice((None, 0.3))
    return functional.scaled_dot_product_attention(
        rows, keys, values, attn_mask=mask, is_causal=causal, scale=scale
    )


def _normed(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    if rng.random() < 0.5 or x.shape[-1] == 1:
        dim = rng.randrange(x.dim())
        return x.softmax(dim) * x.shape[dim]
    return functional.layer_norm(x, x.shape[-1:])


def _doubtful(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    """What may make NaN of numbers, then perhaps what would hide it."""
    x = rng.choice(MAKE_NAN)(x)
    return rng.choice(HIDE_NAN)(x) if rng.random() < 0.7 else x


def _recurrent(rng: random.Random, x: Tensor, operand: Operand) -> Tensor:
    """A layer of an LSTM or a GRU over a few rows, with weights that gradients are asked of."""
    rows = x.reshape(1, -1, x.shape[-1])[:, :4]
    gates, hidden = rng.choice(((4, 5), (3, 8)))
    weights = [operand([gates * hidden, size]) * 0.3 for size in (x.shape[-1], hidden)]
    biases = [operand([gates * hidden]) * 0.3 for _ in range(2)]
    state = operand([1, 1, hidden])
    if gates == 4:
        return torch.lstm(rows, (state, state), [*weights, *biases], True, 1, 0.0, True, False, True)[0]
    return torch.gru(rows, state, [*weights, *biases], True, 1, 0.0, True, False, True)[0]


def _crowded(rng: random.Random, x: Tensor, operand: Operand) -> Tensor:
    """More tensors than a kernel has circular buffers for, met one after another."""
    for _ in range(rng.randint(12, 40)):
        kept = list(x.shape)[x.dim() - rng.randint(0, x.dim()) :]
        x = x * 0.5 + operand([1 if rng.random() < 0.4 else size for size in kept])
    return x


def _padded(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    return functional.pad(x, (rng.randint(0, 3), rng.randint(0, 3)))


UNARY: tuple[Callable[[Tensor], Tensor], ...] = (
    *(torch.sin, torch.cos, torch.tanh, torch.sigmoid, torch.relu, torch.abs, torch.neg, torch.square),
    *(functional.gelu, functional.silu, functional.softplus),
    *(lambda x: x.clamp(-1, 1), lambda x: x.clamp(max=2).exp(), lambda x: (x * x + 0.5).rsqrt()),
    lambda x: (x * x + 0.5).log(),
)
MAKE_NAN: tuple[Callable[[Tensor], Tensor], ...] = (
    *(torch.log, torch.sqrt, torch.rsqrt, torch.acos, lambda x: x**0.5, lambda x: x * 2 - x),
    *(lambda x: x / x.sum(-1, keepdim=True), lambda x: x - x.amax(-1, keepdim=True), lambda x: x * 0),
)
HIDE_NAN: tuple[Callable[[Tensor], Tensor], ...] = (
    *(torch.relu, lambda x: x.clamp(-1, 1), lambda x: (x > 0).to(x.dtype), torch.sigmoid, torch.exp),
    *(lambda x: x.amax(-1, keepdim=True).clamp(max=2), lambda x: x.sum(-1, keepdim=True).clamp(-2, 2)),
    *(lambda x: x.softmax(-1), lambda x: x.argmax(-1, keepdim=True).to(x.dtype), lambda x: 1 / (x + 1.5)),
    lambda x: torch.copysign(torch.ones_like(x), x.nan_to_num().relu() * -1),  # the sign of zeros
    lambda x: x.cumsum(-1, dtype=torch.float64).to(x.dtype),
    lambda x: x.nan_to_num().bfloat16().floor().to(x.dtype),
)
BINARY: tuple[Callable[[Tensor, Tensor], Tensor], ...] = (
    *(torch.add, torch.mul, torch.maximum),
    *(lambda x, y: y - x, lambda x, y: torch.where(y > 0, x, x * 0.5)),
)
ANY_RANK: tuple[Step, ...] = (_elementwise, _with_another, _with_another, _reshaped)
STEPS: tuple[Step, ...] = (
    *(*ANY_RANK, _reduced, _turned, _part, _picked, _joined),
    *(_repeated, _product, _attended, _normed, _padded),
)
DOUBTFUL: tuple[Step, ...] = (*STEPS, *(_doubtful,) * 6)
"""With NaN: a third of the models take these."""
RECURRENT: tuple[Step, ...] = (*STEPS, *(_recurrent,) * 8)
"""With recurrent layers: one model in eleven."""
CROWDED: tuple[Step, ...] = (*STEPS, *(_crowded,) * 8)
"""With more tensors than one kernel can read: one model in thirteen."""
