"""The bar for long work: only for people who look, only after a while, and never in the way."""

from __future__ import annotations

import time

import pytest

from tilesmith import progress
from tilesmith.progress import tracked
from tilesmith.settings import using


def shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, setting: str) -> str:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with using(progress=setting):
        for _ in tracked([1, 2, 3], "outer work"):
            for _ in tracked("ab", "inner work"):
                time.sleep(0.05)
    return capsys.readouterr().err


def test_a_bar_names_the_work_and_what_is_inside_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = shown(capsys, monkeypatch, "on")
    assert "outer work" in told
    assert "inner work" in told
    assert "/3" in told


@pytest.mark.parametrize("setting", ["off", "auto"])
def test_nothing_is_written_where_nobody_looks(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    assert shown(capsys, monkeypatch, setting) == ""


def test_short_work_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with using(progress="on"):
        assert list(tracked([1, 2], "short")) == [1, 2]
    assert "short" not in capsys.readouterr().err


def test_work_may_stop_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    with using(progress="on"):
        assert next(iter(tracked([1, 2, 3], "stopped"))) == 1
        assert list(tracked([4, 5], "after it")) == [4, 5]
