"""Takes the place of the vendor's RISC-V compiler where that is missing. Run as a script; needs no packages.

It notes every command and answers with a file that ttnn can load and that does nothing. The notes are what
`header_check` looks at: a host compiler can read the same sources with the same headers.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from pathlib import Path

LOG = "STAND_IN_COMPILER_LOG"
VERSION = "riscv-tt-elf-g++ (tilesmith stand-in, runs nothing) 15.1.0"

_BASE = 0x4000
_RETURN = struct.pack("<4I", 0x00000013, 0x00000013, 0x00000013, 0x00008067)


def main(arguments: list[str]) -> int:
    if "--version" in arguments:
        print(VERSION)
        return 0
    output = Path(_after("-o", arguments))
    if "-c" in arguments:
        _note(arguments)
        # ttnn reads which files an object came from to know when to make it again.
        Path(_after("-MF", arguments) or output.with_suffix(".d")).write_text(
            f"{output}:\n", encoding="utf-8"
        )
        output.write_bytes(b"")
    else:
        output.write_bytes(executable())
    return 0


def stands_in(compiler: Path) -> bool:
    """Whether a file is this one and not a real compiler."""
    return VERSION.encode() in compiler.read_bytes()


def executable() -> bytes:
    """The smallest RISC-V executable ttnn's loader takes: a few instructions, and empty tables."""
    names = b"\0.text\0.symtab\0.strtab\0.rela.text\0"
    text = 52 + 32
    symbols = text + len(_RETURN)
    strings = symbols + 16
    sections = -(-(strings + len(names)) // 4) * 4
    header = b"\x7fELF\x01\x01\x01" + bytes(9)
    header += struct.pack("<HHIIIIIHHHHHH", 2, 243, 1, _BASE, 52, sections, 0, 52, 32, 1, 40, 5, 3)
    segment = struct.pack("<8I", 1, text, _BASE, _BASE, len(_RETURN), len(_RETURN), 5, 16)
    table = (
        (0,) * 10,
        (1, 1, 6, _BASE, text, len(_RETURN), 0, 0, 16, 0),
        (7, 2, 0, 0, symbols, 16, 3, 1, 4, 16),
        (15, 3, 0, 0, strings, len(names), 0, 0, 1, 0),
        (23, 4, 64, 0, symbols, 0, 2, 1, 4, 12),
    )
    body = (header + segment + _RETURN + bytes(16) + names).ljust(sections, b"\0")
    return body + b"".join(struct.pack("<10I", *row) for row in table)


def _note(arguments: list[str]) -> None:
    if LOG in os.environ:
        line = json.dumps({"directory": os.getcwd(), "arguments": arguments})
        with open(os.environ[LOG], "a", encoding="utf-8") as log:
            log.write(line + "\n")


def _after(option: str, arguments: list[str]) -> str:
    return arguments[arguments.index(option) + 1] if option in arguments else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
