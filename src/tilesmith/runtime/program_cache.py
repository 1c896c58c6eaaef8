"""Programs already checked and placed, by structure: a second call with the same shapes finds its entry."""

from __future__ import annotations

from dataclasses import dataclass

from tilesmith.program.l1 import Placement


@dataclass
class ProgramCache:
    """`hits` and `misses` count launches."""

    hits: int = 0
    misses: int = 0

    def __post_init__(self) -> None:
        self._entries: dict[tuple[object, ...], Placement] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, structure: tuple[object, ...]) -> Placement | None:
        entry = self._entries.get(structure)
        if entry is None:
            self.misses += 1
        else:
            self.hits += 1
        return entry

    def add(self, structure: tuple[object, ...], placement: Placement) -> None:
        self._entries[structure] = placement

    def clear(self) -> None:
        self._entries.clear()
