"""`tilesmith export`: a workload as a tt-metal project and a ttnn script."""

from __future__ import annotations

from pathlib import Path

from tilesmith.cli.conformance import work_from
from tilesmith.errors import BadCallError
from tilesmith.export import write_project
from tilesmith.recording import Recording, record


def export(text: str, out: Path, arch: str, sizes: str) -> list[Path]:
    """Run what the user names on the emulator, and write what it did."""
    _check_new(out)
    work = work_from(text, sizes)
    return write_project(work if isinstance(work, Recording) else record(work, arch), out)


def _check_new(out: Path) -> None:
    """That the directory can be written to, before anything runs."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        empty = not any(out.iterdir())
    except OSError as problem:
        raise BadCallError(
            f"{out} cannot be a new directory: {problem.strerror}", remedy="name a new directory"
        ) from problem
    if not empty:
        raise BadCallError(f"{out} is not empty", remedy="name a new directory")
