"""`tilesmith examples`: what came with the package can be listed, copied and run from the copy."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tilesmith.cli.examples import catalogue, copy_one, root
from tilesmith.cli.invocation import invoke


def test_list_has_every_example_with_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["examples", "list", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    names = {one["name"] for one in found}
    hosts = {f"metal/{path.parent.name}" for path in root().glob("metal/*/host.py")} - {"metal/common"}
    assert names >= {*hosts, "tilelang/softmax", "profile/linear", "ops/scale_rows"}
    assert all(one["shows"] for one in found)


def test_a_copy_runs_on_its_own(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    chosen = next(one for one in catalogue() if one.name == "metal/matmul_bfp8")
    copied = {str(path.relative_to(tmp_path)) for path in copy_one(chosen, tmp_path)}
    assert "examples/metal/matmul_multi/kernels/compute.cpp" in copied  # it borrows another's kernels
    command = [sys.executable, "-m", "tilesmith.cli", *chosen.command.split()[1:]]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "NaN and infinity in the same places" in done.stdout


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    chosen = catalogue()[0]
    first = copy_one(chosen, tmp_path)
    first[0].write_text("mine")
    assert copy_one(chosen, tmp_path) == []
    assert first[0].read_text() == "mine"


def test_all_of_them_are_copied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["examples", "copy", "all", "--to", str(tmp_path)]) == 0
    assert "run it with `tilesmith run -m examples.metal." in capsys.readouterr().out
    for one in catalogue():
        assert (tmp_path / one.starts).is_file()
