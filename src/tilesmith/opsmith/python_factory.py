"""factories.py of a generated op."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tilesmith.opsmith.emit_python import PythonText, word
from tilesmith.opsmith.evaluate import children
from tilesmith.opsmith.expressions import Attribute, Expression, Local, Number
from tilesmith.opsmith.layout import WIDTH, call, imports
from tilesmith.opsmith.model import (
    Argument,
    CircularBufferPlan,
    KernelPlan,
    KernelRole,
    OpSpec,
    PageKind,
    Parameter,
    ParameterCategory,
    Source,
)
from tilesmith.opsmith.rendering import render
from tilesmith.opsmith.stubs import kernel_path

OWN = PythonText("self.")
_NO_PROGRAM = 'f"{}: the program factory is empty: {{tensors}} tensors, {{attrs}} (stage 5)"'
_NO_KERNELS = 'f"{}: {{len(buffers)}} buffers on {{cores}} cores, no kernel yet (stage 6)"'
_BITS = "int(np.float32({}).view(np.uint32))"


def factory_file(spec: OpSpec, stage: int) -> str:
    """The file at a stage: 4 makes nothing, 5 shares work and places buffers, 6 has kernels."""
    buffers = [_buffer(cb) for cb in spec.cbs] if stage >= 5 else []
    kernels = [_kernel(spec, one) for one in spec.kernels] if stage >= 6 else []
    work = _work(spec) if stage >= 5 else []
    placed = [line for one in buffers for line in one.lines]
    run = [line for one in kernels for line in (*one.compile_time, *one.runtime, one.config)]
    text = "\n".join([*work, *placed, *run])
    attributes = f"{spec.pascal}Attributes"
    given = [f"attrs: {attributes}", "inputs: Sequence[Tensor]", "outputs: Sequence[Tensor]"]
    parts = ["index: int", "cores: CoreRangeSet", "data_format: DataFormat", "page_size: int", "pages: int"]
    outputs = [one.name for one in spec.outputs]
    return render(
        "python/factories.py.j2",
        spec=spec,
        stage=stage,
        contents=", ".join(["work", "circular buffers", "kernels"][: stage - 3])
        if stage >= 5
        else "none yet",
        imports=_imports(spec, stage, text),
        fields=[*(_field(one) for one in spec.tensors), *(f"{one}: Tensor" for one in outputs)],
        work=work,
        buffers=buffers,
        kernels=kernels,
        buffer_signature=call("def _buffer", parts, " -> CircularBuffer:", 0),
        create_signature=call("def create_program", given, " -> Program:", 0),
        no_program=call("raise OperationError", [_NO_PROGRAM.format(spec.name)], "", 4),
        no_kernels=call("raise OperationError", [_NO_KERNELS.format(spec.name)], "", 8),
        taken=_unpacked([f"*{one.name}" if _is_list(one) else one.name for one in spec.tensors]),
        given=_unpacked(outputs),
        handed=", ".join([*(one.name for one in spec.tensors), *outputs]),
    )


def _is_list(parameter: Parameter) -> bool:
    return parameter.category is ParameterCategory.TENSORS


def _field(parameter: Parameter) -> str:
    return f"{parameter.name}: {'Sequence[Tensor]' if _is_list(parameter) else 'Tensor'}"


def _unpacked(names: list[str]) -> str:
    return f"({names[0]},)" if len(names) == 1 else ", ".join(names)


def _imports(spec: OpSpec, stage: int, text: str) -> list[str]:
    program = {"Program"}
    if stage >= 5:
        program |= {"CBFormat", "CircularBuffer", "CoreRangeSet"}
    if stage >= 6:
        configs = ("ComputeConfig", "MathFidelity", "ReaderConfig", "WriterConfig")
        program |= {"Kernel"} | {one for one in configs if one in text}
    ours = {
        "tilesmith.errors": {"OperationError"} if stage < 6 else set(),
        "tilesmith.formats": ({"DataFormat"} if stage >= 5 else set())
        | {one for one in ("pack_two_bfloat16_into_uint32", "tile_bytes") if f"{one}(" in text},
        "tilesmith.ops.building": {"Work", "deal_out"} if stage >= 5 else set(),
        "tilesmith.ops.framework": {"FunctionFactory"},
        "tilesmith.ops.sizes": {"sizes"} if "sizes(" in text else set(),
        "tilesmith.program": program,
        "tilesmith.runtime": {"Tensor"} | ({"TensorAccessorArgs"} if "TensorAccessorArgs" in text else set()),
    }
    numpy = ["import numpy as np"] if "np." in text else []
    own = imports({".attributes": {f"{spec.pascal}Attributes"}})
    return ["", *numpy, *imports(ours), "", *own]


def _work(spec: OpSpec) -> list[str]:
    first = spec.tensors[0]
    device = f"self.{first.name}{'[0]' if _is_list(first) else ''}.device"
    arguments = [device, OWN.expression(spec.work.total)]
    if spec.work.grid is not None:
        arguments.append(f"grid={spec.work.grid}")
    return call("return deal_out", arguments, "", 8)


@dataclass(frozen=True)
class _Buffer:
    purpose: str
    lines: list[str]


@dataclass(frozen=True)
class _Kernel:
    role: str
    path: str
    doc: list[str]
    config: str
    compile_time: list[str]
    runtime: list[str]


def _buffer(cb: CircularBufferPlan) -> _Buffer:
    form = _format(cb)
    arguments = [cb.name.upper(), "cores", form, _page(cb, form), f"pages={OWN.expression(cb.pages)}"]
    purpose = cb.purpose.strip() or cb.name
    return _Buffer(purpose[: WIDTH - 14], call("_buffer", arguments, ",", 12))


def _tensor(name: str) -> str:
    return f"self.{name}"


def _format(cb: CircularBufferPlan) -> str:
    return word(cb.dtype) if cb.dtype else f"{_tensor(cb.tensor)}.dtype"


def _page(cb: CircularBufferPlan, form: str) -> str:
    if cb.page_bytes is not None:
        return OWN.expression(cb.page_bytes)
    if cb.page is PageKind.TILE:
        return f"tile_bytes({form})"
    return f"{_tensor(cb.tensor)}.aligned_page_size"


def _kernel(spec: OpSpec, kernel: KernelPlan) -> _Kernel:
    bound = ", ".join(
        word if any(_mentions(arg.value, word) for arg in kernel.runtime) else f"_{word}"
        for word in ("first", "units")
    )
    compile_time = [_value(spec, one) for one in kernel.compile_time]
    runtime = [_value(spec, one) for one in kernel.runtime]
    return _Kernel(
        kernel.role.value,
        kernel_path(spec.name, kernel.role),
        _doc(kernel),
        _config(spec, kernel),
        _list_lines("compile_time_args=", compile_time),
        _runtime_lines(runtime, bound),
    )


def _doc(kernel: KernelPlan) -> list[str]:
    text = (kernel.function or f"The {kernel.role.value} kernel").strip().rstrip(".")
    return [f'"""{text[: WIDTH - 15]}."""']


def _config(spec: OpSpec, kernel: KernelPlan) -> str:
    if kernel.role is not KernelRole.COMPUTE:
        return "ReaderConfig()" if kernel.role is KernelRole.READER else "WriterConfig()"
    chosen = [f"{key}={value}" for key, value in spec.compute]
    return f"ComputeConfig({', '.join(chosen)})"


def _list_lines(head: str, items: list[str]) -> list[str]:
    together = f"{head}[{', '.join(items)}],"
    if 12 + len(together) <= WIDTH:
        return [together]
    return [f"{head}[", *(f"    {one}," for one in items), "],"]


def _runtime_lines(items: list[str], bound: str) -> list[str]:
    comma = "," if len(items) == 1 else ""
    tail = f"for core, ({bound}) in work.shares.items()"
    together = f"runtime_args={{core: ({', '.join(items)}{comma}) {tail}}},"
    if 12 + len(together) <= WIDTH:
        return [together]
    inner = f"core: ({', '.join(items)}{comma})"
    if 16 + len(f"{inner} {tail}") <= WIDTH:
        return ["runtime_args={", f"    {inner} {tail}", "},"]
    if 16 + len(inner) <= WIDTH:
        return ["runtime_args={", f"    {inner}", f"    {tail}", "},"]
    values = [f"        {one}," for one in items]
    return ["runtime_args={", "    core: (", *values, "    )", f"    {tail}", "},"]


def _value(spec: OpSpec, argument: Argument) -> str:
    """An argument as the factory writes it."""
    owner = argument.tensor.removesuffix("[0]")
    listed = argument.tensor != owner
    match argument.source:
        case Source.ACCESSOR:
            return f"*TensorAccessorArgs({_tensor(argument.tensor)}).get_compile_time_args()"
        case Source.ADDRESS if listed:
            return f"*(one.address for one in {_tensor(owner)})"
        case Source.ADDRESS:
            return f"{_tensor(owner)}.address"
        case Source.FORMULA:
            assert argument.value is not None
            return _word_of(spec, argument)


def _word_of(spec: OpSpec, argument: Argument) -> str:
    """A formula as a 32-bit word."""
    value = argument.value
    assert value is not None
    buffer = next((cb for cb in spec.cbs if isinstance(value, Number) and cb.index == value.value), None)
    if buffer is not None and buffer.name.removeprefix("cb_") in argument.name:
        return buffer.name.upper()
    text = OWN.expression(value)
    if not isinstance(value, Attribute):
        return text
    parameter = next(one for one in spec.parameters if one.name == value.name)
    if argument.packed:
        return f"pack_two_bfloat16_into_uint32(({text}, {text}))"
    if parameter.python_type == "float":
        return _BITS.format(text)
    if parameter.python_type == "str":
        return f"({', '.join(parameter.choices)}).index({text})"
    return f"int({text})" if parameter.python_type == "bool" else f"{text} & 0xFFFFFFFF"


def _mentions(expression: Expression | None, name: str) -> bool:
    if expression is None:
        return False
    return expression == Local(name) or any(_mentions(one, name) for one in children(expression))


def argument_names(kernel: KernelPlan) -> Iterator[str]:
    """For the log: what a kernel is given."""
    yield ", ".join(one.name for one in kernel.compile_time) or "none"
    yield ", ".join(one.name for one in kernel.runtime) or "none"
