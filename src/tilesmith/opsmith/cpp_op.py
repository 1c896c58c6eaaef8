"""The ttnn C++ tree of an op, for 0.81.1: API, device operation, program factory, binding, kernels, CMake."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from tilesmith import settings
from tilesmith.opsmith.calls import mentioned
from tilesmith.opsmith.cpp_factory import factory_values
from tilesmith.opsmith.emit_cpp import cpp, cpp_shape_steps, cpp_word
from tilesmith.opsmith.evaluate import children, used_sizes
from tilesmith.opsmith.expressions import Attribute, Count, ShapePart, Slice
from tilesmith.opsmith.journal import Journal
from tilesmith.opsmith.model import OpSpec, Output, Parameter, ParameterCategory, Requirement
from tilesmith.opsmith.python_op import signature
from tilesmith.opsmith.rendering import render
from tilesmith.opsmith.stubs import stub_files

TREE = "cpp"
_WIDTH = 120
_SHOWN = {"Tensor": "ttnn.Tensor", "std::vector<Tensor>": "List[ttnn.Tensor]", "std::string": "str"}


def folder(spec: OpSpec) -> str:
    """The op's folder below ttnn/cpp, as includes name it."""
    return f"ttnn/operations/{spec.category}/{spec.name}"


class CppStyle(StrEnum):
    """How the program factory is written."""

    DESCRIPTOR = "descriptor"  # a ProgramDescriptor with bound buffers, as 0.81.1 has it
    CACHED = "cached"  # a cached program with shared variables and override_runtime_arguments


def cpp_files(spec: OpSpec, style: CppStyle = CppStyle.DESCRIPTOR) -> dict[str, str]:
    """Every file of the tree, by its path in a tt-metal checkout."""
    factory = "program_factory" if style is CppStyle.DESCRIPTOR else "program_factory_cached"
    values = {"spec": spec, "folder": folder(spec), **_api(spec), **_operation(spec), **factory_values(spec)}
    here, name = f"ttnn/cpp/{folder(spec)}", spec.name
    templates = {
        f"{here}/{name}.hpp": "api.hpp",
        f"{here}/{name}.cpp": "api.cpp",
        f"{here}/{name}_nanobind.hpp": "nanobind.hpp",
        f"{here}/{name}_nanobind.cpp": "nanobind.cpp",
        f"{here}/device/{name}_device_operation_types.hpp": "device_operation_types.hpp",
        f"{here}/device/{name}_device_operation.hpp": "device_operation.hpp",
        f"{here}/device/{name}_device_operation.cpp": "device_operation.cpp",
        f"{here}/device/{name}_program_factory.hpp": f"{factory}.hpp",
        f"{here}/device/{name}_program_factory.cpp": f"{factory}.cpp",
        f"{here}/sources.cmake": "sources.cmake",
        "integration.md": "integration.md",
    }
    files = {path: _wrapped(render(f"cpp/{one}.j2", **values)) for path, one in templates.items()}
    return files | {f"{here}/device/kernels/{path}": text for path, text in stub_files(spec).items()}


def kernels_in_tree(spec: OpSpec, kernels: Mapping[str, str]) -> dict[str, str]:
    """Kernels by their path in the op's folder."""
    here = f"{TREE}/ttnn/cpp/{folder(spec)}/device/kernels"
    return {f"{here}/{path}": text for path, text in kernels.items()}


def write_tree(journal: Journal, spec: OpSpec, wheel: Path | None, style: CppStyle) -> None:
    """Write the tree into the op's folder and, given a wheel (or the setting), check every name."""
    from tilesmith.opsmith.stages import write_files
    from tilesmith.opsmith.wheel import check_tree

    files = {f"{TREE}/{path}": text for path, text in cpp_files(spec, style).items()}
    write_files(journal, 0, files, f"--cpp-style {style.value}")
    configured = settings.current().ttnn_wheel
    if wheel is not None or configured:
        unknown = check_tree(journal.folder / TREE, wheel or Path(configured))
        problem = "; ".join(map(str, unknown))
        journal.add(
            "build", 0, command="names of the C++ tree in the wheel", green=not unknown, error=problem
        )


def _wrapped(text: str) -> str:
    """Declarations that are too long for a line get one parameter to a line."""
    return "\n".join(line for one in text.splitlines() for line in _lines(one)) + "\n"


