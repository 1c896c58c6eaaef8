"""What runs each launch of a plan: a kernel of ours or a routine of a library; by rule, or by the clock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tilesmith.kernels.attention import Attention
from tilesmith.kernels.linear import Linear
from tilesmith.models.backends.cuda.library import Call, Way, library_ways
from tilesmith.models.backends.cuda.norm_fusion import fused, is_read_again, partners
from tilesmith.models.backends.cuda.schedules import schedules
from tilesmith.models.planning.steps import Launch, Plan, Step
from tilesmith.models.planning.views import Storage

Timer = Callable[[Sequence[Way]], list[float]]
"""Microseconds of ways to do the same; infinite for one that does not run."""


def kernel_ways(step: Launch, most: int) -> list[Way]:
    return [(replace(step, template=one),) for one in schedules(step)[:most]]


def chosen_steps(plan: Plan, most: int, timer: Timer | None = None) -> list[Step | Call]:
    """The steps of a plan with every launch in the way that is likely the fastest, or that a timer says."""
    constants = frozenset(upload.view.storage for upload in plan.constants)
    pairs = partners(plan.steps)
    placed: dict[int, Way] = {}
    for place, step in enumerate(plan.steps):
        if isinstance(step, Launch) and place not in placed:
            partner = pairs.get(place)
            norm = plan.steps[partner] if partner is not None else None
            if isinstance(norm, Launch) and partner is not None:
                kept = is_read_again(plan.steps, step.storages["y"], partner)
                placed |= _pair(place, partner, step, norm, kept, constants, most, timer)
            else:
                placed[place] = _best(step, constants, most, timer)[0]
    return [one for place, step in enumerate(plan.steps) for one in placed.get(place, (step,))]


def _best(step: Launch, constants: frozenset[Storage], most: int, timer: Timer | None) -> tuple[Way, float]:
    ours, theirs = kernel_ways(step, most if timer else 1), library_ways(step, constants)
    if timer is None:
        return (theirs[0] if theirs and prefers_library(step, theirs[0]) else ours[0]), 0.0
    ways = [*theirs, *ours]
    if len(ways) == 1:
        return ways[0], 0.0
    times = timer(ways)
    least = min(range(len(ways)), key=times.__getitem__)
    return ways[least], times[least]


def _pair(
    place: int,
    partner: int,
    product: Launch,
    norm: Launch,
    kept: bool,
    constants: frozenset[Storage],
    most: int,
    timer: Timer | None,
) -> dict[int, Way]:
    """A product and a norm: each by itself, or the product by a library and the rest with the norm."""
    apart = [_best(product, constants, most, timer), _best(norm, constants, most, timer)]
    together = fused(product, norm, kept)
    split = {place: apart[0][0], partner: apart[1][0]}
    if together is None:
        return split
    joined: list[Way] = [(together[0], *way) for way in kernel_ways(together[1], most if timer else 1)]
    if timer is None:
        least = joined[0] if fuses_norm(product) else None
    else:
        times = timer([(*apart[0][0], *apart[1][0]), *joined])
        best = min(range(len(times)), key=times.__getitem__)
        least = joined[best - 1] if best else None
    return split if least is None else {place: least[:1], partner: least[1:]}


# ---- rules ----


def prefers_library(step: Launch, way: Way) -> bool:
    """Whether a library is likely faster than our kernel for a launch, as measured on an H200."""
    template: Any = step.template
    if isinstance(template, Linear):
        return len(way) == 1 or template.dtype == "float32"
    if isinstance(template, Attention):
        return step.numbers["n"] >= 512
    return True


def fuses_norm(product: Launch) -> bool:
    """Whether the rest of a product goes with the norm after it."""
    return product.numbers["k"] >= 0
