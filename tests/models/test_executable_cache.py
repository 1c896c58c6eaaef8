"""What is compiled once is not compiled again, and reports go to those who ask for them."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import Any

import pytest
import torch

from tilesmith.models.executable import Executable
from tilesmith.models.executable_cache import ExecutableCache, collect_reports, signature
from tilesmith.models.report import Report


class Echo(Executable):
    def __init__(self, closed: bool = False) -> None:
        self.closed = closed
        self.report = Report(0)

    @property
    def is_closed(self) -> bool:
        return self.closed

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        return list(inputs)


def test_a_key_is_built_once() -> None:
    cache = ExecutableCache()
    first = cache.get("a", Echo)
    assert cache.get("a", Echo) is first
    assert cache.get("b", Echo) is not first
    assert len(cache) == 2


def test_what_a_closed_device_ran_is_built_again_where_asked() -> None:
    cache = ExecutableCache()
    first = cache.get("a", lambda: Echo(closed=True))
    assert cache.get("a", Echo) is first, "running it says that the device was closed"
    assert cache.get("a", Echo, renew=True) is not first


DIFFERENT = [
    (torch.ones(2), torch.ones(3)),
    (torch.ones(2), torch.ones(2, dtype=torch.int32)),
    (1, True),
    (1, 1.0),
    (0.0, -0.0),
    ([1], (1,)),
    ({"a": 1}, {"b": 1}),
    (None, 0),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_arguments_that_differ_have_other_signatures(one: Any, other: Any) -> None:
    assert signature(one) == signature(one)
    assert signature(one) != signature(other)


def test_nan_is_found_again() -> None:
    assert signature(nan) == signature(float("nan"))


def test_reports_are_collected_where_they_are_asked_for() -> None:
    cache = ExecutableCache()
    with collect_reports() as outer:
        cache.get("a", Echo)
        with collect_reports() as inner:
            cache.get("b", Echo)
            cache.get("a", Echo)
        assert len(inner) == 1
    cache.get("c", Echo)
    assert len(outer) == 2
