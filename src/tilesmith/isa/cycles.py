"""What functions on tiles cost, and where the figure is from: the arch data, read by function."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from tilesmith.arch import Arch
from tilesmith.errors import InternalFault
from tilesmith.isa.tile_functions import TILE_FUNCTIONS, TileFunction

_VARIANTS = ("_approx", "_tanh")
_OTHERS = ("addcmul", "ema")
"""Costs of functions that neither the compiler nor an operation calls."""
_ROW = re.compile(r"^(\w+) = (\d+)\s+# (.*)$", re.MULTILINE)


def clock_table(arch: Arch) -> dict[str, int]:
    """The costs that the emulator's clock is given, by the name its headers call them."""
    known = {function.clock for function in TILE_FUNCTIONS.values()} | set(_OTHERS)
    for name in arch.timing.sfpu.cycles:
        if _without_variant(name) not in known:
            raise InternalFault(f"{name} has cycles in the arch data, and is not in isa/tile_functions.py")
    return dict(arch.timing.sfpu.cycles)


def _without_variant(name: str) -> str:
    for variant in _VARIANTS:
        name = name.removesuffix(variant)
    return name


def cycles_of(function: TileFunction, arch: Arch) -> int:
    """Of one tile; what no row names costs what most functions do."""
    return clock_table(arch).get(function.clock, arch.timing.sfpu.default)


def source_of(function: TileFunction, arch: Arch) -> str:
    """Where the figure is from, as the arch data says."""
    return _sources(arch.family).get(function.clock, "default")


@cache
def _sources(family: str) -> dict[str, str]:
    text = files("tilesmith.arch").joinpath(f"{family}.toml").read_text(encoding="utf-8")
    rows = text.split("[timing.sfpu.cycles]", 1)[1].split("\n[", 1)[0]
    return {name: source for name, _, source in _ROW.findall(rows)}
