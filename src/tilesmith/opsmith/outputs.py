"""The Output Tensor Specification: a table or bullets; a column for each output where there are several."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tilesmith.opsmith.context import Context
from tilesmith.opsmith.expressions import Names, ShapePart, Slice
from tilesmith.opsmith.markdown import Section, Table
from tilesmith.opsmith.model import Output, Place
from tilesmith.opsmith.requirements import BUFFERS, DTYPES, LAYOUTS

_SINGLE = ("value", "value/calculation", "specification", "calculation", "output")
Said = tuple[str, Place]


def read_outputs(context: Context, names: Names) -> tuple[Output, ...]:
    """Each output's shape, dtype, layout and memory."""
    sections = context.required("Output Tensor Specification")
    result: list[Output] = []
    for name, said in _spoken(context, sections).items():
        result.append(_output(context, name, said, names, context.place(sections[0])))
    return tuple(result)


def _spoken(context: Context, sections: list[Section]) -> dict[str, dict[str, Said]]:
    """What is said of each output, by property."""
    for section in sections:
        for table in section.tables:
            if table.columns[0] == "property":
                return _from_table(context, section, table)
    bullets = {
        bullet.key.lower(): (bullet.value, Place(section.title, 0, bullet.line))
        for section in sections
        for bullet in section.bullets
    }
    return {"output": bullets}


def _from_table(context: Context, section: Section, table: Table) -> dict[str, dict[str, Said]]:
    columns = table.columns[1:]
    result: dict[str, dict[str, Said]] = {}
    for column in columns:
        name = "output" if column in _SINGLE and len(columns) == 1 else column
        if not name.isidentifier():
            raise context.error(f"{name!r} cannot be the name of an output", context.place(section))
        result[name] = {
            row.get("property").strip("* ").lower(): (row.get(column), context.place(section, row))
            for row in table.rows
        }
    return result


def _output(context: Context, name: str, said: Mapping[str, Said], names: Names, section: Place) -> Output:
    shape, place = _find(context, name, said, ("logical shape", "shape"), section)
    dtype, dtype_place = _find(context, name, said, ("dtype", "data type"), section)
    layout, layout_place = _find(context, name, said, ("layout", "tensor layout"), section)
    memory = next((text for key, (text, _) in said.items() if key.startswith("memory")), "")
    return Output(
        name,
        _shape(context, shape, names, place),
        _value(context, dtype, DTYPES, names, dtype_place),
        _value(context, layout, LAYOUTS, names, layout_place),
        next((one for one in BUFFERS if re.search(rf"\b{one}\b", memory.upper())), ""),
        place,
    )


def _find(
    context: Context, name: str, said: Mapping[str, Said], keys: tuple[str, ...], section: Place
) -> Said:
    for key in keys:
        if key in said:
            return said[key]
    raise context.error(
        f"the {keys[-1]} of {name} is not said", section, remedy=f"add a row {keys[-1].capitalize()}"
    )


def _shape(context: Context, text: str, names: Names, place: Place) -> tuple[ShapePart, ...]:
    same = _same_as(text, names)
    if same is not None:
        return (Slice(same, None, None),)
    logical = re.search(r"(\[[^\]]*\])[^\[]*\(logical\)", text)
    quoted = re.search(r"`([^`]+)`", text)
    listed = re.search(r"\[[^\]]*\]|\([\w\s,.*/]+,[\w\s,.*/]*\)", text)
    chosen = logical[1] if logical else quoted[1] if quoted else listed[0] if listed else text
    return context.shape(chosen, names, place)


def _same_as(text: str, names: Names) -> str | None:
    found = re.match(r"(?:the )?same(?: \w+)? as (?:the )?`?(\w+)", text.strip(), re.IGNORECASE)
    return names.tensor(found[1]) if found else None


def _value(context: Context, text: str, members: tuple[str, ...], names: Names, place: Place) -> str:
    same = _same_as(text, names)
    if same is not None:
        return same
    found = [one for one in members if re.search(rf"\b{one}\b", text.upper().replace("_LAYOUT", ""))]
    if len(found) != 1:
        raise context.error(
            f"{text!r} says no single value", place, remedy=f"write `same as input` or one of {members}"
        )
    return found[0]
