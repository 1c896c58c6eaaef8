"""One emulated chip for all tests of the engine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tilesmith.runtime import Device, open_device


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with open_device("wormhole") as one:
        yield one
