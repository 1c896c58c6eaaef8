"""Finds the writable data of a kernel's library, so that every emulated RISC can have a copy of its own."""

from __future__ import annotations

import struct
from functools import lru_cache
from pathlib import Path

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")


@lru_cache(maxsize=1024)
def writable_data(library: Path) -> tuple[int, int]:
    """(offset from the load address, size) of .data and .bss together; (0, 0) if there is none.

    The build leaves out the C start-up files, so whatever is there belongs to the kernel.
    """
    content = library.read_bytes()
    header = _HEADER.unpack_from(content)
    table, entry_size, count, names_index = header[6], header[11], header[12], header[13]
    sections = [_SECTION.unpack_from(content, table + i * entry_size) for i in range(count)]
    names = sections[names_index][4]
    ranges = []
    for section in sections:
        start = names + section[0]
        name = content[start : content.index(b"\0", start)]
        if name in (b".data", b".bss") and section[5]:
            ranges.append((section[3], section[3] + section[5]))
    if not ranges:
        return 0, 0
    begin = min(low for low, _ in ranges)
    return begin, max(high for _, high in ranges) - begin
