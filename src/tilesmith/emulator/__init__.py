"""Runs Programs on this computer: real kernels, compiled for the host, on emulated cores."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tilesmith.emulator.checks import CHECKS, Check
    from tilesmith.program.findings import Finding

__all__ = ["CHECKS", "Check", "Finding"]

_HOMES = {"CHECKS": "emulator.checks", "Check": "emulator.checks", "Finding": "program.findings"}


def __getattr__(name: str) -> Any:
    # Loaded when first asked for: building the runtime needs none of it, and no numpy.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"tilesmith.{_HOMES[name]}"), name)
