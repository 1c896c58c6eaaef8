"""The recording of the profiling tests."""

from __future__ import annotations

from tests.profiling.conftest import profile

__all__ = ["profile"]
