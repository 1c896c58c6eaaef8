"""What `make demo` runs: real kernels on an emulated chip, what they did, and a planted bug that is found."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from examples.metal.common import host  # noqa: E402
from examples.metal.elementwise import host as elementwise  # noqa: E402
from examples.metal.matmul_multicast import host as matmul  # noqa: E402
from examples.metal.softmax import host as softmax  # noqa: E402
from rich.columns import Columns  # noqa: E402 - the repository's root must be on the path for the examples
from rich.console import Console, Group  # noqa: E402
from rich.panel import Panel  # noqa: E402
from rich.syntax import Syntax  # noqa: E402
from rich.table import Table  # noqa: E402
from rich.text import Text  # noqa: E402

import tilesmith  # noqa: E402
from tilesmith.errors import KernelFindings  # noqa: E402
from tilesmith.program import Program  # noqa: E402
from tilesmith.program.executor import RoleTime  # noqa: E402
from tilesmith.program.findings import Finding  # noqa: E402
from tilesmith.runtime import Device, RunReport  # noqa: E402
from tilesmith.testing import Tolerance, compare  # noqa: E402

COLOURS = ("cyan", "green", "magenta", "yellow", "blue", "red")
BROKEN_FILE = "common/kernels/read_tiles.cpp"
console = Console()


def main() -> int:
    console.rule("[bold]tilesmith: tt-metal kernels on this computer")
    right = [
        show(
            "matmul 256 x 128 x 224, A and B multicast",
            lambda d: matmul.run(d, 256, 128, 224),
            matmul.TOLERANCE,
        ),
        show("softmax over 320 rows", lambda d: softmax.run(d, 320, 128), softmax.TOLERANCE),
    ]
    found = show_planted_bug()
    console.rule(
        "[bold green]everything as it should be" if all(right) and found else "[bold red]something is wrong"
    )
    return 0 if all(right) and found else 1


# ---- a correct run ----


def show(title: str, run: Callable[[Device], host.Result], tolerance: Tolerance) -> bool:
    seen: list[tuple[Program, RunReport]] = []
    began = time.perf_counter()
    with tilesmith.open_device("wormhole") as device, host.watching(lambda p, r: seen.append((p, r))):
        comparison = compare(*run(device), tolerance)
        chip = device.arch
    seconds = time.perf_counter() - began
    program, report = seen[-1]
    verdict = "[bold green]correct" if comparison.ok else "[bold red]WRONG"
    picture = Columns(
        [core_grid(program, chip.grid), Group(role_table(report), Text(), buffer_table(program))],
        padding=(0, 3),
    )
    facts = Text.from_markup(
        f"{verdict}[/] against torch: {comparison}\n"
        f"predicted on the chip: [bold]{report.cycles:,}[/] cycles = "
        f"{report.cycles / chip.clock_ghz / 1e3:.1f} us at {chip.clock_ghz} GHz; "
        f"compiled and emulated here in {seconds:.1f} s with every check on"
    )
    console.print(Panel(Group(picture, facts), title=f"[bold]{title}", border_style="blue"))
    return comparison.ok


def core_grid(program: Program, grid: tuple[int, int]) -> Text:
    """One letter per core: which set of kernels it runs. Dots are cores at rest."""
    teams: dict[tuple[str, ...], int] = {}
    picture = Text()
    for y in range(grid[1]):
        for x in range(grid[0]):
            team = tuple(k.label for k in program.kernels if any(c == (x, y) for c in k.core_ranges.cores()))
            number = teams.setdefault(team, len(teams)) if team else -1
            letter = chr(ord("A") + number) if team else "."
            picture.append(f" {letter}", style=COLOURS[number % len(COLOURS)] if team else "dim")
        picture.append("\n")
    for team, number in teams.items():
        picture.append(f"\n {chr(ord('A') + number)}", style=COLOURS[number % len(COLOURS)])
        picture.append(f" {', '.join(team)}", style="dim")
    return picture


def role_table(report: RunReport) -> Table:
    """How much of its time each role works, and how much it waits for others, over all its cores."""
    spans: dict[tuple[str, str], list[RoleTime]] = {}
    for one in report.roles:
        spans.setdefault((one.kernel, one.role), []).append(one)
    table = Table("kernel", "role", "cores", "busy", box=None, header_style="bold")
    for (kernel, role), times in spans.items():
        cycles = sum(one.cycles for one in times)
        busy = 1.0 - sum(one.waited for one in times) / max(1, cycles)
        bar = Text("█" * round(10 * busy), style="green") + Text("░" * (10 - round(10 * busy)), style="dim")
        table.add_row(kernel, role, str(len(times)), bar + Text(f" {busy:4.0%}"))
    return table


def buffer_table(program: Program) -> Table:
    table = Table("CB", "format", "pages", "bytes", box=None, header_style="bold")
    for cb in program.cbs:
        described = cb.format_descriptors[0]
        table.add_row(
            str(described.buffer_index), described.data_format.name, str(cb.num_pages), f"{cb.total_size:,}"
        )
    return table


# ---- a planted bug ----


def show_planted_bug() -> bool:
    with broken_kernels() as root, tilesmith.open_device("wormhole") as device, host.kernels_under(root):
        try:
            elementwise.run(device, (64, 320), "sigmoid")
        except KernelFindings as caught:
            explain(caught.findings[0])
            return bool(caught.findings[0].check == "noc.use-before-barrier")
    console.print("[bold red]the planted bug was not found")
    return False


@contextmanager
def broken_kernels() -> Iterator[Path]:
    """A folder with a reader that lacks its barrier; the other kernels stay as they are."""
    text = host.kernel_path(BROKEN_FILE).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / BROKEN_FILE
        source.parent.mkdir(parents=True)
        source.write_text(text.replace("noc.async_read_barrier();", "// oops"), encoding="utf-8")
        yield Path(folder)


def explain(finding: Finding) -> None:
    lines = Path(finding.file).read_text(encoding="utf-8")
    around = (max(1, finding.line - 4), finding.line + 2)
    code = Syntax(lines, "cpp", line_numbers=True, line_range=around, highlight_lines={finding.line})
    told = Text.from_markup(
        f"[bold red]{finding.check}[/]: {finding.title}\n"
        f"[bold]where[/]  {Path(finding.file).name}:{finding.line}, {finding.role} on {finding.risc}, "
        f"core ({finding.core.x}, {finding.core.y})\n"
        f"[bold]seen[/]   {finding.message}\n"
        f"[bold]fix[/]    {finding.remedy}"
    )
    title = "[bold]a planted bug: the reader pushes its page without waiting for the read"
    console.print(Panel(Group(code, told), title=title, border_style="red"))


if __name__ == "__main__":
    sys.exit(main())
