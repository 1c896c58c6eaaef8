"""A handshake that is right is silent in any order of the cores; one that is wrong is found in any."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.findings.cases import CASES, MULTICAST, Case
from tests.findings.programs import Layout

import tilesmith
from tilesmith import settings
from tilesmith.errors import KernelFindings
from tilesmith.runtime import Device

WRONG = [case for case in CASES if case.program == MULTICAST]


@pytest.fixture(params=["wormhole", "blackhole"], scope="module")
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    with tilesmith.open_device(request.param) as opened:
        yield opened


@pytest.mark.parametrize("slots", [2, 3, 4])
def test_a_multicast_with_a_handshake_is_silent(device: Device, slots: int) -> None:
    for seed in range(1, 21):
        with settings.using(seed=seed):
            MULTICAST.run(device, [], Layout(input_pages=slots))


@pytest.mark.parametrize("case", WRONG, ids=range(len(WRONG)))
def test_a_source_reused_too_early_is_found(device: Device, case: Case) -> None:
    changes = [case.change] if case.change else []
    for seed in range(1, 6):
        with settings.using(seed=seed, step_limit=100_000), pytest.raises(KernelFindings) as caught:
            MULTICAST.run(device, changes, case.wrong_layout or case.layout)
        assert case.check in {finding.check for finding in caught.value.findings}
