"""The fault test in small; `make faults` runs it in full."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.fault
@pytest.mark.slow
def test_no_fault_spoils_a_later_run(repository: Path) -> None:
    script = repository / "conformance" / "fault_test.py"
    command = [sys.executable, str(script), "--of", "library", "--kills", "9", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.stdout, done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])
    assert figures["wrong"] == [], figures
    assert figures["racing_right"] == 8
    assert figures["killed_at_work"] > 0
    assert done.returncode == 0
