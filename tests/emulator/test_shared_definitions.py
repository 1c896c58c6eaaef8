"""What Python and C++ both define is defined alike: enumerations, and structures that ctypes hands over."""

from __future__ import annotations

import ctypes
import re
from enum import IntEnum
from pathlib import Path
from typing import Any

import pytest

from tilesmith import emulator
from tilesmith.emulator.engine_timing import EngineTiming
from tilesmith.formats import DataFormat, bindings
from tilesmith.program.kernel import MathFidelity
from tilesmith.program.trace import EVENT, Cause, Moved, Work

EMULATOR = Path(emulator.__file__).parent
SOURCES = [*EMULATOR.glob("include/**/*.h"), *EMULATOR.glob("native/**/*.h"), *EMULATOR.glob("native/*.cpp")]
SOURCES += Path(bindings.__file__).parent.glob("native/*")
C_TYPES = {
    "double": ctypes.c_double,
    "uint16_t": ctypes.c_uint16,
    "uint32_t": ctypes.c_uint32,
    "int32_t": ctypes.c_int32,
    "uint64_t": ctypes.c_uint64,
    "int64_t": ctypes.c_int64,
    "float": ctypes.c_float,
}


def definition(start: str, end: str = r"\}") -> str:
    """The body of an enumeration or a structure in the C++ sources."""
    pattern = re.compile(rf"\b{start}\b[^;{{]*\{{(.*?){end}", re.DOTALL)
    bodies = {found[1] for path in SOURCES if (found := pattern.search(path.read_text()))}
    assert len(bodies) == 1, f"{len(bodies)} definitions of {start}"
    return re.sub(r"//[^\n]*", "", bodies.pop())


def values(body: str) -> dict[str, int]:
    numbers: dict[str, int] = {}
    following = 0
    for entry in filter(None, (one.strip() for one in body.split(","))):
        name, _, value = (part.strip() for part in entry.partition("="))
        following = int(value, 0) if value else following
        numbers[name.lower()] = following
        following += 1
    return numbers


ENUMERATIONS: dict[str, type[IntEnum]] = {
    "enum class DataFormat": DataFormat,
    "enum class MathFidelity": MathFidelity,
    r"struct Wait \{\s*enum class On": Cause,
    "enum class Work": Work,
    "enum class Moved": Moved,
}


@pytest.mark.parametrize("start", ENUMERATIONS)
def test_an_enumeration_has_the_same_values_on_both_sides(start: str) -> None:
    native = values(definition(start))
    ours = {name.lower(): int(member) for name, member in ENUMERATIONS[start].__members__.items()}
    assert ours == {name: native.get(name) for name in ours}


def fields(body: str) -> list[tuple[str, Any]]:
    """Names and types; of an array, the type of its elements."""
    found: list[tuple[str, Any]] = []
    for line in filter(None, (one.strip() for one in body.split(";"))):
        c_type, _, names = line.partition(" ")
        found += [(re.split(r"[\[ =]", name.strip())[0], C_TYPES[c_type]) for name in names.split(",")]
    return found


@pytest.mark.parametrize(("structure", "name"), [(EngineTiming, "EngineTiming"), (bindings._Shape, "Shape")])
def test_a_structure_has_the_same_fields_on_both_sides(structure: Any, name: str) -> None:
    ours = [
        (one, c_type._type_ if issubclass(c_type, ctypes.Array) else c_type)
        for one, c_type, *_ in structure._fields_
    ]
    assert ours == fields(definition(f"struct {name}", r"\n\};"))


def test_an_event_has_the_same_fields_on_both_sides() -> None:
    native = fields(definition("struct TraceEvent", r"\n\};"))
    assert [one for one, _ in native] == list(EVENT.names or ())
    sizes = [EVENT[one].itemsize for one in EVENT.names or ()]
    assert [ctypes.sizeof(c_type) for _, c_type in native] == sizes
