"""`make demo`: what it shows must be right."""

from __future__ import annotations

import pytest

from examples import demo


def test_demo_is_right_and_finds_the_planted_bug(capsys: pytest.CaptureFixture[str]) -> None:
    assert demo.main() == 0
    shown = capsys.readouterr().out
    assert shown.count("correct against torch") == 2
    assert "noc.use-before-barrier" in shown
    assert "read_tiles.cpp:23" in shown
    assert "everything as it should be" in shown
