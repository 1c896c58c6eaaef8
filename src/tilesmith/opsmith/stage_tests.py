"""The seven stage tests of an op."""

from __future__ import annotations

from collections.abc import Iterator

from tilesmith.arch import load_arch
from tilesmith.opsmith.calls import breaking_calls
from tilesmith.opsmith.consistency import page_bytes, with_outputs
from tilesmith.opsmith.context import Context
from tilesmith.opsmith.emit_python import word
from tilesmith.opsmith.evaluate import Call, TensorModel, evaluate
from tilesmith.opsmith.layout import call as laid_out
from tilesmith.opsmith.layout import quoted
from tilesmith.opsmith.markdown import Document
from tilesmith.opsmith.model import OpSpec, Parameter, ParameterCategory
from tilesmith.opsmith.passthrough import data_path
from tilesmith.opsmith.python_op import signature
from tilesmith.opsmith.reading import case_calls
from tilesmith.opsmith.rendering import render

STAGES = (
    (1, "API Existence", "test_stage1_api_exists.py"),
    (2, "Parameter Validation", "test_stage2_validation.py"),
    (3, "TTNN Registration", "test_stage3_registration.py"),
    (4, "Device Operation", "test_stage4_device_op.py"),
    (5, "Program Factory", "test_stage5_program_factory.py"),
    (6, "Kernel Compilation", "test_stage6_kernel_compilation.py"),
    (7, "Kernel Correctness", "test_stage7_kernel_correct.py"),
)
FOLDER = "test_dev"


def test_files(spec: OpSpec) -> dict[str, str]:
    """Every file of the test folder, by its path in the op's folder."""
    values = {"spec": spec, **_support(spec), **_signature(spec), **_program(spec)}
    same = data_path(spec).unchanged
    values["unchanged"] = [(i, same[one.name]) for i, one in enumerate(spec.outputs) if one.name in same]
    values["drawn"] = [(one.name, list(one.values)) for one in spec.tensors if one.values is not None]
    names = ["__init__.py", "conftest.py", "support.py", *(name for _, _, name in STAGES)]
    if not spec.reference:
        names.remove(STAGES[6][2])
    return {f"{FOLDER}/{name}": render(f"tests/{name}.j2", **values) for name in names}


def untestable_rules(spec: OpSpec) -> list[str]:
    """Rules that no call was found to break: another row always comes first."""
    first = next(iter(case_calls(spec).values()))
    return [one.said for one in breaking_calls(first, spec.parameters, spec.requirements)[1]]


def _support(spec: OpSpec) -> dict[str, object]:
    calls = case_calls(spec)
    first = next(iter(calls.values()))
    broken, _ = breaking_calls(first, spec.parameters, spec.requirements)
    named = _numbered([one.requirement.message for one in broken])
    return {
        "valid": [list(_call(spec, name, one)) for name, one in calls.items()],
        "broken": [
            list(_call(spec, name, case.call, case.requirement.message))
            for name, case in zip(named, broken, strict=True)
        ],
        "has_rules": bool(broken),
        "memory_default": '{"memory_config": None} | ' if spec.has_memory_config else "",
    }


def _numbered(messages: list[str]) -> list[str]:
    return [f"{number} {message}" for number, message in enumerate(messages, 1)]


def _call(spec: OpSpec, name: str, call: Call, rule: str = "") -> Iterator[str]:
    yield "Call("
    yield f"    {quoted(name)},"
    yield "    {"
    for tensor in spec.tensors:
        for line in _operand(tensor, call):
            yield f"        {line}"
    yield "    },"
    values = ", ".join(f"{quoted(key)}: {_literal(value)}" for key, value in call.attributes.items())
    yield f"    {{{values}}},"
    if rule:
        yield f"    rule={quoted(rule)},"
    else:
        full = _outputs(spec, call)
        models = [full.tensors[one.name] for one in spec.outputs]
        result = [f"({one.shape}, {word(one.dtype)}, {word(one.layout)})" for one in models]
        if len(result) == 1:
            yield f"    outputs=({result[0]},),"
        else:
            yield from ("    outputs=(", *(f"        {one}," for one in result), "    ),")
    yield "),"


def _literal(value: object) -> str:
    return quoted(value) if isinstance(value, str) else repr(value)


def _operand(parameter: Parameter, call: Call) -> Iterator[str]:
    if parameter.category is ParameterCategory.TENSOR:
        head = f"{quoted(parameter.name)}: Operand"
        yield from laid_out(head, _fields(call.tensors[parameter.name]), ",", 12)
        return
    count = call.counts[parameter.name]
    like_first, last = call.tensors[f"{parameter.name}[0]"], call.tensors["each"]
    yield f"{quoted(parameter.name)}: ["
    for model in (*[like_first] * (count - 1), last):
        for line in laid_out("Operand", _fields(model), ",", 16):
            yield f"    {line}"
    yield "],"


def _fields(model: TensorModel) -> list[str]:
    usual = model.memory_layout == "INTERLEAVED" and model.buffer_type == "DRAM"
    memory = [] if usual else [word(model.memory_layout), word(model.buffer_type)]
    return [repr(model.shape), word(model.dtype), word(model.layout), *memory]


def _signature(spec: OpSpec) -> dict[str, object]:
    both = signature(spec)
    return {
        "parameter_names": [one.name for one in (*both.positional, *both.keyword)],
        "defaults": [(one.name, one.default) for one in both.keyword],
    }


def _outputs(spec: OpSpec, call: Call) -> Call:
    return with_outputs(Context(Document(spec.path, ())), spec, call)


def _program(spec: OpSpec) -> dict[str, object]:
    """What the program of every case must be like, computed from the spec alone."""
    arch = load_arch("wormhole")
    expected = []
    for name, call in case_calls(spec).items():
        full = _outputs(spec, call)
        sizes = [(cb.index, evaluate(cb.pages, full) * page_bytes(cb, full, arch)) for cb in spec.cbs]
        expected.append((name, evaluate(spec.work.total, full), sizes))
    lists = [i for i, one in enumerate(spec.tensors) if one.category is ParameterCategory.TENSORS]
    handed = _handed(len(spec.tensors), lists)
    return {"expected": expected, "handed": handed, "stages": STAGES}


def _handed(tensors: int, lists: list[int]) -> str:
    """Inputs and outputs as the program takes them: a list is one argument."""
    if not lists:
        return "*inputs, *outputs"
    at, behind = lists[0], tensors - lists[0] - 1
    before = [f"inputs[{i}]" for i in range(at)]
    after = [f"inputs[{i - behind}]" for i in range(behind)]
    start, stop = str(at) if at else "", str(-behind) if behind else ""
    listed = f"inputs[{start}:{stop}]" if start or stop else "inputs"
    return ", ".join([*before, listed, *after, "*outputs"])


def stage_name(number: int) -> str:
    """What a stage is called.

    >>> stage_name(5)
    'Program Factory'
    """
    return STAGES[number - 1][1]


def stage_file(number: int) -> str:
    """The test file of a stage.

    >>> stage_file(1)
    'test_dev/test_stage1_api_exists.py'
    """
    return f"{FOLDER}/{STAGES[number - 1][2]}"
