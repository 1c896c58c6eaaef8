"""`%%tilesmith`: a notebook cell whose programs are profiled; its timeline is drawn below it.

`%load_ext tilesmith` makes it known. `%%tilesmith TITLE` names the run, `%%tilesmith --no-keep` keeps none.
"""

from __future__ import annotations

from html import escape
from typing import Any

from tilesmith.profiling.collect import recording
from tilesmith.profiling.html import html_page
from tilesmith.profiling.report import Profile
from tilesmith.profiling.runs.figures import figures_of
from tilesmith.profiling.runs.store import keep

_HEIGHT = 640  # of the report, in pixels


class CellReport:
    """What a cell shows: the report of its programs, in a frame of its own."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile

    def __repr__(self) -> str:
        return str(self.profile)

    def _repr_html_(self) -> str:
        page = escape(html_page(self.profile), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:{_HEIGHT}px;border:0"></iframe>'


def run_cell(line: str, cell: str, shell: Any) -> CellReport | None:
    """Run a cell as IPython would, and give the report of what ran on devices."""
    words = line.split()
    title = " ".join(word for word in words if word != "--no-keep") or "cell"
    with recording(title) as recorder:
        outcome = shell.run_cell(cell)
    profile = recorder.profile
    if not outcome.success:
        return None  # IPython has shown the error
    if not profile.programs:
        print("no program ran on the emulator in this cell")
        return None
    if "--no-keep" not in words:
        keep(figures_of(profile), profile)
    return CellReport(profile)


def register(shell: Any) -> None:
    """Make `%%tilesmith` known to a shell of IPython."""

    def tilesmith(line: str, cell: str) -> CellReport | None:
        """Profile the programs of this cell, and draw their timeline."""
        return run_cell(line, cell, shell)

    shell.register_magic_function(tilesmith, magic_kind="cell", magic_name="tilesmith")
