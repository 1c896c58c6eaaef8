"""`tilesmith init` makes projects whose notebook runs.

Their scripts and tests run in tests/docs/test_first_steps.py, as the first pages say.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import nbclient
import nbformat
import pytest

from tilesmith.cli.init import TEMPLATES
from tilesmith.cli.invocation import invoke

OPTIONS = {
    "metal": [],
    "tilelang": ["--kernel", "tilelang"],
    "model": ["--model"],
    "op": ["--op"],
}


def made(kind: str, folder: Path) -> Path:
    if kind != "metal":
        pytest.importorskip("tilelang")
    assert invoke(["-q", "init", str(folder / "hello"), *OPTIONS[kind]]) == 0
    return folder / "hello"


@pytest.mark.slow
@pytest.mark.parametrize("kind", OPTIONS)
def test_the_notebook_runs(kind: str, lasting_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = made(kind, lasting_folder)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    notebook = nbformat.read(folder / "hello.ipynb", as_version=4)
    nbformat.validate(notebook)
    where = {"metadata": {"path": str(folder)}}
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources=where).execute()
    assert any(output for cell in notebook.cells for output in cell.get("outputs", ()))


def test_every_template_is_offered() -> None:
    assert list(TEMPLATES) == list(OPTIONS)


def test_files_carry_the_name_and_no_placeholder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for kind, options in OPTIONS.items():
        assert invoke(["init", str(tmp_path / kind / "wave_fun"), *options, "--json"]) == 0
        paths = [Path(path) for path in json.loads(capsys.readouterr().out)]
        assert {path.name for path in paths} >= {
            "wave_fun.py",
            "test_wave_fun.py",
            "wave_fun.ipynb",
            "README.md",
        }
        for path in paths:
            text = path.read_text(encoding="utf-8")
            assert "NAME" not in text.replace("RUN_NAME", ""), path
            assert "DISTRIBUTION" not in text
            if path.suffix == ".py":
                compile(text, str(path), "exec")
