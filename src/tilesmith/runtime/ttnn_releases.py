"""The releases of ttnn that programs are handed to in the tests."""

from __future__ import annotations

TESTED = ("0.77.0", "0.81.1")
