"""The first pages, typed line by line as they stand: each command succeeds and prints what the page says.

`pip install` installs nothing here: what the page asks for is checked to be an extra that exists. `make
wheel-test` installs the wheels for real.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tilesmith.cli.init import TEMPLATES

ROOT = Path(__file__).parents[2]
PAGES = [
    *sorted((ROOT / "docs" / "start").glob("*.md")),
    ROOT / "docs/getting-started.md",
    ROOT / "README.md",
]
WITHOUT_TORCH = ("metal", "getting-started", "README")  # the Python of getting-started is run by test_pages
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


def typed(page: Path) -> list[tuple[str, list[str]]]:
    """The commands of a page, and the lines it shows after each."""
    commands: list[tuple[str, list[str]]] = []
    for block in re.findall(
        r"^```console\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    ):
        for line in block.splitlines():
            if line.startswith("$ "):
                commands.append((line[2:], []))
            else:
                commands[-1][1].append(line)
    return commands


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """An environment in which `tilesmith` and `python` are those under test."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    for name, arguments in (("tilesmith", "-m tilesmith.cli"), ("python", "")):
        (bin_folder / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
        (bin_folder / name).chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{bin_folder}:{os.environ['PATH']}",
        "PYTEST_ADDOPTS": "-p no:cacheprovider",
    }


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[] if page.stem in WITHOUT_TORCH else pytest.mark.slow, id=page.stem)
        for page in PAGES
    ],
)
def test_every_line_works_as_it_stands(page: Path, lasting_folder: Path, shell: dict[str, str]) -> None:
    if page.stem not in WITHOUT_TORCH:
        pytest.importorskip("tilelang")
    folder = lasting_folder
    for command, shown in typed(page):
        if command.startswith("cd "):
            folder /= command[3:]
        elif not command.startswith("pip install"):
            done = subprocess.run(
                ["sh", "-c", command], cwd=folder, env=shell, capture_output=True, text=True
            )
            # `doctor` ends with 1 where something is missing, and says what.
            assert done.returncode == 0 or "doctor" in command, f"{command}\n{done.stdout}{done.stderr}"
            assert not [line for line in shown if line not in done.stdout], f"{command}\n{done.stdout}"


def test_the_script_and_the_tests_of_every_template_run() -> None:
    pages = [{command for command, _ in typed(page)} for page in PAGES[: len(TEMPLATES)]]
    for options in ("", " --kernel tilelang", " --model", " --op"):
        [commands] = [page for page in pages if f"tilesmith init hello{options}" in page]
        assert {"tilesmith run hello.py", "python -m pytest -q"} <= commands


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_extras_that_are_asked_for_exist(page: Path) -> None:
    asked = re.findall(r"tilesmith\[([\w,]+)\]", page.read_text(encoding="utf-8"))
    assert not {name for names in asked for name in names.split(",")} - set(EXTRAS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_begins_with_an_installation(page: Path) -> None:
    assert typed(page)[0][0].startswith("pip install ")


def test_the_page_on_installing_lists_every_extra() -> None:
    listed = set(re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/install.md").read_text(), re.MULTILINE))
    assert {"dev", "benchmark", "dashboard"} <= set(EXTRAS) == listed - {"manylinux"}
