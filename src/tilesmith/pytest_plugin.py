"""A pytest plugin: `--ttnn=tilesmith` points `import ttnn` at tilesmith's and gives tests a `device`.

`--ttnn-op DIR` adds an op that `tilesmith op` made, `--ttnn-stages` runs the tests of a plan in stages.
`@pytest.mark.benchmark` holds the predicted time of a test against a baseline (docs/runs.md).

The redirect is in place before any conftest.py is imported, so that the vendor's own can be used as they are.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tilesmith.ops.device import MeshDevice
    from tilesmith.profiling import Profile

MARKER = (
    "benchmark(threshold='5%', baseline=FILE): fail if the predicted time of the test's programs is over its"
    " baseline's by more than the threshold; --update-baseline renews it"
)
CHOICES = ("auto", "tilesmith", "real")


class DeviceFixture:
    """Added when tests run on tilesmith's ttnn; a `device` of the tests' own conftest comes first."""

    @pytest.fixture
    def device(self) -> Iterator[MeshDevice]:
        """A device, opened for one test."""
        from tilesmith import ttnn

        with ttnn.manage_device(device_id=0) as opened:
            yield opened


class StagedOperations:
    """Added by `--ttnn-stages`: a test sees operations as they are after the stage of its file."""

    @pytest.fixture(autouse=True)
    def operations_of_the_stage(
        self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from tilesmith import ttnn
        from tilesmith.ttnn.staged import LAST, grid_sample_at

        named = re.match(r"test_stage(\d)_", request.path.name)
        monkeypatch.setattr(ttnn, "grid_sample", grid_sample_at(int(named[1]) if named else LAST))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--ttnn",
        choices=CHOICES,
        default=None,
        help="what `import ttnn` means: tilesmith's emulated one, the real package, or (auto) the real one"
        " where it is installed and tilesmith's elsewhere",
    )
    parser.addoption(
        "--ttnn-op",
        action="append",
        default=[],
        metavar="DIR",
        help="the folder of an op that `tilesmith op` made: tests find it as ttnn.<op>; implies"
        " --ttnn=tilesmith",
    )
    parser.addoption(
        "--ttnn-stages",
        action="store_true",
        help="tests of a plan in stages: those in test_stage<N>_*.py see ttnn.grid_sample, with channels in"
        " front, as it is after stage N; implies --ttnn=tilesmith",
    )
    parser.addoption(
        "--update-baseline",
        action="store_true",
        help="write the predicted times of tests marked as benchmarks into their baseline files",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)


@pytest.fixture
def profiled(request: pytest.FixtureRequest) -> Callable[[], Profile]:
    """In a test marked as a benchmark: called, it gives the profile of what ran so far."""

    def so_far() -> Profile:
        from tilesmith.profiling.runs.pytest_marker import recorded

        return recorded(request.node)

    return so_far


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The gate is only there where a test asks for it: it imports the profiler."""
    if any(item.get_closest_marker("benchmark") for item in items):
        from tilesmith.profiling.runs.pytest_marker import BenchmarkGate

        config.pluginmanager.register(BenchmarkGate(), "tilesmith-benchmark")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    given = early_config.known_args_namespace
    choice = getattr(given, "ttnn", None) or ("tilesmith" if given.ttnn_op or given.ttnn_stages else None)
    if choice is None or choice == "real" or (choice == "auto" and find_spec("ttnn") is not None):
        return
    from tilesmith.ttnn.redirect import redirect

    redirect()
    early_config.pluginmanager.register(DeviceFixture(), "tilesmith-device")
    for folder in given.ttnn_op:
        _import_op(Path(folder).resolve())
    if given.ttnn_stages:
        early_config.pluginmanager.register(StagedOperations(), "tilesmith-stages")


def _import_op(folder: Path) -> None:
    if not (folder / "__init__.py").is_file():
        raise pytest.UsageError(f"--ttnn-op: {folder} is no op; `tilesmith op new` and `op stage 1` make one")
    sys.path.insert(0, str(folder.parent))
    import_module(folder.name)


def pytest_report_header(config: pytest.Config) -> str | None:
    if config.getoption("--ttnn") is None:
        return None
    used = sys.modules.get("ttnn")
    is_ours = used is not None and used.__name__ == "tilesmith.ttnn"
    return f"ttnn: {'tilesmith, emulated' if is_ours else 'the real package'}"
