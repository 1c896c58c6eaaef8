"""Caches of transformers as a list of tensors, and a description of the rest that a graph is captured for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

_ROOMS = ("transformers.cache_utils", "tilesmith.models.generation")


@dataclass(frozen=True)
class Structure:
    """A cache without its tensors: of which classes its layers are, and their plain attributes."""

    cls: type | None
    entries: tuple[tuple[Any, Any], ...]


@dataclass(frozen=True)
class _Place:
    """A tensor, by its number in the list. One that is met again has the number it has."""

    number: int


def flatten(cache: Any) -> tuple[list[torch.Tensor], Structure]:
    """The tensors of a cache in a fixed order, and what else it is built of; the latter can be compared."""
    tensors: list[torch.Tensor] = []
    structure = _described(cache, tensors)
    assert isinstance(structure, Structure)
    return tensors, structure


def restore(structure: Structure, tensors: Sequence[torch.Tensor]) -> Any:
    """A new cache of a structure around tensors."""
    return _built(structure, tensors)


def assign(cache: Any, structure: Structure, tensors: Sequence[torch.Tensor]) -> None:
    """Make a cache like one of this structure with these tensors, in place."""
    result = restore(structure, tensors)
    vars(cache).update(vars(result))


def _described(value: Any, tensors: list[torch.Tensor]) -> Any:
    if isinstance(value, torch.Tensor):
        known = (number for number, tensor in enumerate(tensors) if tensor is value)
        number = next(known, len(tensors))
        if number == len(tensors):
            tensors.append(value)
        return _Place(number)
    if isinstance(value, list | tuple):
        return Structure(
            type(value), tuple((place, _described(entry, tensors)) for place, entry in enumerate(value))
        )
    if isinstance(value, dict):
        return Structure(dict, tuple((key, _described(entry, tensors)) for key, entry in value.items()))
    if type(value).__module__.startswith(_ROOMS):
        entries = tuple((name, _described(entry, tensors)) for name, entry in vars(value).items())
        return Structure(type(value), entries)
    return Structure(None, (("", value),))


def _built(described: Any, tensors: Sequence[torch.Tensor]) -> Any:
    if isinstance(described, _Place):
        return tensors[described.number]
    cls, entries = described.cls, described.entries
    if cls is None:
        return entries[0][1]
    if issubclass(cls, list | tuple):
        return cls(_built(entry, tensors) for _, entry in entries)
    if cls is dict:
        return {key: _built(entry, tensors) for key, entry in entries}
    result = cls.__new__(cls)
    vars(result).update({name: _built(entry, tensors) for name, entry in entries})
    return result
