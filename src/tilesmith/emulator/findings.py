"""From an entry of the runtime's report to a finding."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tilesmith.emulator.checks import CHECKS
from tilesmith.program import CoreCoord
from tilesmith.program.findings import Finding

ROLES = ("writer", "reader", "unpack", "math", "pack")
_RISCS = ("BRISC", "NCRISC", "TRISC0", "TRISC1", "TRISC2")


def finding_from_report(entry: Mapping[str, Any], libraries: Mapping[str, Path]) -> Finding:
    """Read one entry of the runtime's report. A raw access is known by its code address: look its line up."""
    file, line = entry["file"], entry["line"]
    if entry["address"] and (found := _line_of(libraries.get(entry["kernel"]), entry["address"])):
        file, line = found
        if Path(file).name in (entry["kernel"], f"{entry['kernel']}.unit.cpp"):
            file = entry["kernel"]  # inline text: the file it was compiled as means nothing
    check = CHECKS[entry["check"]]
    return Finding(
        check=check.id,
        title=check.title,
        remedy=check.remedy,
        message=entry["message"],
        kernel=entry["kernel"],
        file=file,
        line=line,
        core=CoreCoord(entry["core_x"], entry["core_y"]),
        role=ROLES[entry["role"]],
        risc=_RISCS[entry["role"]],
        count=entry["count"],
        fatal=entry["fatal"],
    )


def _line_of(library: Path | None, address: int) -> tuple[str, int] | None:
    tool = shutil.which("addr2line")
    if library is None or tool is None:
        return None
    done = subprocess.run(
        # The address is that of the instruction after the call.
        [tool, "-i", "-e", str(library), hex(address - 1)],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    for entry in done.stdout.splitlines():
        file, _, line = entry.partition(" ")[0].rpartition(":")
        if line.isdigit() and int(line) > 0 and "/emulator/include/" not in file:
            return file, int(line)
    return None
