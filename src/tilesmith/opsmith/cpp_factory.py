"""The program factory of the C++ tree."""

from __future__ import annotations

from collections.abc import Iterator

from tilesmith.opsmith.emit_cpp import cpp, cpp_word
from tilesmith.opsmith.expressions import Attribute, Local, Number, Size
from tilesmith.opsmith.model import (
    Argument,
    CircularBufferPlan,
    KernelPlan,
    KernelRole,
    OpSpec,
    PageKind,
    ParameterCategory,
    Source,
)
from tilesmith.opsmith.stubs import kernel_path

_COMPUTE_FIELDS = ("math_fidelity", "fp32_dest_acc_en", "dst_full_sync_en", "math_approx_mode")


def factory_values(spec: OpSpec) -> dict[str, object]:
    """What the template of the program factory needs."""
    first = spec.tensors[0]
    device = f"{first.name}[0]" if first.category is ParameterCategory.TENSORS else first.name
    return {
        "taken": list(_taken(spec)),
        "units": cpp(spec.work.total),
        "factory_device": f"{device}.device()",
        "buffers": [_buffer(cb) for cb in spec.cbs],
        "kernels": [_kernel(spec, one) for one in spec.kernels],
        "packs": any(
            argument.packed for kernel in spec.kernels for argument in (*kernel.compile_time, *kernel.runtime)
        ),
    }


def _taken(spec: OpSpec) -> Iterator[str]:
    for tensor in spec.tensors:
        yield f"const auto& {tensor.name} = tensor_args.{tensor.name};"
    if len(spec.outputs) > 1:
        for number, output in enumerate(spec.outputs):
            yield f"const auto& {output.name} = std::get<{number}>(outputs);"
    elif spec.outputs[0].name != "output":
        yield f"const auto& {spec.outputs[0].name} = output;"


def _format(cb: CircularBufferPlan) -> str:
    dtype = cpp_word(cb.dtype) if cb.dtype else f"{cb.tensor}.dtype()"
    return f"datatype_to_dataformat_converter({dtype})"


def _buffer(cb: CircularBufferPlan) -> dict[str, object]:
    form = _format(cb)
    if cb.page_bytes is not None:
        page = cpp(cb.page_bytes)
    elif cb.page is PageKind.TILE:
        page = f"tt::tile_size({form})"
    else:
        page = f"{cb.tensor}.buffer()->aligned_page_size()"
    return {"purpose": cb.purpose or cb.name, "arguments": [cb.name, "all_cores", form, page, cpp(cb.pages)]}


def _kernel(spec: OpSpec, kernel: KernelPlan) -> dict[str, object]:
    role = kernel.role.value
    return {
        "role": role,
        "path": kernel_path(spec.name, kernel.role),
        "config": _config(spec, kernel.role),
        "compile_time": [_compile_time(spec, role, one) for one in kernel.compile_time],
        "runtime": list(_runtime(spec, role, kernel, "")),
        "cached_config": _cached_config(spec, kernel.role),
        "cached_runtime": list(_runtime(spec, role, kernel, "->address()")),
        "addresses": list(_addresses(role, kernel)),
    }


def _config(spec: OpSpec, role: KernelRole) -> str:
    if role is not KernelRole.COMPUTE:
        return "ReaderConfigDescriptor{}" if role is KernelRole.READER else "WriterConfigDescriptor{}"
    return f"ComputeConfigDescriptor{{{', '.join(_compute(spec))}}}"


def _cached_config(spec: OpSpec, role: KernelRole) -> str:
    if role is not KernelRole.COMPUTE:
        return f"{role.value.capitalize()}DataMovementConfig({role.value}_compile_time_args)"
    return f"ComputeConfig{{{', '.join([*_compute(spec), '.compile_args = compute_compile_time_args'])}}}"


def _compute(spec: OpSpec) -> list[str]:
    """Initialisers in the order in which the vendor declares the fields, as C++ asks for."""
    chosen = dict(spec.compute)
    return [
        f".{key} = {chosen[key].replace('.', '::') if 'Fidelity' in chosen[key] else chosen[key].lower()}"
        for key in _COMPUTE_FIELDS
        if key in chosen
    ]


def _compile_time(spec: OpSpec, role: str, argument: Argument) -> str:
    if argument.source is Source.ACCESSOR:
        return f"TensorAccessorArgs(*{argument.tensor}.buffer()).append_to({role}_compile_time_args);"
    return f"{role}_compile_time_args.push_back({_word(spec, argument)});"


def _runtime(spec: OpSpec, role: str, kernel: KernelPlan, address: str) -> Iterator[str]:
    """Buffers themselves in a descriptor, which binds them; their addresses otherwise."""
    for entry in kernel.runtime:
        owner = entry.tensor.removesuffix("[0]")
        if entry.source is Source.ADDRESS and owner != entry.tensor:
            yield f"for (const auto& each : {owner}) {{"
            yield f"    {role}_args.push_back(each.buffer(){address});"
            yield "}"
        elif entry.source is Source.ADDRESS:
            yield f"{role}_args.push_back({owner}.buffer(){address});"
        else:
            yield f"{role}_args.push_back({_word(spec, entry)});"


def _addresses(role: str, kernel: KernelPlan) -> Iterator[str]:
    """The runtime arguments that differ from call to call of one program."""
    for index, entry in enumerate(kernel.runtime):
        owner = entry.tensor.removesuffix("[0]")
        if entry.source is Source.ADDRESS and owner != entry.tensor:
            yield f"for (uint32_t i = 0; i < {owner}.size(); ++i) {{"
            yield f"    {role}_args[{index} + i] = {owner}[i].buffer()->address();"
            yield "}"
        elif entry.source is Source.ADDRESS:
            yield f"{role}_args[{index}] = {owner}.buffer()->address();"


def _word(spec: OpSpec, argument: Argument) -> str:
    """A formula as a 32-bit word."""
    value = argument.value
    assert value is not None
    buffer = next((cb for cb in spec.cbs if isinstance(value, Number) and cb.index == value.value), None)
    if buffer is not None and buffer.name.removeprefix("cb_") in argument.name:
        return buffer.name
    if isinstance(value, Local | Size):
        return cpp(value)
    if not isinstance(value, Attribute):
        return f"static_cast<uint32_t>({cpp(value)})"
    parameter = next(one for one in spec.parameters if one.name == value.name)
    if argument.packed:
        return f"packed({cpp(value)})"
    if parameter.python_type == "float":
        return f"std::bit_cast<uint32_t>({cpp(value)})"
    if parameter.python_type == "str":
        tests = [f"{cpp(value)} == {one} ? {i}" for i, one in enumerate(parameter.choices[:-1])]
        last = len(parameter.choices) - 1
        return f"static_cast<uint32_t>({' : '.join([*tests, str(last)])})"
    return f"static_cast<uint32_t>({cpp(value)})"
