"""What the checks remember of memory: runs of lines must say what a record for every four bytes would say."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tilesmith import emulator
from tilesmith.toolchain import compile_shared

NATIVE = Path(emulator.__file__).parent / "native"
BYTES = 32 * 1024
PAGE = 2048


@cache
def library() -> ctypes.CDLL:
    calls = Path(__file__).with_name("shadow_calls.cpp").read_text()
    sources = [("shadow_calls.cpp", calls), ("shadow.cpp", (NATIVE / "shadow.cpp").read_text())]
    loaded = ctypes.CDLL(str(compile_shared(sources, (NATIVE, NATIVE.parent / "include"), ("-O2", "-w"))))
    loaded.shadow_new.restype = ctypes.c_void_p
    for name in ("shadow_write", "shadow_read"):
        getattr(loaded, name).restype = ctypes.c_bool
        getattr(loaded, name).argtypes = [ctypes.c_void_p, *[ctypes.c_uint64] * 4]
    loaded.shadow_new.argtypes = [ctypes.c_uint64]
    loaded.shadow_free.argtypes = [ctypes.c_void_p]
    loaded.shadow_calls.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64]
    return loaded


@pytest.fixture
def shadow() -> Iterator[int]:
    made = library().shadow_new(BYTES)
    yield made
    library().shadow_free(made)


def ranges(generator: np.random.Generator) -> tuple[int, int]:
    """Pages, rows of pages, and a few words, aligned to anything from a word on."""
    step = int(generator.choice([4, 16, 32, 64, 576, 1088, 2048, 16384]))
    begin = int(generator.integers(0, BYTES // step)) * step
    return begin, min(int(generator.integers(1, 5)) * step, BYTES - begin)


@pytest.mark.parametrize("seed", range(20))
def test_runs_say_what_single_records_say(shadow: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    for number in range(1, 400):
        act = library().shadow_write if generator.random() < 0.4 else library().shadow_read
        begin, size = ranges(generator)
        who = int(generator.integers(1, 4)) if generator.random() < 0.5 else number
        assert act(shadow, begin, size, who, BYTES), (number, begin, size)


@pytest.mark.parametrize("offset", [0, 32, 96])
def test_a_page_that_is_read_and_written_whole_is_one_record(shadow: int, offset: int) -> None:
    for page in range(4):
        library().shadow_read(shadow, offset + page * PAGE, PAGE, 1 + page, BYTES)
    library().shadow_write(shadow, offset, 4 * PAGE, 7, BYTES)
    library().shadow_read(shadow, offset + PAGE, PAGE, 8, BYTES)
    library().shadow_write(shadow, offset + 3 * PAGE + 4, 4, 9, BYTES)
    library().shadow_write(shadow, offset + 3 * PAGE, PAGE, 10, BYTES)
    assert [library().shadow_calls(shadow, offset + page * PAGE, PAGE) for page in range(4)] == [1] * 4
