"""A token of each text drawn where the logits are: temperature, top-k and top-p, without sorting.

What top-k and top-p keep are the logits from some threshold on. It is found by halving: how many logits, or
how much of their probability, lie above the middle. Then a uniform number for each text says which it is:
the first at which the running sum of probabilities, in the vocabulary's order, gets past that part of all.
"""

from __future__ import annotations

import torch
from torch import Tensor

from tilesmith.models.generation.rows import largest, total

_HALVINGS = 24
_FARTHEST = 64.0
"""In units of the temperature: what lies farther below the best logit has a probability under 1e-27."""
_WIDTH = 32


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
    units = torch.zeros_like(best)
    for step in (2.0**power for power in reversed(range(_HALVINGS))):
        above = x >= best - (units + (step - 1)) * unit
        few = total(torch.where(above, counts, 0.0)) < wanted
        units = units + torch.where(few, step, 0.0)
    return torch.where(x >= best - units * unit, weights, 0.0)


def _drawn(weights: Tensor, uniform: Tensor) -> Tensor:
    """The first place of (row, chunk, column) at which the running sum gets past a part of all of it.

    The chunk first, then a piece of it, then the place in that.
    """
    batch, _, width = weights.shape
    left = (uniform * total(weights).flatten())[:, None]
    found = torch.zeros(batch, 1, dtype=torch.int64)
    sizes = [width, _WIDTH, 1] if width > _WIDTH else [width, 1]
    for size in sizes:
        pieces = weights.reshape(batch, -1, size)
        sums = pieces.sum(-1)
        place, before = _passed(sums, left)
        left = left - before
        found = found + place * size
        mine = torch.arange(sums.shape[1])[:, None] == place[:, None]
        weights = torch.where(mine, pieces, 0.0).sum(1)
    return found.flatten()


def _passed(sums: Tensor, left: Tensor) -> tuple[Tensor, Tensor]:
    """Where running sums of rows get past what is left, and the sum before. Only what has weight counts."""
    size = sums.shape[1]
    places = torch.arange(size)
    running = (sums[:, None] * torch.ones(size, size).tril()).sum(-1)
    heavy = sums > 0
    first = torch.where(heavy & (running > left), places, size).amin(-1, keepdim=True)
    last = torch.where(heavy, places, 0).amax(-1, keepdim=True)  # sums that were rounded may not get there
    place = torch.minimum(first, last)
    return place, torch.where(places < place, sums, 0.0).sum(-1, keepdim=True)
