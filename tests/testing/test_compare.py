"""The comparison must refuse what any single measure would let through."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
import torch

from tilesmith.formats import DataFormat
from tilesmith.testing import Tolerance, assert_close, compare

Values = npt.NDArray[np.float64]
BF16 = Tolerance.of(DataFormat.Float16_b)


def values() -> Values:
    return np.random.default_rng(1).standard_normal((4, 33))


def test_equal_arrays_are_close() -> None:
    assert_close(values(), values(), Tolerance.of(DataFormat.Int32))


def test_correlation_may_round() -> None:
    many = np.random.default_rng(5).standard_normal(100_000)
    assert_close(many, many, Tolerance.of(DataFormat.Int32))


def test_rounding_to_the_format_is_close() -> None:
    rounded = torch.from_numpy(values()).bfloat16().float()
    assert_close(rounded, values(), BF16)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda v: v * 1.05, id="scaled"),
        pytest.param(lambda v: v + 0.05, id="shifted"),
        pytest.param(lambda v: np.where(np.arange(v.size).reshape(v.shape) == 7, v + 1, v), id="one-wrong"),
        pytest.param(lambda v: np.full_like(v, v.mean()), id="constant"),
        pytest.param(lambda v: np.where(np.arange(v.size).reshape(v.shape) == 7, np.nan, v), id="nan"),
        pytest.param(lambda v: -v, id="negated"),
    ],
)
def test_wrong_results_are_refused(change: Callable[[Values], Values]) -> None:
    comparison = compare(change(values()), values(), BF16)
    assert not comparison.ok
    with pytest.raises(AssertionError, match="PCC"):
        assert_close(change(values()), values(), BF16)


def test_worst_element_is_named() -> None:
    wanted = values()
    got = wanted.copy()
    got[2, 5] += 3.0
    comparison = compare(got, wanted, BF16)
    assert comparison.worst == (2, 5)
    assert comparison.wrong == 1
    assert math.isclose(comparison.max_abs, 3.0)
    assert "(2, 5)" in str(comparison)


def test_infinities_must_have_the_same_sign() -> None:
    wanted = np.array([1.0, np.inf, np.nan])
    assert compare(wanted, wanted, BF16).ok
    assert not compare(np.array([1.0, -np.inf, np.nan]), wanted, BF16).nonfinite_equal
    assert not compare(np.array([1.0, 5.0, np.nan]), wanted, BF16).nonfinite_equal


def test_constants_compare_by_value() -> None:
    ones = np.ones(8)
    assert compare(ones, ones, BF16).ok
    assert compare(ones * 1.001, ones, BF16).ok
    assert not compare(ones * 2, ones, BF16).ok
    assert compare(np.ones_like(values()), values(), BF16).pcc == 0.0


def test_block_formats_are_judged_by_the_peak() -> None:
    wanted = np.array([1.0, 0.01])
    assert compare(np.array([1.0, 0.02]), wanted, Tolerance.of(DataFormat.Bfp8_b)).ok
    assert not compare(np.array([1.0, 0.02]), wanted, BF16).ok


def test_shapes_must_agree() -> None:
    with pytest.raises(AssertionError, match="shapes differ"):
        compare(np.ones(3), np.ones(4), BF16)


def test_nothing_is_close_to_nothing() -> None:
    assert compare(np.ones((0, 2)), np.ones((0, 2)), BF16).ok
