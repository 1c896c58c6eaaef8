"""Every example under checks, on both chips: work that divides evenly or not, and that leaves cores idle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from conformance.example_cases import CASES

import tilesmith
from tilesmith.runtime import Device
from tilesmith.testing import assert_close


def _name(case: tuple[Any, dict[str, Any]]) -> str:
    module, arguments = case
    return "-".join([module.__name__.split(".")[-2], *map(str, arguments.values())]).replace(" ", "")


@pytest.fixture(params=["wormhole", "blackhole"], scope="module")
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    with tilesmith.open_device(request.param) as opened:
        yield opened


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_example_is_right_and_silent(case: tuple[Any, dict[str, Any]], device: Device) -> None:
    module, arguments = case
    result, expected = module.run(device, **arguments, seed=3)
    assert_close(result, expected, module.TOLERANCE)
