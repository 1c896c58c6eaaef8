"""Stage 6 kernels: data goes through them unchanged, as far as pages of inputs fit pages of outputs.

All kernels go through the circular buffers in one order, unit after unit: those the reader fills first, then
what stays inside compute, then what leaves it. A push waits at most for a pop of the unit before, a wait for
the push of the same unit, and both come earlier in that order: whatever the spec says, stubs cannot deadlock.
"""

from __future__ import annotations

from dataclasses import dataclass

from tilesmith.opsmith.expressions import Expression, Local, Number
from tilesmith.opsmith.model import CircularBufferPlan, KernelPlan, KernelRole, OpSpec, Source
from tilesmith.opsmith.passthrough import DataPath, Transfer, data_path
from tilesmith.opsmith.rendering import render


@dataclass(frozen=True)
class _Step:
    """What a stub does with a circular buffer."""

    cb: str
    pages: str
    fills: bool
    empties: bool
    once: bool
    tensor: str = ""  # read from or written to
    first: str = ""  # its first page for a unit
    source: str = ""  # the buffer it is copied from
    source_pages: str = ""
    kept: bool = False  # until the end of the unit, because others are copied from it


@dataclass(frozen=True)
class _Read:
    """How a kernel reads an argument."""

    name: str
    category: str
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
    path = data_path(spec)
    return {kernel_path(spec.name, kernel.role): _stub(spec, kernel, path) for kernel in spec.kernels}


def _stub(spec: OpSpec, kernel: KernelPlan, path: DataPath) -> str:
    known = _known(kernel)
    steps = [step for cb in sorted(spec.cbs, key=_order) for step in [_step(cb, kernel, path, known)] if step]
    used = {one for step in steps for one in (step.cb, step.source)}
    named = {one.name for one in _arguments(kernel)}
    return render(
        "kernels/stub.cpp.j2",
        spec=spec,
        role=kernel.role.value,
        compute=kernel.role is KernelRole.COMPUTE,
        function=kernel.function or f"the {kernel.role.value} kernel",
        arguments=_arguments(kernel),
        constants=[(cb.name, cb.index) for cb in spec.cbs if cb.name in used and cb.name not in named],
        tensors=_tensors(kernel, {step.tensor for step in steps}),
        moves=any(step.tensor for step in steps),
        copies=[step for step in steps if step.source],
        once=[step for step in steps if step.once],
        each=[step for step in steps if not step.once],
        units=known[Local("units")],
    )


def _order(cb: CircularBufferPlan) -> int:
    if cb.producer is KernelRole.READER:
        return 0
    return 1 if cb.producer is cb.consumer is KernelRole.COMPUTE else 2


def _known(kernel: KernelPlan) -> dict[Expression, str]:
    """Values the kernel has, by the names of their arguments."""
    return {one.value: one.name for one in (*kernel.compile_time, *kernel.runtime) if one.value is not None}


def _step(
    cb: CircularBufferPlan, kernel: KernelPlan, path: DataPath, known: dict[Expression, str]
) -> _Step | None:
    fills, empties = cb.producer is kernel.role, cb.consumer is kernel.role
    if not fills and not empties:
        return None
    name, pages = _name(cb, known), _pages(cb, known)
    moved = path.read.get(cb.index) if fills else path.written.get(cb.index)
    if moved is not None and kernel.role is not KernelRole.COMPUTE:
        first = _first_page(moved, pages, known)
        return _Step(name, pages, fills, empties, cb.once, _bare(moved.tensor), first)
    copy = next((one for one in path.copied if fills and one.target is cb), None)
    if copy is not None:
        source, count = _name(copy.source, known), _pages(copy.source, known)
        return _Step(name, pages, fills, empties, cb.once, source=source, source_pages=count)
    kept = empties and any(one.source is cb for one in path.copied)
    return _Step(name, pages, fills, empties, cb.once, kept=kept)


def _name(cb: CircularBufferPlan, known: dict[Expression, str]) -> str:
    argument = known.get(Number(cb.index), "")
    return argument if cb.name.removeprefix("cb_") in argument else cb.name


def _pages(cb: CircularBufferPlan, known: dict[Expression, str]) -> str:
    return str(cb.block.value) if isinstance(cb.block, Number) else known[cb.block]


def _first_page(moved: Transfer, pages: str, known: dict[Expression, str]) -> str:
    """Of a unit; empty where every page of the buffer gets the first page of the tensor."""
    start = known.get(Local("first"))
    if not moved.each or start is None:
        return ""
    return f"{start} + unit" if pages == "1" else f"({start} + unit) * {pages}"


def _bare(tensor: str) -> str:
    return tensor.removesuffix("[0]")


def _tensors(kernel: KernelPlan, used: set[str]) -> list[tuple[str, str, str]]:
    """Each tensor that is moved, with the arguments that say where it lies."""
    result = []
    for tensor in sorted(used - {""}):
        words = {
            argument.source: argument.name
            for argument in (*kernel.compile_time, *kernel.runtime)
            if argument.tensor and _bare(argument.tensor) == tensor
        }
        result.append((tensor, words[Source.ACCESSOR], words[Source.ADDRESS]))
    return result


def _arguments(kernel: KernelPlan) -> list[_Read]:
    """Each argument with how a kernel reads it; accessors behind an accessor start where it ends."""
    result: list[_Read] = []
    offset = "0"
    for position, entry in enumerate(kernel.compile_time):
        if entry.source is Source.ACCESSOR:
            result.append(_Read(entry.name, "accessor", f"TensorAccessorArgs<{offset}>()"))
            offset = f"{entry.name}.next_compile_time_args_offset()"
        else:
            index = offset if "(" in offset else str(position)
            result.append(_Read(entry.name, "constant", f"get_compile_time_arg_val({index})"))
            offset = f"{index} + 1" if "(" in offset else str(position + 1)
    for position, entry in enumerate(kernel.runtime):
        result.append(_Read(entry.name, "value", f"get_arg_val<uint32_t>({position})"))
    return result
