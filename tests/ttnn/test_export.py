"""Exported scripts run against the mock cluster as they are, each in a process that has only ttnn."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.ttnn.conftest import WITHOUT_LAUNCHES, exported_scripts

pytestmark = pytest.mark.real


@pytest.mark.skipif(not exported_scripts(), reason=WITHOUT_LAUNCHES)
@pytest.mark.parametrize("script", exported_scripts(), ids=lambda path: path.parent.name)
def test_an_exported_script_is_accepted(script: Path, mock: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-I", str(script)],
        env={**os.environ, **mock},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "accepted; the mock cluster runs nothing" in done.stdout
