"""ttnn.tracer: there is no tracing of Python calls here."""

from __future__ import annotations


def disable_tracing() -> None:
    """Nothing is traced."""


def is_tracing_enabled() -> bool:
    return False
