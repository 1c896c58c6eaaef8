"""The mock cluster for the tests here, and a table of what they showed. Without ttnn they are skipped."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import tilesmith
from tilesmith.runtime import Device
from tilesmith.runtime.ttnn_library import ttnn_version
from tilesmith.testing.mock_cluster import mock_environment

LAUNCHES = "MOCK_LAUNCHES"
FAMILY = os.environ.get("MOCK_CHIP", "wormhole")
WITHOUT_TTNN = "ttnn is not installed in this Python: `make test-ttnn` runs these tests in one that has it"
WITHOUT_LAUNCHES = f"{LAUNCHES} names no directory of launches: `make test-ttnn` makes one"


def launch_files() -> list[Path]:
    """The recorded launches for the chip of this session."""
    directory = os.environ.get(LAUNCHES)
    return sorted(Path(directory).glob(f"{FAMILY}-*.json")) if directory else []


def exported_scripts() -> list[Path]:
    """The scripts of exported projects for the chip of this session."""
    directory = os.environ.get(LAUNCHES)
    return sorted(Path(directory).glob(f"exported/{FAMILY}-*/run_ttnn.py")) if directory else []


@pytest.fixture(scope="session")
def mock(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """ttnn's environment in this process; it can be set only once."""
    if find_spec("ttnn") is None:
        pytest.skip(WITHOUT_TTNN)
    variables = mock_environment(FAMILY, tmp_path_factory.mktemp("mock"))
    os.environ.update(variables)
    return variables


@pytest.fixture(scope="session")
def cluster(mock: dict[str, str]) -> Iterator[Device]:
    """The mock chip, open for the whole session: opening it builds firmware."""
    with tilesmith.open_device("ttnn") as device:
        yield device


@pytest.fixture
def device(cluster: Device) -> Iterator[Device]:
    """The mock chip through a Device of its own, so that its memory is empty again afterwards."""
    with tilesmith.open_device("ttnn") as opened:
        yield opened


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line for each example: how many of its launches ttnn accepted."""
    outcomes: dict[str, Counter[str]] = {}
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            for name, value in report.user_properties:
                if name == "example":
                    outcomes.setdefault(value, Counter())[outcome] += 1
    if not outcomes:
        return
    terminalreporter.section(f"accepted by ttnn {ttnn_version()} on a mock {FAMILY}")
    width = max(map(len, outcomes))
    for example, count in sorted(outcomes.items()):
        total = count["passed"] + count["failed"]
        terminalreporter.write_line(f"{example:{width}}  {count['passed']:3} of {total}")
    passed, every = (sum(one[key] for one in outcomes.values()) for key in ("passed", "failed"))
    terminalreporter.write_line(f"{'all':{width}}  {passed:3} of {passed + every}")
