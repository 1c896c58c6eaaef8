"""Runs Programs on this computer: real kernels, compiled for the host, on emulated cores."""

from tilesmith.emulator.checks import CHECKS, Check
from tilesmith.emulator.findings import Finding

__all__ = ["CHECKS", "Check", "Finding"]
