"""The Python op folder: which files there are at a stage, and what is in them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tilesmith.opsmith.emit_python import PythonText, word
from tilesmith.opsmith.evaluate import children
from tilesmith.opsmith.expressions import (
    Attribute,
    Count,
    Dimension,
    Logic,
    Property,
    ShapePart,
    Size,
    Slice,
    WholeShape,
)
from tilesmith.opsmith.layout import call, imports, quoted
from tilesmith.opsmith.model import OpSpec, Output, Parameter, ParameterCategory, Requirement
from tilesmith.opsmith.python_factory import factory_file
from tilesmith.opsmith.rendering import render
from tilesmith.opsmith.stubs import stub_files

PLAIN = PythonText()


def python_files(spec: OpSpec, stage: int) -> dict[str, str]:
    """Every file of the op at a stage, by its path in the folder."""
    files = {"__init__.py": render("python/__init__.py.j2", spec=spec), "api.py": _api(spec, stage)}
    if stage >= 2:
        stored = stored_parameters(spec)
        files["attributes.py"] = render("python/attributes.py.j2", spec=spec, stored=stored)
        files["operation.py"] = _operation(spec, stage)
    if stage >= 3 and spec.reference:
        files["reference.py"] = _reference(spec)
    if stage >= 4:
        files["factories.py"] = factory_file(spec, stage)
    if stage >= 6:
        files |= {f"kernels/{path}": text for path, text in stub_files(spec).items()}
    return files


@dataclass(frozen=True)
class _Signature:
    positional: tuple[Parameter, ...]
    keyword: tuple[Parameter, ...]


def signature(spec: OpSpec) -> _Signature:
    """Required parameters by position, the others by keyword."""
    required = tuple(one for one in spec.parameters if one.required)
    return _Signature(required, tuple(one for one in spec.parameters if not one.required))


def _api(spec: OpSpec, stage: int) -> str:
    return render(
        "python/api.py.j2",
        spec=spec,
        imports=_api_imports(spec, stage),
        signature=_api_signature(spec),
        body=_api_body(spec, stage),
        registration=_registration(spec, stage),
    )


def _api_signature(spec: OpSpec) -> list[str]:
    both = signature(spec)
    items = [f"{one.name}: {one.python_type}" for one in both.positional]
    items += ["*"] if both.keyword else []
    items += [f"{one.name}: {one.python_type} = {one.default}" for one in both.keyword]
    count = len(spec.outputs)
    returned = "Tensor" if count == 1 else f"tuple[{', '.join(['Tensor'] * count)}]"
    return call(f"def {spec.name}", items, f" -> {returned}:", 0)


def _api_body(spec: OpSpec, stage: int) -> list[str]:
    if stage < 2:
        given = ", ".join(one.name for one in spec.parameters)
        message = (
            f'f"{spec.name} is not implemented yet: {{len(given)}} parameters are to be checked (stage 2)"'
        )
        comma = "," if len(spec.parameters) == 1 else ""
        return [f"given = ({given}{comma})", *call("raise OperationError", [message], "", 4)]
    names = [tensor.name for tensor in spec.outputs]
    stored = [f"{tensor.name}={tensor.name}" for tensor in stored_parameters(spec)]
    passed = [
        f"*{tensor.name}" if tensor.category is ParameterCategory.TENSORS else tensor.name
        for tensor in spec.tensors
    ]
    inputs = passed[0][1:] if len(passed) == 1 and passed[0][0] == "*" else f"[{', '.join(passed)}]"
    unpacked = ", ".join(names) if len(names) > 1 else f"({names[0]},)"
    return [
        *call(f"attrs = {spec.pascal}Attributes", stored, "", 4),
        *call(f"{unpacked} = launch", ["OPERATION", "attrs", inputs], "", 4),
        f"return {', '.join(names)}",
    ]


def _api_imports(spec: OpSpec, stage: int) -> list[str]:
    has_list = any(one.category is ParameterCategory.TENSORS for one in spec.tensors)
    own: dict[str, set[str]] = {}
    if stage >= 2:
        own[".attributes"] = {f"{spec.pascal}Attributes"}
        own[".operation"] = {"OPERATION"}
    if stage >= 3 and spec.reference:
        own[".reference"] = {f"golden_{spec.name}"}
    ours = {
        "tilesmith.errors": {"OperationError"} if stage < 2 else set(),
        "tilesmith.ops.framework": {"launch", "register"} if stage >= 2 else {"register"},
        "tilesmith.ops.memory": {"MemoryConfig"} if spec.has_memory_config else set(),
        "tilesmith.ops.tensor": {"Tensor"},
    }
    standard = imports({"collections.abc": {"Sequence"} if has_list else set()})
    return grouped(standard, imports(ours), imports(own))


def grouped(*groups: Sequence[str]) -> list[str]:
    """Groups of imports with an empty line between them."""
    result: list[str] = []
    for group in groups:
        result += ["", *group] if group else []
    return result


def _registration(spec: OpSpec, stage: int) -> str:
    golden = f", golden=golden_{spec.name}" if stage >= 3 and spec.reference else ""
    return f'register("ttnn.{spec.name}", {spec.name}{golden})'


def stored_parameters(spec: OpSpec) -> list[Parameter]:
    """What goes into the attributes."""
    return [one for one in spec.parameters if not one.is_tensor]


def _operation(spec: OpSpec, stage: int) -> str:
    validate = list(_validate(spec))
    specs = list(_output_specs(spec)) if stage >= 3 else _not_yet("device operation", 3)
    text = "\n".join([*validate, *specs])
    ours = {
        "tilesmith.errors": {"OperationError"} if stage < 4 else set(),
        "tilesmith.formats": {"DataFormat"} if "DataFormat." in text else set(),
        "tilesmith.ops.framework": {"Factory"} | ({"fatal"} if spec.requirements else set()),
        "tilesmith.ops.sizes": {"sizes"} if "sizes(" in text else set(),
        "tilesmith.runtime": {"Tensor"} | {one for one in _RUNTIME if one in text},
        "tilesmith.runtime.tensor_spec": {"TensorSpec"},
    }
    attributes = f"{spec.pascal}Attributes"
    own = {".attributes": {attributes}, ".factories": {"FACTORY"} if stage >= 4 else set()}
    given = ["self", f"attrs: {attributes}", "inputs: Sequence[Tensor]"]
    chosen = ["del attrs, inputs  # one program serves every call", "return FACTORY"]
    return render(
        "python/operation.py.j2",
        spec=spec,
        imports=grouped(imports(ours), imports(own)),
        validate=validate,
        output_specs_signature=call("def output_specs", given, " -> tuple[TensorSpec, ...]:", 4),
        output_specs=specs,
        select_signature=call("def select_factory", given, f" -> Factory[{attributes}]:", 4),
        select=chosen if stage >= 4 else _not_yet("program factory", 4),
        tensor_names=", ".join(one.name for one in spec.tensors),
    )


def _not_yet(what: str, stage: int) -> list[str]:
    message = f'f"{{self.name}} has no {what} yet for {{attrs}} and {{len(inputs)}} tensors (stage {stage})"'
    return call("raise OperationError", [message], "", 8)


_RUNTIME = ("BufferType", "DRAM_MEMORY_CONFIG", "L1_MEMORY_CONFIG", "Layout", "TensorMemoryLayout")


def _validate(spec: OpSpec) -> Iterator[str]:
    rules = spec.requirements
    looped = [Count(one.each_of) for one in rules if one.each_of]
    yield from _taken(spec, [*(one.condition for one in rules), *looped])
    if not any(_uses_attributes(one.condition) for one in rules):
        yield "del attrs  # no rule is about them"
    if not rules:
        yield "del inputs  # the spec has no rule"
    for rule in rules:
        yield from _check(spec, rule)


def _check(spec: OpSpec, rule: Requirement) -> Iterator[str]:
    message = quoted(f"{spec.name}: {rule.message}")
    together = rule.condition
    # A long rule is checked part by part.
    long = isinstance(together, Logic) and together.operator == "and" and len(PLAIN.expression(together)) > 90
    for condition in together.operands if isinstance(together, Logic) and long else (together,):
        text = PLAIN.expression(condition)
        whole = f"all({text} for each in {rule.each_of})" if rule.each_of else text
        yield from call("fatal", [whole, message], "", 8)


def _output_specs(spec: OpSpec) -> Iterator[str]:
    used: list[ShapePart] = [part for one in spec.outputs for part in one.shape]
    copied = [one for output in spec.outputs for one in (output.dtype, output.layout) if not one.isupper()]
    if not spec.has_memory_config and not any(_uses_attributes(one) for one in used):
        yield "del attrs  # the outputs follow from the tensors"
    yield from _taken(spec, [*used, *(WholeShape(one) for one in copied)])
    if spec.has_memory_config:
        default = _default_memory(spec.outputs[0])
        yield f"memory = {default} if attrs.memory_config is None else attrs.memory_config.placed()"
    result = [
        _tensor_spec(output, "memory" if spec.has_memory_config else _default_memory(output))
        for output in spec.outputs
    ]
    if len(result) == 1:
        head, arguments = "TensorSpec", result[0]
        lines = call(head, arguments, ",)", 16)
        if len(lines) == 1:
            yield f"return ({lines[0]}"
            return
    yield "return ("
    for entry in result:
        for line in call("TensorSpec", entry, ",", 12):
            yield f"    {line}"
    yield ")"


def _default_memory(output: Output) -> str:
    return "L1_MEMORY_CONFIG" if output.memory == "L1" else "DRAM_MEMORY_CONFIG"


def _tensor_spec(output: Output, memory: str) -> list[str]:
    dtype = word(output.dtype) if output.dtype.isupper() else f"{output.dtype}.dtype"
    layout = word(output.layout) if output.layout.isupper() else f"{output.layout}.layout"
    return [PLAIN.shape(output.shape), dtype, layout, memory]


def _taken(spec: OpSpec, used: Sequence[ShapePart]) -> Iterator[str]:
    """The inputs that formulas need, under their names."""
    wanted = set().union(*(_tensors_in(one) for one in used))
    for position, entry in enumerate(spec.tensors):
        if entry.name in wanted:
            yield f"{entry.name} = {taken_from(spec, position)}"


def taken_from(spec: OpSpec, position: int) -> str:
    """Where among the inputs a parameter is. After a list, positions count from the end."""
    lists = [i for i, one in enumerate(spec.tensors) if one.category is ParameterCategory.TENSORS]
    behind = len(spec.tensors) - position
    if position in lists:
        stop = "" if behind == 1 else str(1 - behind)
        start = str(position) if position else ""
        return f"inputs[{start}:{stop}]" if start or stop else "inputs"
    return f"inputs[{position if not lists or position < lists[0] else -behind}]"


def _tensors_in(expression: ShapePart) -> set[str]:
    own: set[str] = set()
    if isinstance(expression, Size | Property | Dimension | WholeShape | Count | Slice):
        own = {expression.tensor.removesuffix("[0]")}
    return own.union(*(_tensors_in(one) for one in children(expression)))


def _uses_attributes(expression: ShapePart) -> bool:
    return isinstance(expression, Attribute) or any(map(_uses_attributes, children(expression)))


def _names_used(body: str) -> set[str]:
    """The names that the lines of a function look up."""
    function = "\n".join(["def golden():", *(f"    {line}" for line in body.splitlines())])
    return {node.id for node in ast.walk(ast.parse(function)) if isinstance(node, ast.Name)}


def _reference(spec: OpSpec) -> str:
    both, tensors = signature(spec), ["torch.Tensor"] * len(spec.outputs)
    return render(
        "python/reference.py.j2",
        spec=spec,
        positional=both.positional,
        returned=("torch.Tensor" if len(spec.outputs) == 1 else f"tuple[{', '.join(tensors)}]"),
        has_list=any(one.category is ParameterCategory.TENSORS for one in spec.tensors),
        golden_keyword=[one for one in both.keyword if one.name in _names_used(spec.reference)],
        reference_lines=spec.reference.splitlines(),
    )
