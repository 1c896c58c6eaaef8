"""Findings: which rule was broken, by which kernel, where, and what to do."""

from __future__ import annotations

from dataclasses import dataclass

from tilesmith.arch.cores import CoreCoord


@dataclass(frozen=True)
class Finding:
    """One broken rule, at one line of one kernel. `count` says how often it happened there, on all cores."""

    check: str
    title: str
    remedy: str
    message: str
    kernel: str
    file: str
    line: int
    core: CoreCoord
    role: str
    risc: str
    count: int = 1
    fatal: bool = False
    chip: tuple[int, int] | None = None
    """Row and column in the mesh, where the program ran on one."""
    written_for: str = ""
    """Where the code was generated: the line of the user's kernel it was generated from."""

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file or "before the first API call"

    def __str__(self) -> str:
        chip = f"chip {self.chip}, " if self.chip else ""
        who = f"{self.kernel}, {self.role} on {self.risc}, {chip}core ({self.core.x}, {self.core.y})"
        times = f", {self.count} times" if self.count > 1 else ""
        source = f"  from: {self.written_for}\n" if self.written_for else ""
        return (
            f"{self.check}: {self.title}\n"
            f"  at: {self.where} ({who}{times})\n"
            f"{source}"
            f"  seen: {self.message}\n"
            f"  fix: {self.remedy}"
        )
