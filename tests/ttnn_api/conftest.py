"""A device for these tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tilesmith import ttnn


@pytest.fixture(scope="module")
def device() -> Iterator[ttnn.MeshDevice]:
    with ttnn.manage_device(device_id=0) as opened:
        yield opened
