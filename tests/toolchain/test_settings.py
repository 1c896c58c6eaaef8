"""Settings come from the environment, are checked, and can be changed for a block."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

from tilesmith import settings
from tilesmith.errors import SettingsError
from tilesmith.settings import Settings, current, described, using


def test_defaults() -> None:
    assert Settings.from_environment({"HOME": "/nowhere"}) == Settings()
    assert (Settings().checks, Settings().numbers, Settings().seed) == ("on", "chip", 0)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("arch", "p150", "p150"),
        ("checks", "off", "off"),
        ("numbers", "fast", "fast"),
        ("seed", "7", 7),
        ("step_limit", "0x10", 16),
        ("cache_dir", "/some/where", Path("/some/where")),
        ("cxx", "clang++ -v", "clang++ -v"),
        ("compile_jobs", "3", 3),
    ],
)
def test_variables_are_read(name: str, text: str, value: object) -> None:
    read = Settings.from_environment({settings.variable(name): text})
    assert getattr(read, name) == value != getattr(Settings(), name)


def test_every_setting_is_described() -> None:
    names = [settings.variable(option.name) for option in fields(Settings)]
    assert [variable for variable, _, _ in described()] == names
    assert all(help_text for _, _, help_text in described())


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("TILESMITH_CHECKS", "maybe", "one of on, off"),
        ("TILESMITH_SEED", "-1", "a whole number from 0 up"),
        ("TILESMITH_STEP_LIMIT", "many", "a whole number"),
        ("TILESMITH_CACHE_DIR", " ", "a directory"),
        ("TILESMITH_CHECK", "on", "known settings: TILESMITH_ARCH"),
    ],
)
def test_what_means_nothing_is_refused(name: str, text: str, expected: str) -> None:
    with pytest.raises(SettingsError, match=name) as caught:
        Settings.from_environment({name: text})
    assert expected in caught.value.remedy


def test_the_cache_follows_xdg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/cache")
    assert Settings().cache_dir == Path("/var/cache/tilesmith")


def test_an_account_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home(path: Path) -> Path:
        raise RuntimeError(f"no home for {path}")

    monkeypatch.setattr(Path, "expanduser", no_home)
    assert Settings().cache_dir.name.startswith("tilesmith-")


def test_using_nests_and_ends() -> None:
    with using(checks="off", seed=3):
        with using(seed=4) as inner:
            assert (inner.checks, current().seed) == ("off", 4)
        assert current().seed == 3
    assert (current().checks, current().seed) == ("on", 0)
    with pytest.raises(SettingsError, match="speed is not a setting"), using(speed=1):
        pass


def test_settings_do_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        current().seed = 1  # type: ignore[misc]
