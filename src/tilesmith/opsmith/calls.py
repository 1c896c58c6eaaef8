"""Calls described without data: one that keeps every rule of a spec, and one for each rule that breaks it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from tilesmith.opsmith.cases import counts
from tilesmith.opsmith.evaluate import Call, TensorModel, children, evaluate
from tilesmith.opsmith.expressions import (
    Dimension,
    Names,
    Property,
    ShapePart,
    Size,
    WholeShape,
)
from tilesmith.opsmith.model import Case, Parameter, ParameterCategory, Requirement
from tilesmith.opsmith.requirements import DTYPES, LAYOUTS

_FIRST_LAYOUTS = (LAYOUTS[1], LAYOUTS[0])
_OTHER_SHARDING = "HEIGHT_SHARDED"


@dataclass(frozen=True)
class Breaking:
    """A requirement and a call whose first broken rule it is."""

    requirement: Requirement
    call: Call


def valid_call(case: Case, rules: Sequence[Requirement], names: Names) -> Call:
    """The call of a case: every tensor gets the first dtype, layout and memory that its rules allow."""
    values = {name: ast.literal_eval(text) for name, text in case.attributes.items()}
    call = Call({}, values, counts(names))
    for name, shape in case.shapes.items():
        own = [one for one in rules if _is_about(one, name, names)]
        call = replace(call, tensors={**call.tensors, name: _first_allowed(name, shape, own, call)})
    return _with_each(call, names)


def _is_about(rule: Requirement, tensor: str, names: Names) -> bool:
    """Whether a rule is about nothing but properties of this tensor."""
    return mentioned(rule.condition) == ({"each"} if tensor.removesuffix("[0]") in names.lists else {tensor})


def mentioned(expression: ShapePart) -> set[str]:
    """The tensors a formula is about."""
    own = {expression.tensor} if isinstance(expression, Property | Dimension | Size | WholeShape) else set()
    return own.union(*(mentioned(one) for one in children(expression)))


def _first_allowed(
    name: str, shape: tuple[int, ...], rules: Sequence[Requirement], call: Call
) -> TensorModel:
    everything = product(_FIRST_LAYOUTS, DTYPES, ("INTERLEAVED", _OTHER_SHARDING), ("DRAM", "L1"))
    models = [TensorModel(shape, dtype, layout, *memory) for layout, dtype, *memory in everything]
    for model in models:
        there = replace(call, tensors={**call.tensors, name: model, "each": model})
        if all(holds(one, there) for one in rules):
            return model
    return models[0]


def _with_each(call: Call, names: Names) -> Call:
    """`each` is the last tensor of a list; the rest are like the first."""
    for entry in names.lists:
        call = replace(call, tensors={**call.tensors, "each": call.tensors[f"{entry}[0]"]})
    return call


def holds(rule: Requirement, call: Call) -> bool:
    """Whether a call keeps a rule; one that asks for a dimension that is not there is broken."""
    first = call.tensors.get(f"{rule.each_of}[0]")
    everyone = [call] if first is None else [replace(call, tensors={**call.tensors, "each": first}), call]
    try:
        return all(evaluate(rule.condition, one) for one in everyone)
    except IndexError:
        return False


def first_broken(rules: Sequence[Requirement], call: Call) -> Requirement | None:
    """The rule that a call is refused for."""
    return next((one for one in rules if not holds(one, call)), None)


def breaking_calls(
    valid: Call, parameters: Sequence[Parameter], rules: Sequence[Requirement]
) -> tuple[list[Breaking], list[Requirement]]:
    """For each rule a call that is refused for it and nothing before; and the rules without such a call."""
    found: dict[Requirement, Call] = {}
    for call in _changed(valid, parameters):
        broken = first_broken(rules, call)
        if broken is not None and broken not in found:
            found[broken] = call
    broken_by = [Breaking(one, found[one]) for one in rules if one in found]
    return broken_by, [one for one in rules if one not in found]


def _changed(valid: Call, parameters: Sequence[Parameter]) -> Iterator[Call]:
    """Calls that differ from a valid one in one tensor, in all tensors alike, in one value, or in a count."""
    for name in valid.tensors:
        for model in _other_models(valid.tensors[name]):
            yield replace(valid, tensors={**valid.tensors, name: model})
    for changed in zip(*(_other_models(one) for one in valid.tensors.values()), strict=False):
        yield replace(valid, tensors=dict(zip(valid.tensors, changed, strict=True)))
    for entry in parameters:
        if entry.category is ParameterCategory.ATTRIBUTE:
            for value in _other_values(entry, valid):
                yield replace(valid, attributes={**valid.attributes, entry.name: value})
    for name, count in valid.counts.items():
        for other in (1, count + 1):
            yield replace(valid, counts={**valid.counts, name: other})


def _other_models(model: TensorModel) -> Iterator[TensorModel]:
    yield replace(model, layout=LAYOUTS[0] if model.layout == LAYOUTS[1] else LAYOUTS[1])
    for dtype in ("FLOAT32", "BFLOAT16", "UINT32", "INT32", "UINT16"):
        if dtype != model.dtype:
            yield replace(model, dtype=dtype)
    yield replace(model, buffer_type="L1" if model.buffer_type == "DRAM" else "DRAM")
    if model.memory_layout == "INTERLEAVED":
        yield replace(model, memory_layout=_OTHER_SHARDING, buffer_type="L1")
    for shape in _other_shapes(model.shape):
        yield replace(model, shape=shape)


def _other_shapes(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    yield shape[1:]
    yield (1, *shape)
    for index, size in enumerate(shape):
        for other in (size + 1, 2 * size, size - 1, 1):
            if other >= 1 and other != size:
                yield (*shape[:index], other, *shape[index + 1 :])
    while len(shape := shape[1:]) > 0:
        yield shape


def _other_values(parameter: Parameter, valid: Call) -> Iterator[object]:
    if parameter.python_type == "int":
        now = int(valid.attributes[parameter.name])
        yield from (now - 1, now + 1, *([] if parameter.cpp_type == "uint32_t" else [-1]), 0, 7, 1000, 100000)
    elif parameter.python_type == "float":
        yield from (0.0, -1.0, 1e6)
    elif parameter.python_type == "str":
        yield "no_such_choice"
