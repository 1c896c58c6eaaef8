"""Test Criteria: the calls of the stage tests, and how close to torch their results must be."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from tilesmith.opsmith.context import Context
from tilesmith.opsmith.evaluate import Call, TensorModel, evaluate_shape
from tilesmith.opsmith.expressions import Names
from tilesmith.opsmith.markdown import Row
from tilesmith.opsmith.model import Bounds, Case, Parameter, ParameterCategory, Place

# The shapes the format asks for where a spec names none.
_USUAL = (
    ("minimal", (1, 1, 32, 32)),
    ("multi_tile", (1, 1, 64, 128)),
    ("non_square", (1, 1, 32, 256)),
    ("multi_batch", (4, 2, 64, 64)),
)
_USUAL_BOUNDS = Bounds(pcc=0.99, rtol=0.05, atol=0.2)
_SHAPE = re.compile(r"\(\s*\d+(?:\s*,\s*\d+)*\s*,?\s*\)")
_ASSIGNED = re.compile(r"(\w+)\s*=\s*(\([\d\s,]*\)|\"[^\"]*\"|'[^']*'|[\w.+-]+)")
_LIST_LENGTH = 3


def read_cases(context: Context, parameters: Sequence[Parameter], names: Names) -> tuple[Case, ...]:
    """One case per row that gives a shape; the usual ones if there is none."""
    result: list[Case] = []
    for section in context.sections("Test Criteria"):
        for table in section.tables:
            for row in table.rows:
                text = row.get("example", "shape", "shapes")
                if _SHAPE.search(text):
                    place = context.place(section, row)
                    result.append(_case(context, _label(row, len(result)), text, parameters, names, place))
    if not result:
        place = parameters[0].place
        result = [_case(context, name, str(shape), parameters, names, place) for name, shape in _USUAL]
    return tuple(result)


def read_bounds(context: Context) -> Bounds:
    """`- **Tolerances**: rtol=0.05, atol=0.2, pcc=0.999`."""
    for section in context.sections("Test Criteria"):
        bullet = section.bullet("Tolerances", "Tolerance", "Bounds")
        if bullet is not None:
            said = {
                key: float(value)
                for key, value in re.findall(r"(pcc|rtol|atol)\s*=\s*([\d.e-]+)", bullet.value)
            }
            if not said:
                place = Place(section.title, 0, bullet.line)
                raise context.error(
                    f"{bullet.value!r} gives no bounds", place, remedy="write rtol=0.05, atol=0.2, pcc=0.99"
                )
            usual = _USUAL_BOUNDS
            return Bounds(
                said.get("pcc", usual.pcc), said.get("rtol", usual.rtol), said.get("atol", usual.atol)
            )
    return _USUAL_BOUNDS


def _label(row: Row, number: int) -> str:
    name = re.sub(r"\W+", "_", row.get("category", "case").strip("* ").lower()).strip("_")
    return name or f"case_{number}"


def _case(
    context: Context, label: str, text: str, parameters: Sequence[Parameter], names: Names, place: Place
) -> Case:
    assigned = {dict(names.aliases).get(key, key): value for key, value in _ASSIGNED.findall(text)}
    attributes = {
        parameter.name: assigned.get(parameter.name) or _example(context, parameter)
        for parameter in parameters
        if parameter.category is ParameterCategory.ATTRIBUTE
    }
    shapes: dict[str, tuple[int, ...]] = {}
    for entry, name in zip((one for one in parameters if one.is_tensor), names.tensors, strict=True):
        if name in assigned:
            shapes[name] = _tuple(context, assigned[name], place)
        elif not shapes:
            found = _SHAPE.search(text)
            assert found is not None
            shapes[name] = _tuple(context, found[0], place)
        else:
            shapes[name] = _derived(entry, shapes, attributes, names)
    unknown = assigned.keys() - shapes.keys() - attributes.keys() - set(names.lists)
    if unknown:
        raise context.error(
            f"{', '.join(sorted(unknown))} is not a parameter", place, remedy=f"known: {names.known}"
        )
    return Case(label, shapes, attributes)


def _tuple(context: Context, text: str, place: Place) -> tuple[int, ...]:
    sizes = tuple(map(int, re.findall(r"\d+", text)))
    if not sizes or min(sizes) < 1:
        raise context.error(f"{text} is no shape", place)
    return sizes


def _derived(
    parameter: Parameter, shapes: dict[str, tuple[int, ...]], attributes: dict[str, str], names: Names
) -> tuple[int, ...]:
    """The shape of a further tensor: as its row in Parameters says, else that of the first."""
    if parameter.shape is None:
        return next(iter(shapes.values()))
    models = {name: TensorModel(shape) for name, shape in shapes.items()}
    values = {name: ast.literal_eval(text) for name, text in attributes.items()}
    return evaluate_shape(parameter.shape, Call(models, values, counts(names)))


def counts(names: Names) -> dict[str, int]:
    """How many tensors the lists hold in tests."""
    return dict.fromkeys(names.lists, _LIST_LENGTH)


def _example(context: Context, parameter: Parameter) -> str:
    """A value for a parameter in tests: its default, its first choice, or the start of its range."""
    if parameter.default is not None:
        return parameter.default
    if parameter.choices:
        return parameter.choices[0]
    if parameter.python_type == "bool":
        return "False"
    number = re.search(r"-?\d+(?:\.\d+)?", parameter.valid_range)
    if parameter.python_type in ("int", "float") and number:
        return number[0] if parameter.python_type == "int" else repr(float(number[0]))
    raise context.error(
        f"no value of {parameter.name} is known that tests could use",
        parameter.place,
        remedy='give a range or "choices" under Valid Range, or write name=value under Test Criteria',
    )
