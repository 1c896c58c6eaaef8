"""The search by the clock times each way once, leaves out what does not fit, and remembers."""

from __future__ import annotations

from pathlib import Path

from tilesmith import settings
from tilesmith.schedules.search import timed


def test_times_are_kept_and_what_does_not_fit_is_left_out(tmp_path: Path) -> None:
    asked: list[int] = []

    def cycles(way: int) -> int | None:
        asked.append(way)
        return None if way == 64 else 100 - way

    with settings.using(cache_dir=tmp_path):
        first = timed([32, 64, 96], cycles, "one")
        assert first == {0: 68, 2: 4}
        assert timed([32, 64, 96], cycles, "one") == first
        assert asked == [32, 64, 96]
        assert timed([32], cycles, "another") == {0: 68}
    assert asked == [32, 64, 96, 32]
