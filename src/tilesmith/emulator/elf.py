"""Finds the writable data of a kernel's library, so that every emulated RISC can have a copy of its own."""

from __future__ import annotations

import struct
from functools import lru_cache
from pathlib import Path

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_SYMBOL_TABLE, _OBJECT = 2, 1


@lru_cache(maxsize=1024)
def writable_data(library: Path) -> tuple[int, int]:
    """(offset from the load address, size) of all variables in .data and .bss; (0, 0) if there are none.

    The build leaves out the C start-up files, so each variable belongs to the kernel. What the compiler keeps
    there without a name, such as the source locations that findings show, never changes.
    """
    content = library.read_bytes()
    header = _HEADER.unpack_from(content)
    table, entry_size, count, names_index = header[6], header[11], header[12], header[13]
    sections = [_SECTION.unpack_from(content, table + i * entry_size) for i in range(count)]
    names = sections[names_index][4]
    writable: dict[int, tuple[int, int]] = {}
    for index, section in enumerate(sections):
        start = names + section[0]
        name = content[start : content.index(b"\0", start)]
        if name in (b".data", b".bss") and section[5]:
            writable[index] = (section[3], section[3] + section[5])
    symbol_tables = [section for section in sections if section[1] == _SYMBOL_TABLE]
    if not symbol_tables:
        return _span(list(writable.values()))
    return _span([v for section in symbol_tables for v in _variables(content, section, set(writable))])


def _variables(content: bytes, table: tuple[int, ...], sections: set[int]) -> list[tuple[int, int]]:
    """(begin, end) of every variable a symbol table places in one of the sections."""
    begin, size = table[4], table[5]
    symbols = _SYMBOL.iter_unpack(content[begin : begin + size])
    return [
        (value, value + length)
        for _name, info, _other, section, value, length in symbols
        if section in sections and info & 15 == _OBJECT and length
    ]


def _span(ranges: list[tuple[int, int]]) -> tuple[int, int]:
    if not ranges:
        return 0, 0
    begin = min(low for low, _ in ranges)
    return begin, max(high for _, high in ranges) - begin
