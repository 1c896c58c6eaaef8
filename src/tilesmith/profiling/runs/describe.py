"""What a run is kept with: the commit it was made at, the settings in force, versions of what took part."""

from __future__ import annotations

import platform
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tilesmith import settings
from tilesmith.version import __version__

_PACKAGES = ("torch", "tilelang", "numpy")
_MARKS = (".tilesmith", ".git", "pyproject.toml")
_NOT_OF_A_RUN = ("cache_dir", "runs_dir", "progress", "compile_jobs")


@dataclass(frozen=True)
class Circumstances:
    """Of a run: where in the project's history it was made, and with what."""

    commit: str = ""
    modified: bool = False
    settings: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)


def circumstances(project: Path) -> Circumstances:
    """Those of now, for a project's folder."""
    commit = _git(project, "rev-parse", "--short=12", "HEAD")
    modified = bool(commit) and bool(_git(project, "status", "--porcelain", "--untracked-files=no"))
    in_force = asdict(settings.current())
    chosen = {name: str(value) for name, value in in_force.items() if name not in _NOT_OF_A_RUN}
    versions = {"python": platform.python_version(), **_versions()}
    return Circumstances(commit, modified, chosen, versions)


def _versions() -> dict[str, str]:
    """Only of what is imported already: asking must not import torch."""
    found = {"tilesmith": __version__}
    for name in _PACKAGES:
        if name not in sys.modules:
            continue
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _git(project: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(project), *arguments], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def project_root(start: Path | None = None) -> Path:
    """The nearest folder upwards that is a project (it has .tilesmith, .git or pyproject.toml), else `start`.

    >>> project_root(Path("/")) == Path("/")
    True
    """
    start = (start or Path.cwd()).absolute()
    for folder in (start, *start.parents):
        if any((folder / mark).exists() for mark in _MARKS):
            return folder
    return start
