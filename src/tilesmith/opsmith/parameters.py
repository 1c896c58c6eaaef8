"""The Parameters table."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Sequence

from tilesmith.opsmith.context import Context
from tilesmith.opsmith.expressions import Names
from tilesmith.opsmith.markdown import Row
from tilesmith.opsmith.model import Parameter, ParameterCategory, Place
from tilesmith.opsmith.requirements import WORDS, choices

_ATTRIBUTES = {
    "int": ("int", "int32_t"),
    "int32": ("int", "int32_t"),
    "int32_t": ("int", "int32_t"),
    "uint32": ("int", "uint32_t"),
    "uint32_t": ("int", "uint32_t"),
    "float": ("float", "float"),
    "bool": ("bool", "bool"),
    "str": ("str", "std::string"),
    "string": ("str", "std::string"),
    "std::string": ("str", "std::string"),
}
_TENSOR = re.compile(r"(const )?(ttnn[.:]+)?tensor&?")
_TENSORS = re.compile(
    r"(list|vector|std::vector|sequence|tuple)?\s*(of |\[|<)\s*(ttnn[.:]+)?tensors?\s*[\]>]?|tensors"
)
# Locals of the generated code.
_TAKEN = frozenset(
    [
        "attrs",
        "attributes",
        "core",
        "core_grid",
        "each",
        "first",
        "inputs",
        "outputs",
        "program",
        "tensor_args",
        "units",
    ]
)
_NOTHING = ("", "-", "–", "n/a", "none", "nullopt", "std::nullopt")


def read_parameters(context: Context) -> tuple[Parameter, ...]:
    """Every row: tensors, attributes, and the memory config of the output."""
    section, table = context.table(("parameter", "type"), "Parameters", "API Specification", "API")
    parameters = [_parameter(context, row, context.place(section, row)) for row in table.rows]
    if not any(one.is_tensor for one in parameters):
        raise context.error(
            "no parameter is a tensor", context.place(section), remedy="give one the type Tensor"
        )
    seen: dict[str, Parameter] = {}
    for parameter in parameters:
        if parameter.name in seen:
            raise context.error(
                f"{parameter.name} is a parameter twice",
                parameter.place,
                remedy=f"the first is on line {seen[parameter.name].place.line}",
            )
        seen[parameter.name] = parameter
    return tuple(parameters)


def _parameter(context: Context, row: Row, place: Place) -> Parameter:
    name = row.get("parameter").strip("`* ")
    if not name.isidentifier() or keyword.iskeyword(name):
        raise context.error(
            f"{name!r} cannot be the name of a parameter", place, remedy="use a Python identifier"
        )
    if name in _TAKEN:
        raise context.error(f"generated code uses the name {name} itself", place, remedy="call it otherwise")
    written = row.get("type").strip("`").strip()
    category, python_type, cpp_type = _types(context, written, place)
    required = row.get("required").strip().lower() not in ("no", "optional", "false")
    if category in (ParameterCategory.TENSOR, ParameterCategory.TENSORS) and not required:
        raise context.error(
            f"{name} is an optional tensor, which is not supported",
            place,
            remedy="make it required, or write one spec with it and one without",
        )
    text = row.get("valid range")
    return Parameter(
        name,
        category,
        python_type,
        cpp_type,
        required,
        None if required else _default(context, category, python_type, row.get("default"), place),
        text,
        row.get("description"),
        place,
        values=_values(text),
        choices=tuple(f'"{one}"' for one in choices(text)),
    )


def _types(context: Context, written: str, place: Place) -> tuple[ParameterCategory, str, str]:
    plain = written.lower().removeprefix("ttnn.").removeprefix("ttnn::")
    if _TENSOR.fullmatch(plain):
        return ParameterCategory.TENSOR, "Tensor", "Tensor"
    if _TENSORS.fullmatch(plain):
        return ParameterCategory.TENSORS, "Sequence[Tensor]", "std::vector<Tensor>"
    if "memoryconfig" in plain.replace("_", ""):
        return ParameterCategory.MEMORY_CONFIG, "MemoryConfig | None", "std::optional<MemoryConfig>"
    if plain in _ATTRIBUTES:
        return ParameterCategory.ATTRIBUTE, *_ATTRIBUTES[plain]
    raise context.error(
        f"the type {written!r} is not known",
        place,
        remedy="use Tensor, list of Tensor, MemoryConfig, int, uint32_t, float, bool or str",
    )


def _default(context: Context, category: ParameterCategory, python_type: str, text: str, place: Place) -> str:
    plain = text.strip().strip("`").strip()
    if category is ParameterCategory.MEMORY_CONFIG:
        return "None"
    if plain.lower() in _NOTHING:
        raise context.error(
            "an optional parameter needs a default", place, remedy="write it into the Default column"
        )
    if python_type == "float":
        plain = re.sub(r"(?<=[\d.])f$", "", plain)
    if python_type == "bool":
        plain = plain.capitalize()
    if python_type == "str" and plain[0] not in "\"'":
        plain = f'"{plain}"'
    try:
        value = ast.literal_eval(plain)
    except (ValueError, SyntaxError):
        value = None
    expected = {"int": int, "float": (int, float), "bool": bool, "str": str}[python_type]
    if not isinstance(value, expected):  # type: ignore[arg-type]
        raise context.error(f"the default {text!r} is not of type {python_type}", place)
    return f"{float(value)!r}" if python_type == "float" else repr(value).replace("'", '"')


def _values(text: str) -> tuple[float, ...] | None:
    """`values in {0, -100}`: what a tensor's elements are drawn from in tests."""
    found = re.search(r"values in \{([^}]*)\}", text)
    return tuple(float(one) for one in found[1].split(",")) if found else None


def names_of(parameters: Sequence[Parameter]) -> Names:
    """What formulas may name, given the parameters."""
    tensors, lists, aliases = [], [], []
    for parameter in parameters:
        if not parameter.is_tensor:
            continue
        name = f"{parameter.name}[0]" if parameter.category is ParameterCategory.TENSORS else parameter.name
        tensors.append(name)
        aliases += [(parameter.name, name), (parameter.short, name)]
        if parameter.category is ParameterCategory.TENSORS:
            lists.append(parameter.name)
    aliases.append(("input", tensors[0]))
    attributes = tuple(one.name for one in parameters if one.category is ParameterCategory.ATTRIBUTE)
    return Names(tuple(tensors), tuple(lists), attributes, (), WORDS, tuple(aliases))
