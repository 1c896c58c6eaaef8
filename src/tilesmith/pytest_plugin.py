"""A pytest plugin: `--ttnn=tilesmith` points `import ttnn` at tilesmith's and gives tests a `device`.

The redirect is in place before any conftest.py is imported, so that the vendor's own can be used as they are.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tilesmith.ops.device import MeshDevice

CHOICES = ("auto", "tilesmith", "real")


class DeviceFixture:
    """Added when tests run on tilesmith's ttnn; a `device` of the tests' own conftest comes first."""

    @pytest.fixture
    def device(self) -> Iterator[MeshDevice]:
        """A device, opened for one test."""
        from tilesmith import ttnn

        with ttnn.manage_device(device_id=0) as opened:
            yield opened


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--ttnn",
        choices=CHOICES,
        default=None,
        help="what `import ttnn` means: tilesmith's emulated one, the real package, or (auto) the real one"
        " where it is installed and tilesmith's elsewhere",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    choice = getattr(early_config.known_args_namespace, "ttnn", None)
    if choice is None or choice == "real" or (choice == "auto" and find_spec("ttnn") is not None):
        return
    from tilesmith.ttnn.redirect import redirect

    redirect()
    early_config.pluginmanager.register(DeviceFixture(), "tilesmith-device")


def pytest_report_header(config: pytest.Config) -> str | None:
    if config.getoption("--ttnn") is None:
        return None
    used = sys.modules.get("ttnn")
    is_ours = used is not None and used.__name__ == "tilesmith.ttnn"
    return f"ttnn: {'tilesmith, emulated' if is_ours else 'the real package'}"
