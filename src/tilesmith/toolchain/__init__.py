"""Builds C++ where it runs: finds a compiler, compiles shared libraries, and keeps them in a cache."""

from tilesmith.toolchain.cache import Cache
from tilesmith.toolchain.includes import Text, reached, words_of
from tilesmith.toolchain.known import known_compiler
from tilesmith.toolchain.library import (
    Job,
    Source,
    compile_many,
    compile_shared,
    is_in_wheel,
    wheel_compiler,
)
from tilesmith.toolchain.toolchain import Compiler, find_compiler

__all__ = [
    "Cache",
    "Compiler",
    "Job",
    "Source",
    "Text",
    "compile_many",
    "compile_shared",
    "find_compiler",
    "is_in_wheel",
    "known_compiler",
    "reached",
    "wheel_compiler",
    "words_of",
]
