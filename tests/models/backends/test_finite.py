"""NaN and infinity are seen in one pass as torch sees them element by element."""

from __future__ import annotations

from math import inf, nan

import pytest
import torch

from tilesmith.models.backends.transfers import finite_kept
from tilesmith.models.planning.finite import has_infinity, has_nan, is_finite, largest

FLOATS = (torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.float8_e5m2)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize(
    "values", [[], [1.0], [-2.0, nan], [nan, 1.0], [inf, 1.0], [1.0, -inf], [nan, -inf, 1.0]], ids=str
)
def test_every_float_is_judged_as_torch_judges_it(values: list[float], dtype: torch.dtype) -> None:
    given = torch.tensor(values).to(dtype)
    plain = given.float()
    assert has_nan(given) == bool(plain.isnan().any())
    assert has_infinity(given) == bool(plain.isinf().any())
    assert is_finite(given) == bool(plain.isfinite().all())


def test_integers_are_finite() -> None:
    given = torch.tensor([1, 2])
    assert is_finite(given)
    assert not has_nan(given)
    assert not has_infinity(given)


def test_what_is_repeated_is_looked_at_once() -> None:
    assert largest(torch.tensor([[-3.0], [2.0]]).expand(2, 1 << 40)) == 3.0


def test_the_lowest_float32_stays_finite_beside_infinity() -> None:
    lowest = torch.finfo(torch.float32).min
    kept = finite_kept(torch.tensor([lowest, -inf, inf, nan, 1.0]), torch.bfloat16)
    assert kept[0] == torch.finfo(torch.bfloat16).min
    assert kept[1] == -inf
    assert kept[2] == inf
    assert kept[3].isnan()
    assert kept[4] == 1.0
