"""The pytest plugin: tests that write `import ttnn` run here, with a device."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

THEIRS = """
import torch
import ttnn


def test_theirs(device):
    ones = ttnn.ones([2, 3], layout=ttnn.TILE_LAYOUT, device=device)
    assert torch.equal(ttnn.to_torch(ttnn.add(ones, ones)), torch.full((2, 3), 2.0).bfloat16())
    assert ttnn.__name__ == "tilesmith.ttnn"
"""


def _pytest(directory: Path, *options: str) -> subprocess.CompletedProcess[str]:
    (directory / "test_theirs.py").write_text(THEIRS, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tilesmith.pytest_plugin",
        *options,
        str(directory),
    ]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, cwd=directory
    )


def test_one_option_points_ttnn_at_tilesmith(tmp_path: Path) -> None:
    done = _pytest(tmp_path, "--ttnn=tilesmith")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
    assert "ttnn: tilesmith, emulated" in done.stdout


def test_without_the_option_nothing_changes(tmp_path: Path) -> None:
    done = _pytest(tmp_path, "--ttnn=real")
    assert done.returncode != 0
    assert "ttnn: the real package" in done.stdout


CONFTEST = """
import ttnn
from ttnn.device import Arch
import pytest


@pytest.fixture
def device():
    opened = ttnn.CreateDevice(device_id=0)
    ttnn.SetDefaultDevice(opened)
    yield opened
    ttnn.SetDefaultDevice(None)
    ttnn.close_device(opened)


def pytest_report_header(config):
    return f"theirs: {ttnn.get_arch_name()} {Arch.WORMHOLE_B0.name} {ttnn.CONFIG.enable_fast_runtime_mode}"
"""


def test_a_conftest_of_theirs_can_import_ttnn(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    done = _pytest(tmp_path, "--ttnn=tilesmith")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "theirs: wormhole_b0 WORMHOLE_B0 True" in done.stdout


def test_the_plugin_may_be_named_and_installed(tmp_path: Path) -> None:
    """pytest knows a plugin by the name of its entry point: with `-p` it must be the same one."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    entries = project["project"]["entry-points"]["pytest11"]
    assert entries == {"tilesmith.pytest_plugin": "tilesmith.pytest_plugin"}
    metadata = tmp_path / "site" / "tilesmith_plugin-1.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: tilesmith-plugin\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(
        "[pytest11]\n" + "".join(f"{name} = {module}\n" for name, module in entries.items())
    )
    (tmp_path / "test_theirs.py").write_text(THEIRS, encoding="utf-8")
    path = os.pathsep.join([str(tmp_path / "site"), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "no:tilesmith", "-p", "tilesmith.pytest_plugin"),
            *("--ttnn=tilesmith", str(tmp_path)),
        ],
        env={**os.environ, "PYTHONPATH": path, "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert "1 passed" in done.stdout, done.stdout + done.stderr


def test_old_helpers_of_the_vendors_tests_are_found(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("import tt_lib\nfrom tt_lib.utils import tilize, untilize\n")
    done = _pytest(tmp_path, "--ttnn=tilesmith")
    assert done.returncode == 0, done.stdout + done.stderr
