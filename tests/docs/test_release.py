"""The version stands in one place, and what must repeat it agrees; the commands of the docs exist."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import tilesmith
from tilesmith.cli.app import app

ROOT = Path(__file__).parents[2]


def test_the_version_stands_in_one_place() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "version" not in project
    assert project["dynamic"] == ["version"]


def test_changelog_and_citation_speak_of_this_version() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.findall(r"^## (\S+)", changes, re.MULTILINE)[0]
    citation = re.findall(r"^version: (\S+)", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert [newest, *citation] == [tilesmith.__version__] * 2


def test_no_change_is_listed_twice() -> None:
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    changes = [line for line in lines if line.startswith("- ")]
    assert len(changes) == len(set(changes))


def test_every_subcommand_is_in_the_table_of_the_command_line() -> None:
    table = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    names = [one.name or one.callback.__name__ for one in app.registered_commands if one.callback]
    names += [one.name or "" for one in app.registered_groups]
    assert not [name for name in names if f"`tilesmith {name}" not in table]


def test_every_page_of_the_navigation_is_there() -> None:
    pages = re.findall(
        r"(?m)^\s+- (?:.*: )?([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    )
    assert len(pages) > 40
    assert not [page for page in pages if not (ROOT / "docs" / page).is_file()]