def _lines(line: str) -> Iterator[str]:
    if len(line) <= _WIDTH or line.lstrip().startswith("//"):
        yield line
        return
    margin = line[: len(line) - len(line.lstrip())]
    found = re.fullmatch(r"\s*([^\"]*?\w)\(([^()]*(?:\([^()]*\)[^()]*)*)\)(;| \{)", line)
    if found is None or " && " in line or " || " in line:
        # Conditions break before an operator, initialisers behind a comma.
        parts = re.split(r"(?= && | \|\| )|(?<=,)(?= \.)", line)
        yield parts[0]
        yield from (f"{margin}    {one.strip()}" for one in parts[1:])
        return
    head, inside, tail = found.groups()
    yield f"{margin}{head}("
    items = re.split(r",\s(?![^<{(]*[>})])", inside)
    for number, item in enumerate(items):
        yield f"{margin}    {item}{',' if number + 1 < len(items) else f'){tail}'}"


def _result(spec: OpSpec, text: str) -> str:
    count = len(spec.outputs)
    return text if count == 1 else f"std::tuple<{', '.join([text] * count)}>"


def _declared(parameter: Parameter) -> str:
    plain = parameter.cpp_type in ("int32_t", "uint32_t", "float", "bool")
    return (
        f"{parameter.cpp_type} {parameter.name}" if plain else f"const {parameter.cpp_type}& {parameter.name}"
    )


def _default(parameter: Parameter) -> str:
    if parameter.category is ParameterCategory.MEMORY_CONFIG:
        return "std::nullopt"
    text = parameter.default or ""
    return {"float": f"{text}f", "bool": text.lower()}.get(parameter.python_type, text)


def _api(spec: OpSpec) -> dict[str, object]:
    both = signature(spec)
    everyone = (*both.positional, *both.keyword)
    categories = {one.category for one in everyone}
    text = any(one.python_type == "str" for one in everyone)
    headers = {"optional"} if ParameterCategory.MEMORY_CONFIG in categories else set()
    headers |= {"cstdint"} | ({"string"} if text else set()) | ({"tuple"} if len(spec.outputs) > 1 else set())
    headers |= {"vector"} if ParameterCategory.TENSORS in categories else set()
    return {
        "headers": sorted(headers),
        "casters": sorted(headers - {"cstdint"}),
        "result": _result(spec, "Tensor"),
        "result_spec": _result(spec, "tt::tt_metal::TensorSpec"),
        "parameters": [_parameter(one) for one in everyone],
        "positional": [_documented(one) for one in both.positional],
        "keyword": [_documented(one) for one in both.keyword],
        "usual_buffer": spec.outputs[0].memory or "DRAM",
    }


def _parameter(parameter: Parameter) -> dict[str, str]:
    memory = parameter.category is ParameterCategory.MEMORY_CONFIG
    return {
        "declared": _declared(parameter),
        "default": "" if parameter.required else f" = {_default(parameter)}",
        "passed": f"{parameter.name}.value_or(usual)" if memory else parameter.name,
    }


def _documented(parameter: Parameter) -> dict[str, str]:
    memory = parameter.category is ParameterCategory.MEMORY_CONFIG
    shown = "ttnn.MemoryConfig" if memory else _SHOWN.get(parameter.cpp_type, parameter.python_type)
    value = "nb::none()" if memory else _default(parameter)
    return {"name": parameter.name, "shown": shown, "description": parameter.description, "value": value}


def _operation(spec: OpSpec) -> dict[str, object]:
    both = signature(spec)
    rules: list[ShapePart] = [one.condition for one in spec.requirements]
    rules += [Count(one.each_of) for one in spec.requirements if one.each_of]
    primitive = [_primitive(one) for one in (*both.positional, *both.keyword)]
    fields = [one.name for one in spec.attributes]
    shapes = [part for one in spec.outputs for part in one.shape]
    return {
        "attributes": spec.attributes,
        "sizes": bool(_sizes_used(spec)),
        "primitive": primitive,
        "fields": fields + (["output_mem_config"] if spec.has_memory_config else []),
        "validate": {
            "attributes": any(map(_uses_attributes, rules)),
            "taken": list(taken(spec, rules)),
            "rules": [_rule(spec, one) for one in spec.requirements],
        },
        "outputs": {
            "attributes": spec.has_memory_config or any(map(_uses_attributes, shapes)),
            "taken": list(taken(spec, _used_by_outputs(spec))),
            "made": [_output(spec, one) for one in spec.outputs],
        },
        "uses_append": any(not _is_copy(one) for one in spec.outputs),
        "device": f"tensor_args.{device_tensor(spec)}.device()",
    }


