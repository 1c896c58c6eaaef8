"""`tilesmith export`: a workload as a tt-metal project and a ttnn script."""

from __future__ import annotations

from pathlib import Path

from tilesmith.cli.conformance import work_from
from tilesmith.codegen.export import write_project
from tilesmith.errors import BadCallError
from tilesmith.recording import Recording, record


def export(text: str, out: Path, arch: str, sizes: str) -> list[Path]:
    """Run what the user names on the emulator, and write what it did."""
    if out.exists() and any(out.iterdir()):
        raise BadCallError(f"{out} is not empty", remedy="name a new directory")
    work = work_from(text, sizes)
    return write_project(work if isinstance(work, Recording) else record(work, arch), out)
