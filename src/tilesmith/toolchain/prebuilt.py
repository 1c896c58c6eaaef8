"""Libraries that were compiled when the package was installed, beside the package."""

from __future__ import annotations

from pathlib import Path

from tilesmith.toolchain.cache import Cache

ROOT = Path(__file__).resolve().parent.parent / "prebuilt"


def find(key: str) -> Path | None:
    """The library of that key, if installing the package made it."""
    return Cache(ROOT).find(key)
