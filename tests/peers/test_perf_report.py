"""tt-perf-report prints its table from our CSV."""

from __future__ import annotations

import csv
import subprocess
from pathlib import Path

import pytest

from tilesmith.profiling import Profile

pytestmark = pytest.mark.real


def test_table_and_csv(peers: Path, saved: tuple[Path, Profile], tmp_path: Path) -> None:
    folder, profile = saved
    [given] = (folder / "performance").glob("ops_perf_results*.csv")
    table = _told(peers, given, "--no-color")
    assert "Matmul 96 x 128 x 64" in table
    assert "HiFi4 BF16 x BF16 => BF16" in table
    assert "Performance Report" in table
    assert "4 device ops, 0 host ops" in table
    _told(peers, given, "--no-color", "--csv", str(tmp_path / "out.csv"))
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["OP Code"].split()[0] for row in rows] == ["Matmul", "Add", "Hasty", "Add"]
    for row, program in zip(rows, profile.programs, strict=True):
        assert float(row["Device Time"]) == pytest.approx(program.microseconds, abs=1e-3)
        assert int(float(row["Cores"])) == program.cores
    share = profile.programs[0].utilisation.matrix_used
    assert float(rows[0]["FLOPs %"]) == pytest.approx(100 * share, rel=0.02)


def _told(peers: Path, *arguments: str | Path) -> str:
    ran = subprocess.run(
        [peers / "tt-perf-report", *arguments], capture_output=True, text=True, timeout=120, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout
