"""The user's line behind statements that TileLang's own library made for it."""

from __future__ import annotations

import linecache
from pathlib import Path

from tilesmith.compiler.importer.source import Location

# What a call into a file of the library looks like in the user's source.
_WORDS = {"reduce_op": "reduce", "scan_op": "cum", "copy_op": "copy", "fill_op": "fill", "atomic": "atomic"}
_REACH = 60


class UserLines:
    """Follows the statements of a kernel in order and gives each a line of the user's."""

    def __init__(self, library: Path) -> None:
        self._library = str(library)
        self._last = Location()
        self._line_inside = 0

    def of(self, location: Location) -> Location:
        """The location itself, or the next line of the user's that calls the library file it lies in.

        A macro stamps its own lines, which go up within one call: when they do not, another call has begun.
        """
        if not location.file.startswith(self._library):
            self._last, self._line_inside = location, 0
            return location
        if location.line > self._line_inside > 0:
            self._line_inside = location.line
            return self._last
        word = _WORDS.get(Path(location.file).stem, "T.")
        first = self._last.line + 1
        for line in range(first, first + _REACH):
            if word in linecache.getline(self._last.file, line):
                self._last = Location(self._last.file, line)
                break
        self._line_inside = location.line
        return self._last
