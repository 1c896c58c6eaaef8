"""The page: run by streamlit's own test harness, and its charts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tilesmith.cli.dashboard import dashboard_command
from tilesmith.profiling import Profile

testing = pytest.importorskip(
    "streamlit.testing.v1", reason="streamlit is not here: pip install 'tilesmith[dashboard]'"
)
pytest.importorskip("plotly", reason="plotly is not here: pip install 'tilesmith[dashboard]'")

pytestmark = pytest.mark.real


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    command = dashboard_command(tmp_path, 8501)
    monkeypatch.setattr(sys, "argv", ["app.py", command[-1]])
    return testing.AppTest.from_file(command[4], default_timeout=30)


def test_an_empty_folder_is_said_to_be(app: Any) -> None:
    app.run()
    assert not app.exception
    assert "No profiles below" in app.info[0].value


def test_a_run_is_shown(app: Any, profile: Profile, tmp_path: Path) -> None:
    profile.save(tmp_path / "one")
    app.run()
    assert not app.exception
    assert app.metric[0].label == "predicted latency"
    assert app.selectbox[0].value == "one"
    assert app.subheader[0].value == profile.programs[0].bound.sentence
    app.selectbox[2].select("2: hasty").run()
    assert any("push" in error.value for error in app.error)


def test_the_next_look_sees_a_new_run(app: Any, profile: Profile, tmp_path: Path) -> None:
    profile.save(tmp_path / "one")
    app.run()
    profile.save(tmp_path / "two")
    app.run()
    assert app.selectbox[0].options == ["two", "one"]
