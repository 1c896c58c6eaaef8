"""Steps of random models that work on complex numbers, and those that make real ones of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from conformance.random_steps import STEPS, Operand, Step


def _other(rng: random.Random, operand: Operand, shape: Sequence[int]) -> Tensor:
    """Another operand: complex or real."""
    first = operand(shape)
    return torch.complex(first, operand(shape)) if rng.random() < 0.7 else first


def _elementwise(rng: random.Random, z: Tensor, _operand: Operand) -> Tensor:
    return rng.choice(UNARY)(z)


def _with_another(rng: random.Random, z: Tensor, operand: Operand) -> Tensor:
    kept = list(z.shape)[z.dim() - rng.randint(0, z.dim()) :]
    other = _other(rng, operand, [1 if rng.random() < 0.4 else size for size in kept])
    return rng.choice(BINARY)(z, other)


def _transformed(rng: random.Random, z: Tensor, _operand: Operand) -> Tensor:
    if not z.dim():
        return z * 2j
    dim, norm = rng.randrange(-z.dim(), z.dim()), rng.choice((None, "ortho", "forward"))
    length = rng.choice((None, None, z.shape[dim] + 2, max(1, z.shape[dim] - 1)))
    made: Tensor = rng.choice((torch.fft.fft, torch.fft.ifft))(z, length, dim, norm)
    return made


def _product(rng: random.Random, z: Tensor, operand: Operand) -> Tensor:
    if not z.dim():
        return z
    scale = float(z.shape[-1]) ** -0.5
    if z.dim() > 1 and rng.random() < 0.4:
        return torch.matmul(z, z.mH).mul(scale)
    first, second = (operand([z.shape[-1], size]) for size in [rng.choice((1, 3, 8, 33))] * 2)
    return torch.matmul(z, torch.complex(first, second)).mul(scale)


def _to_real(rng: random.Random, z: Tensor, _operand: Operand) -> Tensor:
    return rng.choice(REAL)(z)


def _reduced(rng: random.Random, z: Tensor, _operand: Operand) -> Tensor:
    dims = rng.sample(range(z.dim()), rng.randint(1, z.dim())) if z.dim() else []
    made: Tensor = rng.choice((torch.mean, torch.sum))(z, dims, keepdim=True) if dims else z
    return z - made if rng.random() < 0.5 else made.squeeze(dims) * 0.25


UNARY: tuple[Callable[[Tensor], Tensor], ...] = (
    *(
        torch.conj,
        torch.neg,
        torch.square,
        lambda z: z * 1j,
        lambda z: z.tanh() if z.numel() < 9 else z * 0.5,
    ),
    *(lambda z: z / (z.abs() + 0.5), lambda z: (z / (z.abs() + 1)).exp(), lambda z: z.conj() * z),
    *(lambda z: torch.complex(z.imag, z.real), lambda z: torch.polar(z.abs(), z.real)),
    lambda z: torch.where(z.real > 0, z, z.conj() * 0.5),
)
BINARY: tuple[Callable[[Tensor, Tensor], Tensor], ...] = (
    *(torch.add, torch.mul, lambda z, other: other - z),
    lambda z, other: z / (other * other.conj() + 0.5),
)
REAL: tuple[Callable[[Tensor], Tensor], ...] = (
    *(torch.abs, torch.real, torch.imag, lambda z: torch.view_as_real(z.resolve_conj())),
    lambda z: torch.fft.irfft(z, max(1, 2 * z.shape[-1] - 1)) if z.dim() else z.real,
)
# Of the steps of real tensors, those that move, join or part what they are given.
_MOVES = tuple(
    step
    for step in STEPS
    if step.__name__ in ("_reshaped", "_turned", "_part", "_picked", "_joined", "_repeated")
)


def _moved(rng: random.Random, z: Tensor, operand: Operand) -> Tensor:
    return rng.choice(_MOVES)(rng, z, operand) if z.dim() else z.unsqueeze(0)


COMPLEX: tuple[Step, ...] = (
    *(_elementwise, _elementwise, _with_another, _with_another, _transformed, _product, _reduced),
    *(_moved, _moved, _moved, _to_real),
)
"""What is done to complex tensors."""
