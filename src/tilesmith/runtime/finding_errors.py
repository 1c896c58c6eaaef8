"""Whose mistake a finding is: that of the kernel's author, or ours where we generated the kernel."""

from __future__ import annotations

from dataclasses import replace

from tilesmith.errors import GeneratedCodeFault, KernelFindings
from tilesmith.program import Program
from tilesmith.program.executor import RunReport

_OF_THE_KERNEL_ITSELF = ("sync.step-limit", "mem.race", "mem.out-of-bounds", "kernel.fault", "kernel.assert")
"""What a kernel means by itself, whoever writes its C++: a loop without end, blocks that write one place, an
index from data that leaves its buffer, an assertion."""


def error_of(report: RunReport, program: Program) -> KernelFindings | GeneratedCodeFault:
    """The error for the findings of a run. Where code was generated, they name the line it comes from."""
    lines = {one.name: one.written_for for one in program.kernels if one.written_for is not None}
    if not lines:
        return KernelFindings(report.findings, suppressed=report.suppressed)
    findings = [
        replace(finding, written_for=lines[finding.kernel](finding.line))
        if finding.kernel in lines
        else finding
        for finding in report.findings
    ]
    ours = [one for one in findings if one.written_for and one.check not in _OF_THE_KERNEL_ITSELF]
    if ours:
        return GeneratedCodeFault(findings, where=ours[0].written_for)
    return KernelFindings(findings, suppressed=report.suppressed)
