"""How far a result is from its reference on the whole: a gain, and what is left besides it."""

from __future__ import annotations

import math
from typing import Any

import torch


def distance(args: tuple[Any, ...]) -> str:
    """Of the first two tensors among the arguments of a comparison; empty where there are none to compare.

    >>> distance((torch.tensor([1.0, -2.0]), torch.tensor([2.0, -4.0])))
    'gain -5.0e-01, error 0'
    """
    pair = [one.detach().double().flatten() for one in args if isinstance(one, torch.Tensor)][:2]
    if len(pair) < 2 or pair[0].shape != pair[1].shape:
        return ""
    found, wanted = pair
    finite = found.isfinite() & wanted.isfinite()
    found, wanted = found[finite], wanted[finite]
    power = float(wanted @ wanted)
    if not power:
        return ""
    gain = float(found @ wanted) / power - 1
    left = found - (1 + gain) * wanted
    return f"gain {gain:.1e}, error {math.sqrt(float(left @ left) / power):.1e}".replace("0.0e+00", "0")
