"""A token of each text drawn where the logits are: temperature, top-k and top-p, without sorting.

What top-k and top-p keep are the logits from some threshold on. It is found by halving: how many logits, or
how much of their probability, lie above the middle. Then a uniform number for each text says which it is:
the first at which the running sum of probabilities, in the vocabulary's order, gets past that part of all.
That is found by halving too, so that no row is moved.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from tilesmith.models.generation.rows import largest, total

_HALVINGS = 24
_FARTHEST = 64.0
"""In units of the temperature: what lies farther below the best logit has a probability under 1e-27."""
_BELOW_ONE = 1 - 2**-22


def draw(
    x: Tensor, uniform: Tensor, temperature: Tensor, top_k: Tensor | None, top_p: Tensor | None
) -> tuple[Tensor, Tensor]:
    """The number of a token for each row of chunks, by a number from 0 to 1 for each, and the best logits.

    >>> logits = torch.tensor([[0.0, 1.0], [0.0, 1.0]]).log()[None]
    >>> [int(draw(logits, torch.tensor([u]), torch.ones(1), None, None)[0]) for u in (0.1, 0.6)]
    [1, 3]
    """
    best = largest(x)
    weights = torch.exp((x - best) / temperature)
    unit = temperature * (_FARTHEST / 2**_HALVINGS)
    if top_k is not None:
        weights = _kept(x, weights, torch.ones_like(x), top_k, best, unit)
    if top_p is not None:
        weights = _kept(x, weights, weights, top_p * total(weights), best, unit)
    return _drawn(weights, uniform), best.flatten()


def _kept(x: Tensor, weights: Tensor, counts: Tensor, wanted: Tensor, best: Tensor, unit: Tensor) -> Tensor:
    """Weights of the fewest of the best of each row whose counts come to what is wanted; 0 for all others.

    They are those at most so many units below the best: whole numbers, so that the last threshold is one that
    was tried.
    """

    def misses(units: Tensor) -> Tensor:
        return total(torch.where(x >= best - units * unit, counts, 0.0)) < wanted

    units = _after(misses, torch.zeros_like(best), _HALVINGS)
    return torch.where(x >= best - units * unit, weights, 0.0)


def _drawn(weights: Tensor, uniform: Tensor) -> Tensor:
    """The first place of (row, chunk, column) at which the running sum gets past a part of all of it."""
    _, chunks, width = weights.shape
    places = torch.arange(chunks * width, dtype=weights.dtype).reshape(chunks, width)
    everything = total(weights)
    part = uniform.clamp(max=_BELOW_ONE).reshape(-1, 1, 1) * everything

    def misses(last: Tensor) -> Tensor:
        return total(torch.where(places <= last, weights, 0.0)) <= part

    found = _after(misses, torch.zeros_like(everything), (chunks * width - 1).bit_length())
    return found.flatten().to(torch.int64)


def _after(misses: Callable[[Tensor], Tensor], least: Tensor, bits: int) -> Tensor:
    """The first whole number of so many bits after those that miss; `least` is a zero for each row."""
    found = least
    for step in (2.0**bit for bit in reversed(range(bits))):
        found = found + torch.where(misses(found + (step - 1)), step, 0.0)
    return found
