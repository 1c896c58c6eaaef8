"""Whether a result is torch's, for storage in bfloat16: not more off than rounding of the inputs can explain.

torch computes the sample again with inputs moved by a step of bfloat16. A result may differ by what that
moves, and by a few steps of its own. Where it moves nothing, integers and truth values are exact, and NaN and
infinity are where torch has them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

STEP = 2.0**-8
OWN = 0.02
"""How far a result may be off by itself, relative to its size."""
AROUND = 4
"""How many times what moved inputs move it."""


def judged(
    made: list[Any], wanted: list[Any], eager: Callable[[list[Any]], list[Any]], leaves: list[Any]
) -> str:
    """What is wrong with a result; nothing if it is right."""
    if len(made) != len(wanted):
        return f"{len(made)} results instead of {len(wanted)}"
    moved = list(_moved(eager, leaves))
    for number, (have, want) in enumerate(zip(made, wanted, strict=True)):
        if not isinstance(want, Tensor):
            if have != want and not (have != have and want != want):
                return f"result {number} is {have}, torch has {want}"
            continue
        fault = _fault(have, want, [one[number] for one in moved])
        if fault:
            return f"result {number}: {fault}"
    return ""


def _moved(eager: Callable[[list[Any]], list[Any]], leaves: list[Any]) -> Any:
    """What torch makes of inputs that are a step of bfloat16 away."""
    if not any(isinstance(leaf, Tensor) and leaf.is_floating_point() for leaf in leaves):
        return
    for turn in range(8):
        noise = torch.Generator().manual_seed(turn)
        try:
            yield eager([_nudged(leaf, turn, noise) for leaf in leaves])
        except Exception:  # an input that torch refuses when it is moved
            return


def _nudged(leaf: Any, turn: int, noise: torch.Generator) -> Any:
    if not isinstance(leaf, Tensor) or not leaf.is_floating_point():
        return leaf
    if turn == 0:
        return leaf.to(torch.bfloat16).to(leaf.dtype)
    return leaf * (1 + STEP * (2 * torch.rand(leaf.shape, generator=noise) - 1)).to(leaf.dtype)


def _fault(have: Any, want: Tensor, moved: list[Any]) -> str:
    if not isinstance(have, Tensor):
        return f"{type(have).__name__} instead of a tensor"
    if have.dtype != want.dtype:
        return f"dtype {have.dtype}, torch has {want.dtype}"
    if have.shape != want.shape:
        return f"shape {tuple(have.shape)}, torch has {tuple(want.shape)}"
    if not want.numel():
        return ""
    if want.is_complex():
        parts = [torch.view_as_real(one.resolve_conj()) for one in (have, want, *moved)]
        return _fault(parts[0], parts[1], parts[2:])
    near = [one for one in moved if isinstance(one, Tensor) and one.shape == want.shape]
    bad = _off(have, want, near) if want.is_floating_point() else (have != want)
    for one in near:  # where moved inputs give something else, either will do
        bad = bad & _same(one, want)
    if not bool(bad.any()):
        return ""
    at = tuple(int(place) for place in bad.nonzero()[0])
    count = f"{int(bad.sum())} of {bad.numel()} differ"
    return f"{count}, first at {at}: {have[at].item()}, torch has {want[at].item()}"


def _same(one: Tensor, want: Tensor) -> Tensor:
    """Whether moved inputs leave a value of the same kind: the same whole number, or finite as before."""
    if not want.is_floating_point():
        return one == want
    return (one.isnan() == want.isnan()) & (one.isinf() == want.isinf())


def _off(have: Tensor, want: Tensor, near: list[Tensor]) -> Tensor:
    have, want = have.double(), want.double()
    usual = want.isfinite()
    largest = want[usual].abs().max() if bool(usual.any()) else want.new_zeros(())
    spread = torch.zeros_like(want)
    for one in near:
        moved = (one.double() - want).abs()
        spread = torch.maximum(spread, torch.where(moved.isfinite(), moved, 0.0))
    allowed = OWN * want.abs() + OWN * 0.5 * largest + AROUND * spread + 1e-6
    wrong = ((have - want).abs() > allowed) | (have.isfinite() != usual)
    special = (have != want) & ~(have.isnan() & want.isnan())
    return torch.where(usual, wrong, special)