def _sizes_used(spec: OpSpec) -> set[str]:
    """The size names that any formula of the op uses."""
    formulas: list[ShapePart] = [spec.work.total, *(one.condition for one in spec.requirements)]
    formulas += [part for one in spec.outputs for part in one.shape]
    for cb in spec.cbs:
        formulas += [cb.pages, *([] if cb.page_bytes is None else [cb.page_bytes])]
    for kernel in spec.kernels:
        formulas += [one.value for one in (*kernel.compile_time, *kernel.runtime) if one.value is not None]
    return used_sizes(formulas)


def device_tensor(spec: OpSpec) -> str:
    """A tensor that says which device the op runs on."""
    first = spec.tensors[0]
    return f"{first.name}[0]" if first.category is ParameterCategory.TENSORS else first.name


def _primitive(parameter: Parameter) -> str:
    if parameter.category is ParameterCategory.MEMORY_CONFIG:
        return "const tt::tt_metal::MemoryConfig& output_mem_config"
    return _declared(parameter)


def _rule(spec: OpSpec, rule: Requirement) -> dict[str, object]:
    message = f"{spec.name}: {rule.message}".replace("\\", "\\\\").replace('"', '\\"')
    braces = message.replace("{", "{{").replace("}", "}}")
    condition = cpp(rule.condition)
    whole = f'TT_FATAL({condition}, "{braces}");'
    lines = [whole] if len(whole) <= 108 else ["TT_FATAL(", f"    {condition},", f'    "{braces}");']
    return {"lines": lines, "each_of": rule.each_of}


def _used_by_outputs(spec: OpSpec) -> list[ShapePart]:
    copied = [one for output in spec.outputs for one in (output.dtype, output.layout) if not one.isupper()]
    used: list[ShapePart] = [part for one in spec.outputs for part in one.shape]
    return used + [Slice(one, None, None) for one in copied]


def taken(spec: OpSpec, used: Sequence[ShapePart]) -> Iterator[str]:
    """The inputs that formulas name, as references."""
    wanted = {one.removesuffix("[0]") for part in used for one in tensors_in(part)}
    for tensor in spec.tensors:
        if tensor.name in wanted:
            yield f"const auto& {tensor.name} = tensor_args.{tensor.name};"


def tensors_in(part: ShapePart) -> set[str]:
    """The tensors a formula or a part of a shape is about."""
    own = {part.tensor} if isinstance(part, Slice | Count) else set()
    inner = [tensors_in(one) for one in children(part)]
    return (own | mentioned(part)).union(*inner)


def _uses_attributes(part: ShapePart) -> bool:
    return isinstance(part, Attribute) or any(map(_uses_attributes, children(part)))


def _is_copy(output: Output) -> bool:
    part = output.shape[0]
    return len(output.shape) == 1 and isinstance(part, Slice) and part.low is part.high is None


def _output(spec: OpSpec, output: Output) -> dict[str, object]:
    memory = "attributes.output_mem_config"
    if not spec.has_memory_config:
        buffer_type = f"tt::tt_metal::BufferType::{output.memory or 'DRAM'}"
        memory = f"tt::tt_metal::MemoryConfig{{tt::tt_metal::TensorMemoryLayout::INTERLEAVED, {buffer_type}}}"
    part = output.shape[0]
    steps: list[str] = []
    shape = f"ttnn::Shape({output.name}_shape)"
    if _is_copy(output) and isinstance(part, Slice):
        shape = f"{part.tensor}.logical_shape()"
    else:
        steps = [f"ttsl::SmallVector<uint32_t> {output.name}_shape;"]
        steps += cpp_shape_steps(output.shape, f"{output.name}_shape")
    return {
        "name": output.name,
        "steps": steps,
        "shape": shape,
        "dtype": cpp_word(output.dtype) if output.dtype.isupper() else f"{output.dtype}.dtype()",
        "layout": cpp_word(output.layout) if output.layout.isupper() else f"{output.layout}.layout()",
        "memory": memory,
    }
