"""The vendor's tools, in an environment of their own that `make test-peers` makes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.profiling.conftest import run_all

import tilesmith
from tilesmith.profiling import Profile, recording
from tilesmith.runtime.observers import labelled

PEERS = Path(__file__).resolve().parents[2] / ".venv-peers" / "bin"


@pytest.fixture(scope="session")
def peers() -> Path:
    if not (PEERS.parent / ".installed").exists():
        pytest.skip(
            "tt-perf-report, ttnn-visualizer and perfetto are not here: `make test-peers` installs them"
        )
    return PEERS


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Profile]:
    """A saved profile with a finding, and a result that is compared with its reference."""
    from examples.metal.elementwise import host as elementwise

    with recording("peers") as recorder, tilesmith.open_device("wormhole") as device:
        kept = device.empty((32, 32))
        run_all(device)
        with labelled("ttnn.add"):
            elementwise.run(device, (32, 32))
        recorder.note_accuracy(kept.buffer, 0.9995, 0.999)
    profile = recorder.profile
    return profile.save(tmp_path_factory.mktemp("saved")), profile
