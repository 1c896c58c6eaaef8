"""The agent's definition: its formats, and that what it says is what the tool does."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.opsmith.test_stages import tilesmith
from typer.main import get_command

from tilesmith.cli.op import op
from tilesmith.errors import StageError
from tilesmith.opsmith.agent import agent_files
from tilesmith.opsmith.log import render_log
from tilesmith.opsmith.stage_tests import STAGES


def test_both_formats_are_written(tmp_path: Path) -> None:
    done = tilesmith("agent", "--out", tmp_path)
    assert done.exit_code == 0
    assert (tmp_path / "AGENTS.md").read_text().startswith("# tilesmith-op\n")
    skill = (tmp_path / "skills/tilesmith-op/SKILL.md").read_text()
    name, description = skill.split("---\n")[1].splitlines()
    assert name == "name: tilesmith-op"
    key, text = description.split(": ", 1)
    assert key == "description"
    assert 100 < len(json.loads(text)) <= 1024  # a quoted string of YAML, which is one of JSON
    with pytest.raises(StageError, match="exists already"):
        tilesmith("agent", "--out", tmp_path)


def test_one_format(tmp_path: Path) -> None:
    assert tilesmith("agent", "--out", tmp_path, "--format", "skill").exit_code == 0
    assert not (tmp_path / "AGENTS.md").exists()
    assert tilesmith("agent", "--out", tmp_path, "--format", "other").exit_code == 2


@pytest.mark.parametrize("name", agent_files())
def test_it_says_all_that_an_agent_needs(name: str) -> None:
    text = agent_files()[name]
    for section in ("When to use it", "Start", "The seven stages", "Checklists", "The log", "Final report"):
        assert f"\n## {section}\n" in text
    for number, stage, _ in STAGES:
        assert f"| {number} | {stage} | `tilesmith op stage {number} --op ops/<op>` |" in text
    assert text.count("- [ ] ") >= 10


def test_every_command_exists() -> None:
    """Commands and options that the definition names are those of the tool."""
    commands = get_command(op).commands  # type: ignore[attr-defined]
    named = re.findall(r"tilesmith op (\w+)([^`\n#]*)", agent_files()["AGENTS.md"])
    assert {"new", "stage", "status", "log"} <= {command for command, _ in named}
    for command, rest in named:
        known = {option for one in commands[command].params for option in one.opts}
        assert set(re.findall(r"--[\w-]+", rest)) <= known, (command, rest)


def test_log_sections_are_those_of_the_log() -> None:
    source = Path(render_log.__code__.co_filename).read_text()
    named = re.findall(r"^- \*\*(.+?)\*\*: ", agent_files()["AGENTS.md"].split("## The log")[1], re.MULTILINE)
    for section in (one for entry in named[:8] for one in entry.split(", ")):
        assert f"## {section}" in source or section.startswith("Stage 1")
