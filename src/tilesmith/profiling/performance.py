"""PerformanceProfiler: a saved profile, asked for what to work on first."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tilesmith.errors import ProfileError
from tilesmith.profiling.report import PROFILE_FILE, Profile


@dataclass(frozen=True)
class Bottleneck:
    """A program that takes time, why, and what to change. `saving_us` is what the physical limit leaves."""

    program: str
    microseconds: float
    share: float
    kind: str
    sentence: str
    changes: tuple[str, ...]
    saving_us: float

    def __str__(self) -> str:
        return (
            f"{self.program}: {self.microseconds:,.1f} us, {self.share:.0%} of the time\n"
            f"  {self.sentence}\n  change first: {self.changes[0]}"
        )


class PerformanceProfiler:
    """Reads what `tilesmith profile` or `Profile.save` wrote: the folder, or its profile.json.

    >>> from tilesmith.errors import ProfileError
    >>> try:
    ...     PerformanceProfiler("nowhere").get_overview()
    ... except ProfileError as error:
    ...     print(error.remedy != "")
    True
    """

    def __init__(self, path: str | Path) -> None:
        given = Path(path)
        file = given / PROFILE_FILE if given.is_dir() else given
        if not file.is_file():
            raise ProfileError(
                f"there is no profile at {given}",
                where=str(file),
                remedy="give the folder that `tilesmith profile` or Profile.save wrote",
            )
        try:
            self.profile = Profile.from_json(file.read_text(encoding="utf-8"))
        except (ValueError, TypeError, KeyError) as error:
            raise ProfileError(
                f"{file.name} is not a profile: {error}",
                where=str(file),
                remedy="write it again with this release of tilesmith",
            ) from error

    def find_bottlenecks(self, most: int | None = None) -> list[Bottleneck]:
        """Programs by how much time they could save, runs of one program together."""
        groups: dict[tuple[str, str], list[Bottleneck]] = {}
        total = self.profile.microseconds or 1.0
        for program in self.profile.programs:
            least = program.roofline.cycles / program.cycles if program.cycles else 1.0
            entry = Bottleneck(
                program=program.name,
                microseconds=program.microseconds,
                share=program.microseconds / total,
                kind=program.bound.kind,
                sentence=program.bound.sentence,
                changes=program.hints,
                saving_us=program.microseconds * max(0.0, 1 - least),
            )
            groups.setdefault((program.name, program.bound.kind), []).append(entry)
        found = sorted(map(_together, groups.values()), key=lambda one: -one.saving_us)
        return found[:most]


def _together(runs: list[Bottleneck]) -> Bottleneck:
    """Several runs of one program with one bound: the longest speaks for all."""
    longest = max(runs, key=lambda one: one.microseconds)
    name = f"{longest.program} x {len(runs)}" if len(runs) > 1 else longest.program
    return Bottleneck(
        program=name,
        microseconds=sum(one.microseconds for one in runs),
        share=sum(one.share for one in runs),
        kind=longest.kind,
        sentence=longest.sentence,
        changes=longest.changes,
        saving_us=sum(one.saving_us for one in runs),
    )
