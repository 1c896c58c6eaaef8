"""One tt.kernel -> the text of one C++ file."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tilesmith.compiler.codegen import arithmetic, compute, control, dataflow, functions, scalars
from tilesmith.compiler.codegen.cpp import Emitter, Line
from tilesmith.compiler.dialects import tt
from tilesmith.compiler.dialects.tile import location_of

REGISTERED = (arithmetic, compute, control, dataflow, functions, scalars)
"""The modules that say how operations are written; importing them registers it."""

_DOES = {
    "reader": "brings data from DRAM to the core",
    "compute": "works on tiles",
    "writer": "takes results from the core to DRAM",
}
_STARTS = (tt.CBOp, tt.AccessorOp, tt.ArgOp)


def kernel_source(kernel: tt.KernelOp) -> str:
    """The C++ of a kernel: what it includes, what it needs, what it does."""
    e = _written(kernel)
    constants = [f"    constexpr uint32_t {name} = tt::CBIndex::c_{index};" for name, index in _by_index(e)]
    if constants and e.lines:
        constants.append("")
    head = f"// {kernel.sym_name.data}: {_DOES[kernel.role.data]}."
    parts = [
        "\n".join([head, *_includes(e)]),
        *e.helpers.values(),
        "\n".join(["void kernel_main() {", *constants, *e.lines, "}"]),
    ]
    return "\n\n".join(parts) + "\n"


def line_behind(kernel: tt.KernelOp, number: int) -> str:
    """The user's "file:line" that a line of the kernel's C++ was written for; helpers are the kernel's."""
    body = _written(kernel).lines
    lines = kernel_source(kernel).splitlines()
    # The body ends one line above the closing brace, which is the last.
    index = number - 1 - (len(lines) - 1 - len(body))
    line = body[index] if 0 <= index < len(body) else ""
    return (line.at if isinstance(line, Line) else "") or location_of(kernel)


def _written(kernel: tt.KernelOp) -> Emitter:
    e = Emitter(kernel.role.data)
    _write_body(e, kernel)
    hidden = frozenset(e.names.declared & _functions(e))
    if hidden:
        # A variable of the user has the name of a function that is called: write it without these names.
        e = Emitter(kernel.role.data, hidden)
        _write_body(e, kernel)
    return e


def _functions(e: Emitter) -> set[str]:
    """The names of functions and types that the text uses."""
    text = "\n".join([*e.lines, *e.helpers.values()])
    return {*re.findall(r"\b(\w+)(?:<[^;(){}]*>)?\(", text), *re.findall(r"\bstruct (\w+)", text)}


def _write_body(e: Emitter, kernel: tt.KernelOp) -> None:
    """Arguments first, then a gap, then the work."""
    block = kernel.body.block
    for op in block.ops:
        if isinstance(op, _STARTS):
            e.emit(op)
    e.gap()
    for op in block.ops:
        if not isinstance(op, _STARTS):
            e.emit(op)
    while e.lines and not e.lines[-1]:
        e.lines.pop()


def _by_index(e: Emitter) -> list[tuple[str, int]]:
    return sorted(e.cbs.items(), key=lambda item: item[1])


def _includes(e: Emitter) -> Iterable[str]:
    yield from (f"#define {name}" for name in sorted(e.defines))
    system = {"<cstdint>", *(path for path in e.includes if path.startswith("<"))}
    own = {path for path in e.includes if not path.startswith("<")}
    yield from (f"#include {path}" for path in sorted(system))
    if own:
        yield ""
    yield from (f'#include "{path}"' for path in sorted(own))
