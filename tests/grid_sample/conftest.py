"""The devices all tests of grid_sample share."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tilesmith.runtime import Device, open_device


@pytest.fixture(scope="session")
def device_of() -> Iterator[Callable[[str], Device]]:
    """Opens a chip when a test first asks for it."""
    opened: dict[str, Device] = {}

    def device(arch: str) -> Device:
        if arch not in opened:
            opened[arch] = open_device(arch)
        return opened[arch]

    yield device
    for one in opened.values():
        one.close()


@pytest.fixture
def device(device_of: Callable[[str], Device]) -> Device:
    return device_of("wormhole")
