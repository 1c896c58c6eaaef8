"""Findings: which rule was broken, by which kernel, where, and what to do."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilesmith.emulator.checks import CHECKS
from tilesmith.program import CoreCoord

ROLES = ("writer", "reader", "unpack", "math", "pack")
_RISCS = ("BRISC", "NCRISC", "TRISC0", "TRISC1", "TRISC2")


@dataclass(frozen=True)
class Finding:
    """One broken rule, at one line of one kernel. `count` says how often it happened there, on all cores."""

    check: str
    message: str
    kernel: str
    file: str
    line: int
    core: CoreCoord
    role: str
    risc: str
    count: int = 1
    fatal: bool = False

    @property
    def title(self) -> str:
        return CHECKS[self.check].title

    @property
    def remedy(self) -> str:
        return CHECKS[self.check].remedy

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file or "before the first API call"

    def __str__(self) -> str:
        who = f"{self.kernel}, {self.role} on {self.risc}, core ({self.core.x}, {self.core.y})"
        times = f", {self.count} times" if self.count > 1 else ""
        return (
            f"{self.check}: {self.title}\n"
            f"  at: {self.where} ({who}{times})\n"
            f"  seen: {self.message}\n"
            f"  fix: {self.remedy}"
        )


def finding_from_report(entry: Mapping[str, Any], libraries: Mapping[str, Path]) -> Finding:
    """Read one entry of the runtime's report. A raw access is known by its code address: look its line up."""
    file, line = entry["file"], entry["line"]
    if entry["address"] and (found := _line_of(libraries.get(entry["kernel"]), entry["address"])):
        file, line = found
        if Path(file).name in (entry["kernel"], f"{entry['kernel']}.unit.cpp"):
            file = entry["kernel"]  # inline text: the file it was compiled as means nothing
    return Finding(
        check=entry["check"],
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
