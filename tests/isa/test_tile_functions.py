"""The one table of functions on tiles: its headers declare them, and codegen and ops stand on it."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from benchmarks.simulator.batches import batches

from tilesmith.errors import InternalFault
from tilesmith.isa import sfpu
from tilesmith.isa.tile_functions import TILE_FUNCTIONS, called_in
from tilesmith.ops.elementwise import binary_table, unary_table

SOURCE = Path(sfpu.__file__).parents[1]
CALLED = r"\b([a-z]\w*)(?:<[^;>]*>)?\("
INCLUDE = SOURCE / "emulator" / "include"
RECIPROCAL = Path(sfpu.__file__).with_name("exact_recip.hpp").read_text()
HELPERS = "log2_tile"  # of ops/elementwise/kernels/steps.hpp


@pytest.mark.parametrize("name", TILE_FUNCTIONS)
def test_the_header_declares_the_function_and_its_init(name: str) -> None:
    function = TILE_FUNCTIONS[name]
    text = (INCLUDE / function.header).read_text() + RECIPROCAL
    for included in re.findall(r'#include "(ts/[^"]+|api/[^"]+)"', text):
        text += (INCLUDE / included).read_text()
    assert re.search(rf"\b{name}\b", text)
    init = function.init.partition("(")[0].removesuffix("<>")
    assert re.search(rf"\b{init}\b", text)


def texts() -> list[str]:
    """Every call of the compiler and of the elementwise operations."""
    unary = [
        one for row in unary_table.UNARY.values() for one in (row.real, row.int32, row.uint32, row.uint16)
    ]
    binary = [
        one
        for row in binary_table.BINARY.values()
        for one in (row.real, row.integer, *(step for _, step in row.own))
    ]
    steps = [one.call for one in (*unary, *binary) if one is not None and not one.call.startswith(HELPERS)]
    return [*steps, *(function.call for function in sfpu.VECTOR_FUNCTIONS.values())]


def test_every_entry_is_used() -> None:
    used = {function.name for text in texts() for function, _ in called_in(text)}
    assert used == set(TILE_FUNCTIONS)


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("sin_tile", ("isa/sfpu.py", "ops/elementwise/unary_table.py")),
        (
            "mul_binary_tile",
            ("isa/sfpu.py", "ops/elementwise/unary_table.py", "ops/elementwise/binary_table.py"),
        ),
        ("where_tile", ("isa/sfpu.py", "ops/elementwise/binary_table.py")),
    ],
)
def test_an_entry_that_is_gone_breaks_all_who_read_it(
    name: str, files: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(TILE_FUNCTIONS, name)
    for file in files:
        with pytest.raises(InternalFault, match=f"{name} is not in isa/tile_functions.py"):
            runpy.run_path(str(SOURCE / file))


def test_the_cases_for_the_simulator_have_the_same_headers() -> None:
    calls = [call for batch in batches() for call in batch.calls]
    names = [[name for name in re.findall(CALLED, call.text) if name[-5:] != "_init"] for call in calls]
    known = [one for one in zip(calls, names, strict=True) if set(one[1]) <= set(TILE_FUNCTIONS) and one[1]]
    for call, functions in known:
        assert f"api/compute/{call.header}" in {TILE_FUNCTIONS[name].header for name in functions}
    assert len({name for _, functions in known for name in functions}) > 140
