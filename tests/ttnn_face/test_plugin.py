"""The pytest plugin: tests that write `import ttnn` run here, with a device."""

from __future__ import annotations

import os
import subprocess
import sys
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
