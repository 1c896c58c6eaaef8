"""Stage 6 kernels: they move no data, but every circular buffer sees its pages come and go.

All kernels go through the circular buffers in the order of the spec's table, unit after unit. A push waits at
most for the pop of the unit before, a wait for the push of the same unit, and both come earlier in that one
order: whatever the spec says, stubs cannot deadlock.
"""

from __future__ import annotations

from dataclasses import dataclass

from tilesmith.opsmith.expressions import Expression, Local, Number
from tilesmith.opsmith.model import CircularBufferPlan, KernelPlan, KernelRole, OpSpec, Source
from tilesmith.opsmith.rendering import render


@dataclass(frozen=True)
class _Step:
    """What a stub does with a circular buffer."""

    cb: str
    pages: str
    fills: bool
    empties: bool
    once: bool


@dataclass(frozen=True)
class _Read:
    """How a kernel reads an argument."""

    name: str
    kind: str
    text: str


def kernel_path(name: str, role: KernelRole) -> str:
    """Where a kernel's file is in the kernels folder.

    >>> kernel_path("stack", KernelRole.READER)
    'dataflow/reader_stack.cpp'
    """
    if role is KernelRole.COMPUTE:
        return f"compute/{name}_compute.cpp"
    return f"dataflow/{role.value}_{name}.cpp"


def stub_files(spec: OpSpec) -> dict[str, str]:
    """The stub of every kernel, by its path."""
    return {kernel_path(spec.name, kernel.role): _stub(spec, kernel) for kernel in spec.kernels}


def _stub(spec: OpSpec, kernel: KernelPlan) -> str:
    known = _known(kernel)
    steps = [step for cb in spec.cbs for step in [_step(cb, kernel, known)] if step]
    used = {step.cb for step in steps}
    named = {one.name for one in _arguments(kernel)}
    return render(
        "kernels/stub.cpp.j2",
        spec=spec,
        role=kernel.role.value,
        compute=kernel.role is KernelRole.COMPUTE,
        function=kernel.function or f"the {kernel.role.value} kernel",
        arguments=_arguments(kernel),
        constants=[(cb.name, cb.index) for cb in spec.cbs if cb.name in used and cb.name not in named],
        once=[step for step in steps if step.once],
        each=[step for step in steps if not step.once],
        units=known[Local("units")],
    )


def _known(kernel: KernelPlan) -> dict[Expression, str]:
    """Values the kernel has, by the names of their arguments."""
    return {one.value: one.name for one in (*kernel.compile_time, *kernel.runtime) if one.value is not None}


def _step(cb: CircularBufferPlan, kernel: KernelPlan, known: dict[Expression, str]) -> _Step | None:
    fills, empties = cb.producer is kernel.role, cb.consumer is kernel.role
    if not fills and not empties:
        return None
    argument = known.get(Number(cb.index), "")
    name = argument if cb.name.removeprefix("cb_") in argument else cb.name
    pages = str(cb.block.value) if isinstance(cb.block, Number) else known[cb.block]
    return _Step(name, pages, fills, empties, cb.once)


def _arguments(kernel: KernelPlan) -> list[_Read]:
    """Each argument with how a kernel reads it; accessors behind an accessor start where it ends."""
    made: list[_Read] = []
    offset = "0"
    for position, one in enumerate(kernel.compile_time):
        if one.source is Source.ACCESSOR:
            made.append(_Read(one.name, "accessor", f"TensorAccessorArgs<{offset}>()"))
            offset = f"{one.name}.next_compile_time_args_offset()"
        else:
            index = offset if "(" in offset else str(position)
            made.append(_Read(one.name, "constant", f"get_compile_time_arg_val({index})"))
            offset = f"{index} + 1" if "(" in offset else str(position + 1)
    for position, one in enumerate(kernel.runtime):
        made.append(_Read(one.name, "value", f"get_arg_val<uint32_t>({position})"))
    return made
