"""Whether a result is torch's: not more off than rounding of the inputs can explain.

torch computes the sample again with inputs moved by a step of the precision that values are stored in: that
of bfloat16, or of TF32 where kernels keep float32. A result may differ by what that moves, and by a few steps
of its own. Where it moves nothing, integers and truth values are exact, and NaN and infinity are where torch
has them. For half precision torch also computes in float32: what its own rounding moves is allowed as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

BFLOAT16, TF32 = 2.0**-8, 2.0**-11
"""The steps that values are stored in."""
OWN = 3
"""How many steps a result may be off by itself."""
OF_LARGEST = 0.5
"""How many steps of the largest result: sums round as their largest terms do."""
AROUND = 4
"""How many times what moved inputs move it."""


def judged(
    made: list[Any],
    wanted: list[Any],
    eager: Callable[[list[Any]], list[Any]],
    leaves: list[Any],
    narrow: bool,
) -> str:
    """What is wrong with a result, where kernels may have stored bfloat16 or not; nothing if it is right."""
    if len(made) != len(wanted):
        return f"{len(made)} results instead of {len(wanted)}"
    half = any(isinstance(leaf, Tensor) and leaf.dtype == torch.bfloat16 for leaf in (*leaves, *wanted))
    step = BFLOAT16 if narrow or half else TF32
    moved, floats = list(_moved(eager, leaves, step)), any(map(_is_float, leaves))
    for number, (have, want) in enumerate(zip(made, wanted, strict=True)):
        if not isinstance(want, Tensor):
            if have != want and not (have != have and want != want):
                return f"result {number} is {have}, torch has {want}"
            continue
        rounded = floats or want.is_floating_point() or want.is_complex()
        fault = _fault(have, want, [one[number] for one in moved] if rounded else [], step)
        if fault:
            return f"result {number}: {fault}"
    return ""


def _moved(eager: Callable[[list[Any]], list[Any]], leaves: list[Any], step: float) -> Any:
    """What torch makes of inputs that are a step away, and in float32 where they are half precision."""
    if not any(map(_is_float, leaves)):
        # Where floats come of integers alone (a Fourier transform), these are values like others.
        leaves = [leaf.float() if isinstance(leaf, Tensor) else leaf for leaf in leaves]
    changes: list[Callable[[Any, torch.Generator], Any]] = [_widened, lambda leaf, _: _rounded(leaf, step)]
    changes += [lambda leaf, noise: _nudged(leaf, step, noise)] * 7
    for turn, change in enumerate(changes):
        noise = torch.Generator().manual_seed(turn)
        try:
            yield eager([change(leaf, noise) for leaf in leaves])
        except Exception:  # inputs that torch refuses when they are changed
            continue


def _is_float(leaf: Any) -> bool:
    return isinstance(leaf, Tensor) and (leaf.is_floating_point() or leaf.is_complex())


def _widened(leaf: Any, _: torch.Generator) -> Any:
    return leaf.float() if _is_float(leaf) and leaf.element_size() == 2 else leaf


def _rounded(leaf: Any, step: float) -> Any:
    if not _is_float(leaf) or step != BFLOAT16:
        return leaf
    if leaf.is_complex():
        return torch.complex(_rounded(leaf.real, step), _rounded(leaf.imag, step))
    return leaf.to(torch.bfloat16).to(leaf.dtype)


def _nudged(leaf: Any, step: float, noise: torch.Generator) -> Any:
    if not _is_float(leaf):
        return leaf
    if leaf.is_complex():
        return torch.complex(_nudged(leaf.real, step, noise), _nudged(leaf.imag, step, noise))
    up = torch.randint(2, leaf.shape, generator=noise)  # a whole step: what was equal no longer is
    return leaf * (1 + step * (2 * up - 1)).to(leaf.dtype)


def _fault(have: Any, want: Tensor, moved: list[Any], step: float) -> str:
    if not isinstance(have, Tensor):
        return f"{type(have).__name__} instead of a tensor"
    if have.dtype != want.dtype:
        return f"dtype {have.dtype}, torch has {want.dtype}"
    if have.shape != want.shape:
        return f"shape {tuple(have.shape)}, torch has {tuple(want.shape)}"
    if not want.numel():
        return ""
    if want.is_complex():
        alike = [one for one in moved if isinstance(one, Tensor) and one.is_complex()]
        parts = [torch.view_as_real(one.resolve_conj()) for one in (have, want, *alike)]
        return _fault(parts[0], parts[1], parts[2:], step)
    near = [one for one in moved if isinstance(one, Tensor) and one.shape == want.shape]
    bad = _off(have, want, near, step) if want.is_floating_point() else (have != want)
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


def _off(have: Tensor, want: Tensor, near: list[Tensor], step: float) -> Tensor:
    have, want = have.double(), want.double()
    usual = want.isfinite()
    largest = want[usual].abs().max() if bool(usual.any()) else want.new_zeros(())
    spread = torch.zeros_like(want)
    for one in near:
        moved = (one.double() - want).abs()
        spread = torch.maximum(spread, torch.where(moved.isfinite(), moved, 0.0))
    allowed = OWN * step * want.abs() + OF_LARGEST * step * largest + AROUND * spread + 1e-6
    wrong = ((have - want).abs() > allowed) | (have.isfinite() != usual)
    special = (have != want) & ~(have.isnan() & want.isnan())
    return torch.where(usual, wrong, special)
