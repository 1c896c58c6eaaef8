"""Dictionaries that say when they are written to: the dict watchers of CPython 3.12 and later.

A model of hundreds of modules is hundreds of dictionaries. Looking at all of them takes longer than starting
its graph on a GPU; being told takes nothing.
"""

from __future__ import annotations

import atexit
import ctypes
from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from weakref import finalize

from tilesmith.models.capture.dict_versions import Versions, are_counted

_Callback = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class _Flag:
    """Set by the callback; an object of its own, so that the callback keeps no `Touched` alive."""

    __slots__ = ("up",)

    def __init__(self) -> None:
        self.up = False


class Touched:
    """Whether any of some dictionaries was written to since its flag was taken down."""

    def __init__(self, tables: Iterable[dict[str, Any]]) -> None:
        self.flag = _Flag()
        self._tables = list(tables)  # kept: an address belongs to one dictionary as long as it lives
        addresses = tuple(map(id, self._tables))
        watcher = _watcher()
        for table, address in zip(self._tables, addresses, strict=True):
            _WATCHING.setdefault(address, []).append(self.flag)
            ctypes.pythonapi.PyDict_Watch(watcher, ctypes.py_object(table))
        finalize(self, _forget, addresses, self.flag)


def touched(tables: Iterable[dict[str, Any]]) -> Touched | Versions | None:
    """A watch over dictionaries, or None where Python has none."""
    if are_counted():
        return Versions(tables)
    if not hasattr(ctypes.pythonapi, "PyDict_AddWatcher"):
        return None
    try:
        return Touched(tables)
    except RuntimeError:  # all of the few watchers are taken
        return None


_WATCHING: dict[int, list[_Flag]] = {}


def _on_event(_event: int, table: int, _key: int | None, _value: int | None) -> int:
    for flag in _WATCHING.get(table, ()):
        flag.up = True
    return 0


_CALLBACK = _Callback(_on_event)


@lru_cache(maxsize=1)
def _watcher() -> int:
    found: int = ctypes.pythonapi.PyDict_AddWatcher(_CALLBACK)
    # Dictionaries are still written to when Python ends, and the callback is gone by then.
    atexit.register(ctypes.pythonapi.PyDict_ClearWatcher, found)
    return found


def _forget(addresses: tuple[int, ...], flag: _Flag) -> None:
    for address in addresses:
        left = [one for one in _WATCHING.get(address, ()) if one is not flag]
        if left:
            _WATCHING[address] = left
        else:
            _WATCHING.pop(address, None)
