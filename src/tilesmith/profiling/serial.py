"""Dataclasses as JSON and back, by their type hints."""

from __future__ import annotations

import json
import types
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

Record = TypeVar("Record")


def to_json(value: Any, indent: int | None = None) -> str:
    """The JSON of a dataclass; tuples become lists."""
    return json.dumps(value, default=fields_of, indent=indent, separators=None if indent else (",", ":"))


def fields_of(value: Any) -> dict[str, Any]:
    """A dataclass as a dictionary, one level deep: `asdict` would copy every number of a timeline.

    >>> from tilesmith.profiling.model import Accuracy
    >>> fields_of(Accuracy(1, 0.99, 0.999))
    {'tensor': 1, 'wanted_pcc': 0.99, 'pcc': 0.999}
    """
    return {
        part.name: getattr(value, part.name) for part in fields(value) if part.metadata.get("saved", True)
    }


def from_json(record: type[Record], text: str) -> Record:
    """The dataclass of this JSON.

    >>> from tilesmith.profiling.model import BankTraffic
    >>> bank = BankTraffic(3, 64, 0, 1, 0.5)
    >>> from_json(BankTraffic, to_json(bank)) == bank
    True
    """
    result: Record = _read(record, json.loads(text))
    return result


@cache
def _hints(record: type[Any]) -> dict[str, Any]:
    return get_type_hints(record)


def _read(hint: Any, value: Any) -> Any:
    if is_dataclass(hint) and isinstance(hint, type):
        hints = _hints(hint)
        return hint(
            **{one.name: _read(hints[one.name], value[one.name]) for one in fields(hint) if one.name in value}
        )
    origin, inner = get_origin(hint), get_args(hint)
    if origin is tuple:
        item_hints = [inner[0]] * len(value) if inner[-1] is Ellipsis else inner
        return tuple(_read(one, item) for one, item in zip(item_hints, value, strict=True))
    if origin is dict:
        return {key: _read(inner[1], item) for key, item in value.items()}
    if origin in (Union, types.UnionType):
        return None if value is None else _read(inner[0], value)
    return value
