"""The gate: a run against its baseline. What got slower, by how much, and which bound changed."""

from __future__ import annotations

from dataclasses import dataclass

from tilesmith.errors import BadCallError
from tilesmith.profiling.runs.compare import KernelRow, compare
from tilesmith.profiling.runs.figures import RunFigures

DEFAULT_TOLERANCE = 0.05
_FLOOR_US = 0.05  # a kernel that grows by less than this is not named


@dataclass(frozen=True)
class Verdict:
    """Whether a run is within the tolerance of its baseline; `reasons` name what got slower, worst first."""

    title: str
    before_us: float
    after_us: float
    tolerance: float
    ok: bool
    reasons: tuple[str, ...] = ()

    @property
    def ratio(self) -> float:
        return self.after_us / self.before_us if self.before_us else 1.0

    def __str__(self) -> str:
        word = "ok" if self.ok else "SLOWER"
        head = (
            f"{word}: {self.title}: {self.after_us:,.1f} us, {self.ratio:.3f} times its baseline's"
            f" {self.before_us:,.1f} us (at most {1 + self.tolerance:.3f} times)"
        )
        return "\n".join([head, *(f"  {reason}" for reason in self.reasons)])


def judge(before: RunFigures, after: RunFigures, tolerance: float = DEFAULT_TOLERANCE) -> Verdict:
    """Predictions are exact, so they are compared as they are. Measured times are medians: their spread
    widens the tolerance, and is told."""
    allowed = tolerance + max(before.spread, after.spread)
    slower = after.latency_us > (1 + allowed) * before.latency_us
    new_findings = after.findings > before.findings
    reasons: list[str] = []
    if new_findings:
        reasons.append(f"{after.findings} findings of the checks, {before.findings} before")
    if slower:
        reasons += _reasons(before, after)
    if after.is_measured and allowed > tolerance:
        reasons.append(
            f"measured: medians that spread over {allowed - tolerance:.1%}, which is allowed on top"
        )
    return Verdict(
        after.title,
        before.latency_us,
        after.latency_us,
        allowed,
        not slower and not new_findings,
        tuple(reasons),
    )


def _reasons(before: RunFigures, after: RunFigures) -> list[str]:
    rows = compare([("before", before), ("after", after)]).kernels
    slower = sorted((row for row in rows if row.change_us > _FLOOR_US), key=lambda row: -row.change_us)
    reasons = [_reason(row) for row in slower[:5]]
    if after.launch_us > before.launch_us + _FLOOR_US:
        reasons.append(f"launches: {before.launch_us:,.1f} us -> {after.launch_us:,.1f} us")
    return reasons


def _reason(row: KernelRow) -> str:
    first, last = row.runs[0], row.runs[-1]
    assert last is not None
    if first is None:
        return f"{row.name}: {last.microseconds:,.1f} us, which the baseline has not; {last.sentence}"
    change = f"{row.name}: {first.microseconds:,.1f} us -> {last.microseconds:,.1f} us"
    if last.launches != first.launches:
        change += f" ({first.launches} -> {last.launches} launches)"
    if row.bound_changed:
        return f"{change}; its bound changed from {first.bound} to {last.bound}: {last.sentence}"
    return f"{change}; {last.sentence}"


def parse_tolerance(text: str) -> float:
    """A part of the time as people write it.

    >>> parse_tolerance("5%"), parse_tolerance("0.05"), parse_tolerance("12.5 %")
    (0.05, 0.05, 0.125)
    """
    cleaned = text.strip()
    try:
        value = float(cleaned.rstrip("%").strip()) / (100 if cleaned.endswith("%") else 1)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 10:
        raise BadCallError(
            f"{text!r} is no tolerance", where="--fail-over", remedy="give a part of the time: 5% or 0.05"
        )
    return value
