"""A profile on the terminal: totals, the bound and what to change, each role's time, the core grid."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from tilesmith.profiling.groups import RoleGroup, role_groups, waits_of
from tilesmith.profiling.model import ProgramProfile
from tilesmith.profiling.power import power_of
from tilesmith.profiling.report import Chip, Profile
from tilesmith.units import readable

_WIDTH = 110
_MOST_PROGRAMS = 3
_HEAT = ("grey23", "blue", "cyan", "green", "yellow", "red")


def show(profile: Profile, console: Console | None = None) -> None:
    (console or _console()).print(rendered(profile))


def _console() -> Console:
    """As wide as the terminal; in a file or a pipe, where nobody sees an edge, wide enough for the tables."""
    plain = Console()
    return plain if plain.is_terminal else Console(width=max(_WIDTH, plain.width))


def as_text(profile: Profile) -> str:
    """The same without colour."""
    console = Console(
        file=io.StringIO(), width=_WIDTH, color_system=None, legacy_windows=False, force_jupyter=False
    )
    console.print(rendered(profile))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.splitlines())


def rendered(profile: Profile) -> Group:
    """All programs in a table where there are several; the longest ones in full."""
    chip = profile.chip
    if profile.memory.host is not None:
        return Group(Text(f"{profile.title or 'no program ran'}: {profile.memory.host}"))
    if chip is None or not profile.programs:
        nothing = Text("no program ran" if not profile.untraced else "no traced program ran")
        return Group(nothing, *_on_host(profile))
    longest = sorted(profile.programs, key=lambda one: -one.cycles)[:_MOST_PROGRAMS]
    parts: list[RenderableType] = [_head(profile, chip)]
    if len(profile.programs) > 1:
        parts.append(_programs(profile.programs))
    for program in longest:
        parts += _program(program, chip)
    return Group(*parts, *_advice(profile), *_on_host(profile))


def _advice(profile: Profile) -> list[Text]:
    """Settings that were tried and help, the largest saving first."""
    lines = [Text(f"  {number}. {advice}") for number, advice in enumerate(profile.advice, 1)]
    return [Text("tried, and predicted to be faster (times with launches):", "bold"), *lines] if lines else []


def _on_host(profile: Profile) -> list[Text]:
    """Operations that have no kernel: their time is not in the figures."""
    names = Counter(profile.on_host)
    told = ", ".join(name if count == 1 else f"{name} x {count}" for name, count in names.items())
    return [Text(f"computed on the host: {told}")] if told else []


def _head(profile: Profile, chip: Chip) -> Text:
    name = profile.title or profile.programs[0].name
    text = Text.assemble(
        (name, "bold"),
        f" on {chip.product}: {profile.cycles:,} cycles, {profile.microseconds:,.1f} us",
    )
    if profile.launch_us:
        text.append(f" (launch {profile.launch_us:,.1f} us on top)")
    if power := power_of(profile):
        text.append(f"\n{power}", "dim")
    return text


def _programs(programs: Sequence[ProgramProfile]) -> Table:
    placed = any(program.made_for for program in programs)
    table = _table(("program", *(("made for",) if placed else ()), "cores", "us", "part", "bound"))
    total = max(1, sum(program.cycles for program in programs))
    for program in programs:
        table.add_row(
            program.name,
            *((_short(program.made_for),) if placed else ()),
            str(program.cores),
            f"{program.microseconds:,.1f}",
            f"{program.cycles / total:.0%}",
            f"{len(program.findings)} findings" if program.findings else program.bound.sentence,
        )
    return table


def _program(program: ProgramProfile, chip: Chip) -> list[RenderableType]:
    bound = Text.assemble((program.bound.sentence, "bold"))
    for number, hint in enumerate(program.hints):
        bound.append(f"\n{'then' if number else 'change first'}: {hint}", "dim" if number else "")
    if program.dropped_events:
        lost = f"{program.dropped_events:,} events past the recorder's limit"
        bound.append(f"\n{lost} are missing: waits late in the run are counted as work", "red")
    if program.findings:
        bound.append(f"\n{len(program.findings)} findings: {program.findings[0].title}", "red")
    place = f", for {_short(program.made_for)}" if program.made_for else ""
    title = f"{program.name}: {program.microseconds:,.1f} us on {_cores(program.cores)}{place}"
    return [
        Panel(bound, title=title, title_align="left"),
        _roles(program),
        _utilisation(program),
        _roofline(program),
        _heat_map(program, chip),
    ]


def _cores(count: int) -> str:
    return f"{count} core{'s' if count != 1 else ''}"


def _table(columns: Iterable[str]) -> Table:
    table = Table(box=None, padding=(0, 1), header_style="bold")
    for index, column in enumerate(columns):
        # What does not fit goes on in the next line: a file and line that are cut off help nobody.
        side: Literal["left", "right"] = "left" if index in (0, 1) or column in _WORDS else "right"
        table.add_column(column, justify=side, overflow="fold")
    return table


_WORDS = ("waits for", "bound", "made for")


def _short(place: str) -> str:
    """The file without its folders.

    >>> _short("encoder.0 (/home/me/model.py:12)")
    'encoder.0 (model.py:12)'
    """
    module, bracket, line = place.rpartition("(")
    return f"{module}{bracket}{line.rsplit('/', 1)[-1]}"


def _roles(program: ProgramProfile) -> Table:
    columns = ("kernel", "role", "cores", "cycles", "work", "waits", "DRAM in", "DRAM out", "waits for")
    table = _table(columns)
    moved = {one.name: one for one in program.traffic}
    for group in role_groups(program):
        traffic = moved.get(group.kernel) if group.role in ("reader", "writer") else None
        table.add_row(
            group.kernel,
            group.role,
            str(group.cores),
            f"{group.cycles:,}",
            f"{group.working:.0%}",
            f"{group.waiting:.0%}",
            readable(traffic.dram_read_bytes) if traffic and traffic.dram_read_bytes else "",
            readable(traffic.dram_written_bytes) if traffic and traffic.dram_written_bytes else "",
            _wait_words(group),
        )
    return table


def _wait_words(group: RoleGroup) -> str:
    """The two longest waits, and the line of the longest."""
    longest = waits_of(group)[:2]
    places = [f" ({wait.place})" if wait is longest[0] and wait.place else "" for wait in longest]
    return ", ".join(f"{w.what} {w.share:.0%}{place}" for w, place in zip(longest, places, strict=True))


def _utilisation(program: ProgramProfile) -> Text:
    use = program.utilisation
    busiest = max(program.banks, key=lambda bank: bank.utilisation)
    parts = [
        ("matrix engine", use.matrix_used, f"{use.matrix:.1%} of the chip"),
        ("vector unit", use.vector_used, ""),
        ("unpack", use.unpack_used, ""),
        ("pack", use.pack_used, ""),
        ("DRAM", use.dram, f"bank {busiest.bank} {busiest.utilisation:.0%}"),
        ("NoC 0", use.noc[0], ""),
        ("NoC 1", use.noc[1], f"busiest interface {use.busiest_noc:.0%}"),
    ]
    text = Text()
    for name, share, note in parts:
        text.append(f" {name:14}")
        text.append("█" * round(30 * min(1.0, share)), "green")
        text.append("·" * (30 - round(30 * min(1.0, share))), "grey23")
        text.append(f" {share:4.0%}  {note}\n")
    text.rstrip()
    return text


def _roofline(program: ProgramProfile) -> Text:
    roof = program.roofline
    if not roof.cycles:
        return Text(" roofline: no math and no DRAM traffic to compare with")
    again = roof.dram_bytes_moved / roof.dram_bytes if roof.dram_bytes else 0.0
    return Text(
        f" roofline: {roof.limit} bound at {roof.cycles:,.0f} cycles"
        f" (math {roof.math_cycles:,.0f}, DRAM {roof.dram_cycles:,.0f});"
        f" predicted {program.distance:.1f} times that, DRAM moved {again:.1f} times the least"
    )


def _heat_map(program: ProgramProfile, chip: Chip) -> Text:
    """Each core's longest role against the program's time; a dot has no kernel."""
    own: dict[tuple[int, int], float] = {}
    for role in program.roles:
        busiest = max(own.get((role.x, role.y), 0.0), role.own / max(1, program.cycles))
        own[role.x, role.y] = busiest
    text = Text(" busiest role of each core, % of the time\n")
    for y in range(chip.grid_y):
        if not any((x, y) in own for x in range(chip.grid_x)):
            continue
        for x in range(chip.grid_x):
            share = own.get((x, y))
            if share is None:
                text.append("   ·", "grey23")
                continue
            style = _HEAT[min(len(_HEAT) - 1, int(share * len(_HEAT)))]
            text.append(f" {share * 100:3.0f}", style)
        text.append("\n")
    text.rstrip()
    return text
