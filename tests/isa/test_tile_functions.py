"""The one table of functions on tiles: its headers declare them, and codegen and ops stand on it."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from conformance.simulator.batches import batches
from tests.docs.test_tables import tile_functions_table
from torch.nn import functional

from tilesmith.arch import load_arch
from tilesmith.errors import InternalFault
from tilesmith.isa import sfpu
from tilesmith.isa.cycles import clock_table
from tilesmith.isa.tile_functions import TILE_FUNCTIONS, called_in
from tilesmith.ops.elementwise import binary_table, unary_table

ROOT = Path(__file__).parents[2]
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


READERS = {
    "codegen": "src/tilesmith/isa/sfpu.py",
    "ops": "src/tilesmith/ops/elementwise/unary_table.py",
    "conformance": "conformance/simulator/calls.py",
}


@pytest.mark.parametrize("name", ["sin_tile", "exp_tile", "floor_tile"])
def test_an_entry_that_is_gone_breaks_all_who_read_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(TILE_FUNCTIONS, name)
    for file in READERS.values():
        with pytest.raises(InternalFault, match=f"{name} is not in isa/tile_functions.py"):
            runpy.run_path(str(ROOT / file))
    for chip in ("wormhole", "blackhole"):
        with pytest.raises(InternalFault, match="has cycles in the arch data"):
            clock_table(load_arch(chip))
    with pytest.raises(InternalFault, match="has cycles in the arch data"):
        tile_functions_table()


def test_an_entry_without_cycles_that_is_gone_is_missed_in_the_docs(monkeypatch: pytest.MonkeyPatch) -> None:
    page = tile_functions_table()
    monkeypatch.delitem(TILE_FUNCTIONS, "tan_tile")
    assert tile_functions_table() != page


DECLARED = r"(?:template\s*<([^;{{}}]*?)>\s*)?ALWI\s+\w+\s+{name}\((.*?)\)\s*\{{(.*?)\n\}}"


def declaration(name: str) -> tuple[list[str], list[str], list[str]]:
    """In the emulator's header: template parameters without defaults, parameters, names of the clock."""
    text = (INCLUDE / TILE_FUNCTIONS[name].header).read_text()
    found = re.search(DECLARED.format(name=name), text, re.DOTALL)
    if found is None:
        pytest.skip("declared in a helper, or by a macro")
    wanted = [one.strip() for one in (found[1] or "").split(",") if one.strip() and "=" not in one]
    clocks = [one.split(":")[-1] for one in re.findall(r'"([a-z_0-9:]+)"', found[3])]
    return wanted, [one.strip() for one in found[2].split(",")], clocks


@pytest.mark.parametrize("name", TILE_FUNCTIONS)
def test_the_header_has_its_templates_tiles_and_clock(name: str) -> None:
    function = TILE_FUNCTIONS[name]
    wanted, parameters, clocks = declaration(name)
    assert ", ".join(one.split()[0] for one in wanted) == function.template
    read = [one for one in parameters if re.search(r"\b(idst\d?|idst_in|idst_out|dst_\w+_idx)$", one)]
    assert len(read) == function.tiles
    assert not clocks or function.clock in clocks
    assert (INCLUDE / function.old_header).exists()


SAMPLES = np.linspace(0.05, 0.95, 64).reshape(8, 8)
_OF_TORCH = (
    "abs acos asin asinh atan atanh ceil cos cosh digamma erf erfc erfinv exp exp2 expm1 floor frac log log1p"
    " rsqrt sigmoid sign sin sinh sqrt square tan tanh trunc"
)
TORCH: dict[str, Callable[..., torch.Tensor]] = {
    **{name: getattr(torch, name) for name in _OF_TORCH.split()},
    **{name: getattr(functional, name) for name in ("gelu", "hardsigmoid", "mish", "relu", "silu")},
    "softsign": functional.softsign,
    "i0": torch.special.i0,
    "i1": torch.special.i1,
    "tanhshrink": functional.tanhshrink,
}
WITH: dict[str, tuple[tuple[float, ...], Callable[..., torch.Tensor]]] = {
    "celu": ((2.0, 0.5), lambda x: functional.celu(x, 2.0)),
    "clamp": ((0.2, 0.7), lambda x: x.clamp(0.2, 0.7)),
    "elu": ((1.5,), lambda x: functional.elu(x, 1.5)),
    "hardshrink": ((0.5,), functional.hardshrink),
    "heaviside": ((0.5,), lambda x: torch.heaviside(x, torch.tensor(0.5, dtype=x.dtype))),
    "leaky_relu": ((0.1,), lambda x: functional.leaky_relu(x, 0.1)),
    "power": ((1.7,), lambda x: x**1.7),
    "rpow": ((2.5,), lambda x: 2.5**x),
    "selu": ((1.0507009873554805, 1.6732632423543772), functional.selu),
    "softplus": ((1.0, 1.0, 20.0), functional.softplus),
    "softshrink": ((0.5,), functional.softshrink),
    "threshold": ((0.5, 7.0), lambda x: functional.threshold(x, 0.5, 7.0)),
}


POSITIVE = ("acos", "asin", "atanh", "digamma", "erfinv", "log", "log1p", "power", "rsqrt", "sqrt")


@pytest.mark.parametrize("name", [*TORCH, *WITH])
def test_the_meaning_is_that_of_torch(name: str) -> None:
    parameters, function = WITH.get(name, ((), TORCH.get(name)))
    assert function is not None
    x = SAMPLES if name in POSITIVE else SAMPLES * 6 - 3
    made = TILE_FUNCTIONS[f"{name}_tile"].reference(x, *parameters)
    np.testing.assert_allclose(made, function(torch.from_numpy(x)).numpy(), rtol=1e-7, atol=1e-9)


def test_the_cases_for_the_simulator_have_the_same_headers() -> None:
    calls = [call for batch in batches() for call in batch.calls]
    names = [[name for name in re.findall(CALLED, call.text) if name[-5:] != "_init"] for call in calls]
    known = [one for one in zip(calls, names, strict=True) if set(one[1]) <= set(TILE_FUNCTIONS) and one[1]]
    for call, functions in known:
        assert f"api/compute/{call.header}" in {TILE_FUNCTIONS[name].header for name in functions}
    assert len({name for _, functions in known for name in functions}) > 140
