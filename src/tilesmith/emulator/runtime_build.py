"""How the C++ runtime is built. Imports only the builder, so that installing the package can use it."""

from __future__ import annotations

from pathlib import Path

from tilesmith.toolchain import Job

INCLUDE = Path(__file__).with_name("include")
_NATIVE = Path(__file__).with_name("native")
_STAND_IN = Path(__file__).with_name("zig") / "library.cpp"
# Used once per run; the rest is used at every API call.
_SET_UP = ("deadlock", "faults", "fiber", "host", "report")
# Nothing may stand in for the runtime's own functions, so they can be inlined and called directly.
_DIRECT_CALLS = ("-fno-semantic-interposition", "-fno-plt")
_FLAGS = ("-O3", "-march=native", "-fno-exceptions", "-fno-rtti", "-fno-math-errno", "-w", *_DIRECT_CALLS)


def runtime_job() -> Job:
    """How to build the runtime. Files compiled together read the headers once and can inline each other."""
    groups: dict[str, list[Path]] = {}
    for path in sorted(_NATIVE.rglob("*.cpp")):
        groups.setdefault(_group(path), []).append(path)
    units = ((f"{name}.unity.cpp", _unity(paths)) for name, paths in groups.items())
    return Job(
        tuple(units),
        (_NATIVE, INCLUDE),
        _FLAGS,
        link=("-Wl,-Bsymbolic",),
        unit_flags=(("set_up.unity.cpp", "-O1"), ("sfpu.unity.cpp", "-ffp-contract=off")),
        title="the emulator's runtime",
        stand_in=_STAND_IN,
    )


def _group(path: Path) -> str:
    if path.parent != _NATIVE:
        return path.parent.name
    return "set_up" if path.stem in _SET_UP else "running"


def _unity(sources: list[Path]) -> str:
    """By their place in the package: wherever that is installed, the text is the same."""
    return "".join(f'#include "{path.relative_to(_NATIVE)}"\n' for path in sources)
