"""Where ranks meet: a collective begins when the last rank of its group has come, and that rank does it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tilesmith.errors import CollectiveError
from tilesmith.models.distributed.ranks import Ranks

Group = tuple[int, ...]
"""The ranks of a group, in the order of the group."""


@dataclass
class Meeting:
    """One collective of a group: what each rank has brought, by its place in the group."""

    name: str
    group: Group
    brought: dict[int, Any] = field(default_factory=dict)
    results: Sequence[Any] | None = None
    error: BaseException | None = None

    @property
    def is_over(self) -> bool:
        return self.results is not None or self.error is not None


class Meetings:
    """The collectives that are under way, and messages from one rank to another that wait to be taken."""

    def __init__(self, ranks: Ranks) -> None:
        self.ranks = ranks
        self._open: dict[tuple[str, Group], Meeting] = {}
        self._sent: dict[tuple[int, int, int], list[Any]] = {}

    def meet(
        self,
        name: str,
        tag: str,
        group: Group,
        place: int,
        brought: Any,
        work: Callable[[list[Any]], Sequence[Any]],
    ) -> Any:
        """What `work` makes of what all ranks of a group have brought, for the rank at this place in it."""
        key = (tag, group)
        meeting = self._open.setdefault(key, Meeting(name, group))
        if meeting.name != name:
            raise CollectiveError(
                f"rank {group[place]} runs {name} while others of its group {list(group)} run {meeting.name}",
                remedy="every rank of a group must run the same collectives in the same order",
            )
        meeting.brought[place] = brought
        if len(meeting.brought) == len(group):
            del self._open[key]
            self._do(meeting, work)
        self.ranks.wait(f"{name} of ranks {list(group)}", lambda: meeting.is_over)
        if meeting.error is not None:
            raise meeting.error
        assert meeting.results is not None
        return meeting.results[place]

    def _do(self, meeting: Meeting, work: Callable[[list[Any]], Sequence[Any]]) -> None:
        """An error is every rank's."""
        try:
            meeting.results = work([meeting.brought[place] for place in range(len(meeting.group))])
        except Exception as error:
            meeting.error = error

    def send(self, sender: int, receiver: int, tag: int, value: Any) -> None:
        """Leave something for a rank, which need not wait for it yet."""
        self._sent.setdefault((sender, receiver, tag), []).append(value)

    def receive(self, sender: int, receiver: int, tag: int) -> Any:
        """Take what a rank has left, or wait for it."""
        waiting = self._sent.setdefault((sender, receiver, tag), [])
        self.ranks.wait(f"recv from rank {sender}", lambda: bool(waiting))
        return waiting.pop(0)
