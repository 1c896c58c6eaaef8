"""What became of one example."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """`status`: passed, failed, timeout, gpu_only, or unchecked (it ran, but compares nothing)."""

    name: str
    status: str
    reason: str
    seconds: float
