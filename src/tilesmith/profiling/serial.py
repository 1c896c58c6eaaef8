"""Dataclasses as JSON and back, by their type hints."""

from __future__ import annotations

import json
import types
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

Made = TypeVar("Made")


def to_json(value: Any, indent: int | None = None) -> str:
    """The JSON of a dataclass; tuples become lists."""
    return json.dumps(value, default=fields_of, indent=indent, separators=None if indent else (",", ":"))


def fields_of(value: Any) -> dict[str, Any]:
    """A dataclass as a dictionary, one level deep: `asdict` would copy every number of a timeline.

    >>> from tilesmith.profiling.model import Accuracy
    >>> fields_of(Accuracy(1, 0.99, 0.999))
    {'tensor': 1, 'wanted_pcc': 0.99, 'pcc': 0.999}
    """
    return {one.name: getattr(value, one.name) for one in fields(value)}


def from_json(kind: type[Made], text: str) -> Made:
    """The dataclass of this JSON.

    >>> from tilesmith.profiling.model import BankTraffic
    >>> bank = BankTraffic(3, 64, 0, 1, 0.5)
    >>> from_json(BankTraffic, to_json(bank)) == bank
    True
    """
    result: Made = _made(kind, json.loads(text))
    return result


@cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    return get_type_hints(kind)


def _made(kind: Any, value: Any) -> Any:
    if is_dataclass(kind) and isinstance(kind, type):
        hints = _hints(kind)
        return kind(
            **{one.name: _made(hints[one.name], value[one.name]) for one in fields(kind) if one.name in value}
        )
    origin, inner = get_origin(kind), get_args(kind)
    if origin is tuple:
        kinds = [inner[0]] * len(value) if inner[-1] is Ellipsis else inner
        return tuple(_made(one, item) for one, item in zip(kinds, value, strict=True))
    if origin is dict:
        return {key: _made(inner[1], item) for key, item in value.items()}
    if origin in (Union, types.UnionType):
        return None if value is None else _made(inner[0], value)
    return value
