"""Which findings the user has said to leave out: by check, file and line, on the host or in the kernel."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from tilesmith.emulator.checks import CHECKS
from tilesmith.errors import CheckNameError
from tilesmith.program import Program, SourceType
from tilesmith.program.findings import Finding

_NAME = r"[\w.-]+"
_COMMENT = re.compile(rf"//\s*tilesmith:\s*(allow-file|allow)\s+({_NAME}(?:\s*,\s*{_NAME})*)")
_ONLY_COMMENT = re.compile(r"^\s*//")


@dataclass(frozen=True)
class Rule:
    """One check, everywhere, in one file, or at one line of it."""

    check: str
    file: str = ""
    line: int = 0

    @classmethod
    def parse(cls, text: str) -> Rule:
        """Read "check", "check@file" or "check@file:line".

        >>> Rule.parse("cb.left-at-end@reader.cpp:12")
        Rule(check='cb.left-at-end', file='reader.cpp', line=12)
        """
        check, _, place = text.strip().partition("@")
        file, _, line = place.rpartition(":")
        if not line.isdigit():
            file, line = place, "0"
        return cls(_known(check, f"suppress={text!r}"), file, int(line))

    def covers(self, finding: Finding) -> bool:
        if self.check != finding.check or (self.line and self.line != finding.line):
            return False
        return not self.file or any(_ends_with(name, self.file) for name in (finding.file, finding.kernel))


def parse_rules(texts: Iterable[str]) -> tuple[Rule, ...]:
    return tuple(Rule.parse(text) for text in texts)


def check_comments(text: str, where: str) -> None:
    """Refuse a comment that names a check there is not."""
    for _, names in _COMMENT.findall(text):
        for name in _split(names):
            _known(name, where)


def split_findings(
    findings: Sequence[Finding], rules: Sequence[Rule], program: Program
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Those to report, and those suppressed. One that ended the run is always reported."""
    inline = {
        kernel.label: kernel.kernel_source
        for kernel in program.kernels
        if kernel.source_type is SourceType.SOURCE_CODE
    }
    kept: list[Finding] = []
    left_out: list[Finding] = []
    for finding in findings:
        allowed = not finding.fatal and (
            any(rule.covers(finding) for rule in rules) or _allowed_by_comment(finding, inline)
        )
        (left_out if allowed else kept).append(finding)
    return tuple(kept), tuple(left_out)


def _allowed_by_comment(finding: Finding, inline: Mapping[str, str]) -> bool:
    lines = _text(finding.file, inline).splitlines()
    for keyword, names in _COMMENT.findall("\n".join(lines)):
        if keyword == "allow-file" and finding.check in _split(names):
            return True
    # The line itself, and the comments that stand alone right above it.
    above = finding.line - 1
    while 0 < above <= len(lines) and _ONLY_COMMENT.match(lines[above - 1]):
        above -= 1
    asked = lines[above : finding.line] if finding.line else []
    return any(
        keyword == "allow" and finding.check in _split(names)
        for line in asked
        for keyword, names in _COMMENT.findall(line)
    )


def _text(file: str, inline: Mapping[str, str]) -> str:
    if file in inline:
        return inline[file]
    try:
        return Path(file).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _split(names: str) -> list[str]:
    return [name.strip() for name in names.split(",")]


def _ends_with(path: str, tail: str) -> bool:
    return path == tail or path.endswith("/" + tail)


def _known(name: str, where: str) -> str:
    if name in CHECKS:
        return name
    close = get_close_matches(name, CHECKS, n=3, cutoff=0.5)
    remedy = f"did you mean {' or '.join(close)}?" if close else "docs/checks.md lists them"
    raise CheckNameError(f"there is no check {name!r}", where=where, remedy=remedy)
