"""What runs each launch of a plan: a kernel of ours or a routine of a library; by rule, or by the clock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tilesmith.kernels.attention import Attention
from tilesmith.kernels.convolution import Convolution
from tilesmith.kernels.expression import Apply, Expr, size_of
from tilesmith.kernels.linear import Linear
from tilesmith.kernels.movement import Untilize
from tilesmith.models.backends.cuda.convolution_call import stores_most
from tilesmith.models.backends.cuda.library import Call, Known, Way, library_ways
from tilesmith.models.backends.cuda.norm_fusion import fused, is_read_again, partners
from tilesmith.models.backends.cuda.schedules import SMS, is_few_rows, schedules
from tilesmith.models.planning.steps import Download, Launch, Plan, Step
from tilesmith.models.planning.views import Storage

Timer = Callable[[Sequence[Way]], list[float]]
"""Microseconds of ways to do the same; infinite for one that does not run."""


def kernel_ways(step: Launch, most: int) -> list[Way]:
    return [(replace(step, template=one),) for one in schedules(step)[:most]]


def chosen_steps(plan: Plan, most: int, timer: Timer | None = None) -> list[Step | Call]:
    """The steps of a plan with every launch in the way that is likely the fastest, or that a timer says."""
    known = Known(frozenset(upload.view.storage for upload in plan.constants), _results(plan))
    pairs = partners(plan.steps)
    placed: dict[int, Way] = {}
    for place, step in enumerate(plan.steps):
        if isinstance(step, Launch) and place not in placed:
            partner = pairs.get(place)
            norm = plan.steps[partner] if partner is not None else None
            if isinstance(norm, Launch) and partner is not None:
                kept = is_read_again(plan.steps, step.storages["y"], partner)
                placed |= _pair(place, partner, step, norm, kept, known, most, timer)
            else:
                placed[place] = _best(step, known, most, timer)[0]
    return [one for place, step in enumerate(plan.steps) for one in placed.get(place, (step,))]


def _results(plan: Plan) -> frozenset[Storage]:
    """Storages that no kernel reads: a library's own tensor can be the result."""
    read = {
        storage
        for step in plan.steps
        if isinstance(step, Launch)
        for storage in step.storages.values()
        if storage not in step.outputs
    }
    taken = {step.view.storage for step in plan.steps if isinstance(step, Download)}
    return frozenset(taken - read)


def _best(step: Launch, known: Known, most: int, timer: Timer | None) -> tuple[Way, float]:
    theirs = library_ways(step, known)
    ours = kernel_ways(step, _tried(step, theirs, most) if timer else 1)
    if timer is None:
        return (theirs[0] if theirs and prefers_library(step, theirs[0]) else ours[0]), 0.0
    ways = [*theirs, *ours]
    if len(ways) == 1:
        return ways[0], 0.0
    times = timer(ways)
    least = min(range(len(ways)), key=times.__getitem__)
    return ways[least], times[least]


def _tried(step: Launch, theirs: Sequence[Way], most: int) -> int:
    """How many of our kernels are worth compiling: few where they differ little or a library is good."""
    template: Any = step.template
    if isinstance(template, Untilize) and theirs:
        return 0
    if isinstance(template, Convolution) and theirs:
        return 1
    if isinstance(template, Attention) and theirs and step.numbers["m"] < 64:
        return 0 if _is_late_token(step) else 1
    if isinstance(template, Attention):
        return most
    exact = any(len(way) == 1 for way in theirs)
    if isinstance(template, Linear) and not exact and not is_few_rows(step):
        return most
    return min(most, 2)


def _pair(
    place: int,
    partner: int,
    product: Launch,
    norm: Launch,
    kept: bool,
    known: Known,
    most: int,
    timer: Timer | None,
) -> dict[int, Way]:
    """A product and a norm: each by itself, or the product by a library and the rest with the norm."""
    apart = [_best(product, known, most, timer), _best(norm, known, most, timer)]
    together = fused(product, norm, kept)
    split = {place: apart[0][0], partner: apart[1][0]}
    if together is None or (timer is None and is_few_rows(product)):
        return split
    tried = _tried(together[1], (), most) if timer else 1
    joined: list[Way] = [(together[0], *way) for way in kernel_ways(together[1], tried)]
    if timer is None:
        least: Way | None = joined[0]
    else:
        times = timer([(*apart[0][0], *apart[1][0]), *joined])
        best = min(range(len(times)), key=times.__getitem__)
        least = joined[best - 1] if best else None
    return split if least is None else {place: least[:1], partner: least[1:]}


# ---- rules ----


def prefers_library(step: Launch, way: Way) -> bool:
    """Whether a library is likely faster than our kernel for a launch, as measured on an H200."""
    template: Any = step.template
    if isinstance(template, Linear) and is_few_rows(step) and template.dtype == "bfloat16":
        return step.numbers["n"] > 8192
    if isinstance(template, Linear):
        if _is_staged_well(step):
            return template.epilogue.is_plain
        return len(way) == 1 or template.dtype == "float32" or not _fuses_well(step)
    if isinstance(template, Attention):
        rows, keys = step.numbers["m"], step.numbers["n"]
        if rows < 64:
            return _is_late_token(step)
        blocks = -(-rows // 64) * step.numbers["nb1"] * step.numbers["nb2"]
        return blocks > SMS or keys > 1024
    return True


def _is_late_token(step: Launch) -> bool:
    """Whether a token looks at many before it: our kernel has one block a head, libraries have more."""
    return step.numbers["m"] == 1 and step.numbers["n"] >= 256


def _is_staged_well(step: Launch) -> bool:
    """Whether storing is most of a product, and our kernel does it well: cuBLAS is slow with a bias."""
    template: Any = schedules(step)[0]
    return stores_most(step) and isinstance(template, Linear) and template.staged


def _fuses_well(step: Launch) -> bool:
    """Whether a product with its epilogue in one kernel beats the two apart.

    It does when all tiles run at once; and when little is computed for what is stored: then bytes count.
    Apart a gated unit is three kernels: tiles of more rows, each for both weights, are faster at once.
    """
    template: Any = step.template
    n = step.numbers
    if template.weights == 2 and -(-n["m"] // 128) * -(-n["n"] // 64) <= SMS:
        return True
    tiles = -(-n["m"] // 64) * -(-n["n"] // 64) * template.weights
    cheap = all(size_of(one.value) <= 4 and not _is_costly(one.value) for one in template.epilogue.results)
    return tiles <= SMS or (cheap and n["k"] <= 512)


def _is_costly(value: Expr) -> bool:
    """Whether an expression has functions that take many instructions."""
    if not isinstance(value, Apply):
        return False
    return value.op not in ("add", "sub", "mul", "relu", "max", "min", "neg") or any(
        map(_is_costly, value.args)
    )
