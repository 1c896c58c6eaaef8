"""What is there and what is not, one sentence each."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tilesmith import settings
from tilesmith.errors import TilesmithError
from tilesmith.extras import EXTRAS
from tilesmith.runtime.ttnn_library import MOCK, how_to_install, ttnn_version
from tilesmith.runtime.ttnn_releases import TESTED, is_tested
from tilesmith.testing.stand_in_compiler import stands_in
from tilesmith.units import readable


@dataclass(frozen=True)
class Finding:
    """One part of the installation. A `needed` part that is missing keeps the emulator from running."""

    part: str
    present: bool
    sentence: str
    needed: bool = False


_SFPI = Path("/opt/tenstorrent/sfpi")
_SFPI_HOME = "github.com/tenstorrent/sfpi"
_SIMULATOR = "TT_METAL_SIMULATOR"
# The vendor's variable: where ttnn looks for its files, instead of the installed package.
_ROOT = "TT_METAL_RUNTIME_ROOT"
_TTNN_TARGETS = {
    _SIMULATOR: "the vendor's simulator",
    MOCK: "a chip that is not there",
}


def examine() -> list[Finding]:
    """Look at every part; none of the looks may fail."""
    machine = f"{platform.system()} {platform.machine()}"
    return [
        Finding("python", True, f"Python {platform.python_version()} on {machine}."),
        _compiler(),
        _cache(),
        *(_package(name, EXTRAS[name].purpose, EXTRAS[name].remedy) for name in ("torch", "tilelang")),
        _ttnn(),
        _sfpi(),
        _ttnn_target(),
        _card(),
        _gpu(),
    ]


def _compiler() -> Finding:
    from tilesmith.toolchain import find_compiler

    try:
        found = find_compiler()
    except TilesmithError as error:
        kept = "; what is compiled already runs without" if _runs_without() else ""
        return Finding("compiler", False, f"{error.what}: {error.remedy}{kept}.", needed=True)
    return Finding("compiler", True, f"{found} compiles kernels.", needed=True)


def _runs_without() -> bool:
    from tilesmith.toolchain import known_compiler

    try:
        return not known_compiler().present
    except TilesmithError:
        return False


def _cache() -> Finding:
    from tilesmith.toolchain import Cache

    root = settings.current().cache_dir
    if not _can_write(root):
        return Finding(
            "cache", False, f"{root} cannot be written: kernels are compiled anew in every process "
            f"until {settings.variable('cache_dir')} names another directory.",
        )  # fmt: skip
    usage = Cache(root).usage()
    return Finding("cache", True, f"{root} holds {usage.entries} compiled files, {readable(usage.bytes)}.")


def _can_write(directory: Path) -> bool:
    existing = next(parent for parent in (directory, *directory.parents) if parent.exists())
    return existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)


def _package(name: str, purpose: str, remedy: str) -> Finding:
    if importlib.util.find_spec(name) is None:
        return Finding(name, False, f"not installed, needed only for {purpose}: {remedy}.")
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        version = "of unknown version"
    return Finding(name, True, f"{name} {version} is there for {purpose}.")


def _ttnn() -> Finding:
    found = _package("ttnn", "real chips and the vendor's simulator", how_to_install())
    version = ttnn_version()
    if not found.present or not version or is_tested(version):
        return found
    releases = f"{TESTED[0]} to {TESTED[-1]}"
    return Finding("ttnn", True, f"ttnn {version} is there, but tilesmith is tested with {releases}.")


def _sfpi() -> Finding:
    """The vendor's RISC-V compiler, in the two places where ttnn looks for it."""
    found = importlib.util.find_spec("ttnn")
    origin = getattr(found, "origin", None)
    package = Path(origin).parent if origin else None
    root = Path(os.environ[_ROOT]) if os.environ.get(_ROOT) else package
    beside = [root / "runtime" / "sfpi"] if root else []
    places = [place for place in (*beside, _SFPI) if _compiler_in(place).exists()]
    if places and stands_in(_compiler_in(places[0])):
        sentence = f"{places[0]} stands in for the vendor's RISC-V compiler: nothing runs."
        return Finding("sfpi", False, sentence)
    if places:
        return Finding("sfpi", True, f"{places[0]} compiles kernels for real chips and the simulator.")
    release = _wanted_sfpi(package) if package else ""
    wanted = f": install release {release} of {_SFPI_HOME} to {_SFPI}" if release else ""
    sentence = f"the vendor's RISC-V compiler is not there, needed only for chips and the simulator{wanted}."
    return Finding("sfpi", False, sentence)


def _wanted_sfpi(package: Path) -> str:
    """The release that an installed ttnn names."""
    note = package / "tt_metal" / "sfpi-version"
    text = note.read_text(encoding="utf-8") if note.is_file() else ""
    return next((line.split("'")[1] for line in text.splitlines() if line.startswith("sfpi_version='")), "")


def _compiler_in(sfpi: Path) -> Path:
    return sfpi / "compiler" / "bin" / "riscv-tt-elf-g++"


def _ttnn_target() -> Finding:
    """What `open_device("ttnn")` would open, as far as the environment decides it."""
    for variable, what in _TTNN_TARGETS.items():
        place = os.environ.get(variable, "")
        if place:
            missing = _missing(variable, Path(place))
            return Finding("target", not missing, f"{variable} makes ttnn open {what}: {place}{missing}.")
    return Finding("target", False, "no simulator and no mock cluster is named: ttnn looks for a card.")


def _missing(variable: str, place: Path) -> str:
    """What keeps ttnn from opening it."""
    if not place.exists():
        return ", but there is no such file"
    if variable != _SIMULATOR:
        return ""
    if not (place.parent / "soc_descriptor.yaml").exists():
        return ", but it wants the chip's soc_descriptor.yaml beside it"
    if os.environ.get("TT_METAL_SLOW_DISPATCH_MODE") != "1":
        return ", but it wants TT_METAL_SLOW_DISPATCH_MODE=1"
    return ""


def _card() -> Finding:
    cards = sorted(Path("/dev/tenstorrent").glob("[0-9]*"))
    if not cards:
        return Finding("card", False, "no Tenstorrent card in this computer: the emulator needs none.")
    return Finding("card", True, f"{len(cards)} Tenstorrent card(s): {', '.join(map(str, cards))}.")


def _gpu() -> Finding:
    names = _quietly(_nvidia_gpus)
    if not names:
        return Finding("gpu", False, "no NVIDIA GPU was found: needed only for the cuda backend.")
    return Finding("gpu", True, f"{', '.join(names)} for the cuda backend.")


def _nvidia_gpus() -> list[str]:
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return []
    command = [tool, "--query-gpu=name", "--format=csv,noheader"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    return [line.strip() for line in done.stdout.splitlines() if line.strip()]


def _quietly(look: Callable[[], list[str]]) -> list[str]:
    try:
        return look()
    except (OSError, subprocess.SubprocessError):
        return []
