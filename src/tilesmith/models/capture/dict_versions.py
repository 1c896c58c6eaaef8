"""Dictionaries that were written to since, by the version that Python 3.11 counts for each.

Later versions of Python tell it themselves: `dict_watch.py`.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from tilesmith.models.capture import tensor_watch

# Behind the count of references, the type and the count of items.
_OFFSET = 24


class Versions:
    """A flag that is up when any of some dictionaries was written to since it was taken down."""

    def __init__(self, tables: Iterable[dict[str, Any]]) -> None:
        self._tables = list(tables)  # kept: an address belongs to one dictionary as long as it lives
        count = len(self._tables)
        self._places = (ctypes.c_void_p * count)(*map(id, self._tables))
        self._seen = (ctypes.c_uint64 * count)()
        self._asked = (ctypes.addressof(self._places), _OFFSET, ctypes.addressof(self._seen), count)

    @property
    def flag(self) -> Versions:
        return self

    @property
    def up(self) -> bool:
        library = tensor_watch.library()
        return library is None or library.first_written(*self._asked) >= 0

    @up.setter
    def up(self, value: bool) -> None:
        library = tensor_watch.library()
        if value or library is None:
            ctypes.memset(self._seen, 0, ctypes.sizeof(self._seen))  # no dictionary has version 0
        else:
            library.versions_of(*self._asked)


@lru_cache(maxsize=1)
def are_counted() -> bool:
    """Whether this Python counts them where it is thought to: seen, not known."""
    if sys.implementation.name != "cpython" or sys.version_info >= (3, 12):
        return False
    table: dict[str, int] = {}
    seen = set()
    for number in range(4):
        table["a"] = number
        seen.add(ctypes.c_uint64.from_address(id(table) + _OFFSET).value)
    return len(seen) == 4 and 0 not in seen
