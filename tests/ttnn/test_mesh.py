"""A mesh of mock chips takes tensors in parts and a program for all chips or for each."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.ttnn.conftest import FAMILY, WITHOUT_TTNN

MESHES = {"wormhole": [(1, 2), (2, 4), (8, 4)], "blackhole": [(2, 2)]}


@pytest.mark.real
@pytest.mark.skipif(find_spec("ttnn") is None, reason=WITHOUT_TTNN)
@pytest.mark.parametrize(("rows", "columns"), MESHES[FAMILY])
def test_programs_on_a_mesh_are_accepted(
    rows: int, columns: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = Path(__file__).with_name("mesh_script.py")
    command = [sys.executable, str(script), FAMILY, str(rows), str(columns), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    counted = [line for line in done.stdout.splitlines() if line.endswith(("collectives", "kernels"))]
    with capsys.disabled():
        print(f" {rows} x {columns}: {', '.join(counted)}", end="")
    assert done.stdout.strip().endswith("accepted"), done.stdout + done.stderr
