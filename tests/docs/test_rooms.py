"""The house is as its map says: rooms, layers, and names that moved."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from tilesmith.moved_modules import MOVED

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "tilesmith"


def rooms_on_disk() -> set[str]:
    rooms = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    return rooms | {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "moved_modules"}


def rooms_on_the_map() -> set[str]:
    page = (ROOT / "docs" / "architecture.md").read_text()
    return set(re.findall(r"^  (\w+)/?\s+\S", page, re.MULTILINE))


def test_the_map_names_every_room_and_no_other() -> None:
    assert rooms_on_the_map() == rooms_on_disk()


def lint(project: Path) -> subprocess.CompletedProcess[str]:
    """import-linter over the package in `project`, with the contracts of this repository."""
    run = "import sys; sys.path.insert(0, 'src'); from importlinter.cli import lint_imports_command as c; c()"
    return subprocess.run(
        [sys.executable, "-c", run, "--no-cache"], cwd=project, capture_output=True, text=True, check=False
    )


def test_no_import_is_exempt_from_the_layers() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    assert [contract.get("ignore_imports", []) for contract in contracts] == [[], []]


def imports_of(folder: str) -> set[str]:
    """The first names of what the files of a folder import, wherever in the file they do."""
    pattern = re.compile(r"^\s*(?:from|import)\s+(\w+)", re.MULTILINE)
    return {name for path in (ROOT / folder).rglob("*.py") for name in pattern.findall(path.read_text())}


@pytest.mark.parametrize(
    ("folder", "above"),
    [
        ("src", {"conformance", "benchmarks", "tests"}),
        ("conformance", {"benchmarks", "tests"}),
        ("benchmarks", {"tests"}),
        ("tests", {"benchmarks"}),
    ],
)
def test_suites_benchmarks_and_tests_do_not_import_each_other(folder: str, above: set[str]) -> None:
    assert not imports_of(folder) & above


def test_the_old_places_of_suites_run_them() -> None:
    texts = [path.read_text() for path in (ROOT / "benchmarks").glob("*.py")]
    runs = [
        found[1] for text in texts if (found := re.match(r'"""The command.s old place: runs (.+)\."""', text))
    ]
    assert len(runs) >= 19
    places = [ROOT / (run if run.endswith(".py") else run.replace(".", "/") + "/__main__.py") for run in runs]
    assert not [place for place in places if not place.is_file()]


@pytest.mark.slow
def test_an_import_against_the_layers_is_refused(tmp_path: Path) -> None:
    shutil.copytree(
        PACKAGE, tmp_path / "src" / "tilesmith", ignore=shutil.ignore_patterns("include", "*.cpp")
    )
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    assert lint(tmp_path).returncode == 0
    errors = tmp_path / "src" / "tilesmith" / "errors.py"
    errors.write_text(errors.read_text() + "\nfrom tilesmith import cli\n")
    broken = lint(tmp_path)
    assert broken.returncode == 1
    assert "tilesmith.errors -> tilesmith.cli" in broken.stdout


@pytest.mark.parametrize("old", MOVED)
def test_old_names_import_with_a_warning(old: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, f"tilesmith.{old}", raising=False)
    with pytest.warns(DeprecationWarning, match=f"tilesmith.{old} is tilesmith.{MOVED[old]} now"):
        found = import_module(f"tilesmith.{old}")
    assert found is import_module(f"tilesmith.{MOVED[old]}")
    assert found.__spec__ is not None
    assert found.__spec__.name == found.__name__


def test_old_names_are_attributes_still() -> None:
    tilesmith = import_module("tilesmith")
    assert tilesmith.eager is import_module("tilesmith.models.eager")
