"""Models to try: `load("bert")` gives one with weights and an input; `run("bert")` compares it with torch."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tilesmith.zoo.catalogue import ENTRIES, find, load
    from tilesmith.zoo.running import Outcome, run, run_sample
    from tilesmith.zoo.sample import Entry, Sample

__all__ = ["ENTRIES", "Entry", "Outcome", "Sample", "find", "load", "run", "run_sample"]

_HOMES = {
    **dict.fromkeys(("ENTRIES", "find", "load"), "catalogue"),
    **dict.fromkeys(("Outcome", "run", "run_sample"), "running"),
    **dict.fromkeys(("Entry", "Sample"), "sample"),
}


def __getattr__(name: str) -> Any:
    """Imported when it is asked for: one model needs neither the others nor the compiler."""
    if name not in _HOMES:
        raise AttributeError(f"module 'tilesmith.zoo' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"tilesmith.zoo.{_HOMES[name]}"), name)
    return value
