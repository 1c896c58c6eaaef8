"""One process of the fault test: build what SEED asks for through the cache, run it, and print the result."""

from __future__ import annotations

import ctypes
import sys

from tilesmith.errors import TilesmithError
from tilesmith.native import compile_shared

HEADER = "#include <source_location>\n#include <new>\n"


def answer(seed: int) -> int:
    """Two units, so that a kill can fall between compiling and linking."""
    parts = [
        ("part.cpp", f"{HEADER}int part(int x) {{ return x * {seed} + 1; }}"),
        ("main.cpp", f'{HEADER}int part(int); extern "C" int answer(int x) {{ return part(x) * 2; }}'),
    ]
    library = ctypes.CDLL(str(compile_shared(parts)))
    return int(library.answer(10))


if __name__ == "__main__":
    try:
        print(answer(int(sys.argv[1])))
    except TilesmithError as error:
        sys.exit(f"{type(error).__name__}: {error}")
