"""Libraries that were compiled before: when the package was installed from a checkout, or inside its wheel.

A wheel's libraries are compiled for every computer of a kind. Its manifest says by which compiler, for which
CPU at least, and which sources are among them.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from tilesmith.toolchain.cache import Cache
from tilesmith.toolchain.host import host_features
from tilesmith.toolchain.toolchain import Compiler

ROOT = Path(__file__).resolve().parent.parent / "prebuilt"
_MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Manifest:
    """What a wheel brings. `march` takes the place of -march=native, and needs these `features` of a CPU."""

    compiler: Compiler
    march: str
    features: tuple[str, ...]
    sources: tuple[str, ...]

    def fits(self) -> bool:
        """Whether this computer's CPU can run it."""
        return host_features().issuperset(self.features)

    def write(self, root: Path) -> None:
        (root / _MANIFEST).write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")


def find(key: str) -> Path | None:
    """The library of that key. Whoever can write here can write the package too."""
    return Cache(ROOT, trusted=True).find(key)


def manifest() -> Manifest | None:
    """That of the wheel this package was installed from, if it has one and fits this computer."""
    found = _read(ROOT / _MANIFEST)
    return found if found is not None and found.fits() else None


@lru_cache(maxsize=4)
def _read(path: Path) -> Manifest | None:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        return None
    compiler = Compiler(
        **{**data["compiler"], "command": tuple(data["compiler"]["command"]), "present": False}
    )
    return Manifest(compiler, data["march"], tuple(data["features"]), tuple(data["sources"]))
