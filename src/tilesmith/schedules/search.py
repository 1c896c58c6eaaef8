"""The search by the clock: each way is run once, and what it took is kept on disk.

So a search that was cut off goes on where it was, and the second is over at once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from tilesmith import settings
from tilesmith.schedules.schedule import Template
from tilesmith.toolchain import Cache


def timed(ways: Sequence[Template], cycles: Callable[[Template], int | None], key: str) -> dict[int, int]:
    """What each way takes, by its place; one that does not fit (its cycles are None) is left out.

    `key` stands for all that decides the times: the ways, the sizes, the chip, the version.
    """

    def time_all(path: Path) -> None:
        path.write_text(json.dumps([cycles(way) for way in ways]))

    kept = Cache(settings.current().cache_dir).get_or_build(key, time_all, ".json")
    times: Sequence[int | None] = json.loads(kept.read_text())
    return {place: time for place, time in enumerate(times) if time is not None}
