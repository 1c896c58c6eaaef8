"""How far a result may be from torch's: by what its inputs' own rounding moves."""

from __future__ import annotations

from typing import Any

import torch
from conformance.opinfo_judge import judged


def _spectrum(leaves: list[Any]) -> list[Any]:
    return [torch.fft.fftn(leaves[0]).real]


def _equal(leaves: list[Any]) -> list[Any]:
    return [leaves[0] == leaves[1]]


def test_floats_that_come_of_integers_may_be_rounded_as_others() -> None:
    numbers = [torch.arange(-12, 12).reshape(4, 6)]
    wanted = _spectrum(numbers)
    rounded = [torch.fft.fftn(numbers[0].float() * (1 + 2.0**-9)).real]
    assert judged(rounded, wanted, _spectrum, numbers, narrow=True) == ""
    assert "differ" in judged([wanted[0] + 2.0], wanted, _spectrum, numbers, narrow=True)


def test_truth_about_integers_is_exact() -> None:
    numbers = [torch.arange(6), torch.arange(6)]
    wanted = _equal(numbers)
    assert judged(wanted, wanted, _equal, numbers, narrow=True) == ""
    assert "differ" in judged([~wanted[0]], wanted, _equal, numbers, narrow=True)


def _product(leaves: list[Any]) -> list[Any]:
    return [leaves[0] * leaves[1], leaves[0].abs()]


def test_complex_values_are_judged_as_the_two_reals_they_are() -> None:
    given = [torch.complex(torch.linspace(-2, 2, 9), torch.linspace(1, -1, 9)) for _ in range(2)]
    wanted = _product(given)
    near = [one * (1 + 2.0**-9) for one in wanted]
    assert judged(near, wanted, _product, given, narrow=True) == ""
    assert "differ" in judged([wanted[0].conj(), wanted[1]], wanted, _product, given, narrow=True)
