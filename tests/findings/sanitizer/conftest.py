from __future__ import annotations

from collections.abc import Iterator

import pytest

import tilesmith
from tilesmith.runtime import Device


@pytest.fixture(params=["wormhole", "blackhole"], scope="module")
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    with tilesmith.open_device(request.param) as opened:
        yield opened
