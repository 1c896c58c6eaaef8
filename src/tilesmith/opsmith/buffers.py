"""Circular Buffer Requirements and Work Distribution."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tilesmith.opsmith.context import Context
from tilesmith.opsmith.expressions import (
    Arithmetic,
    Expression,
    Names,
    NotAFormula,
    Number,
    Size,
    UnknownName,
    parse_expression,
)
from tilesmith.opsmith.markdown import Row
from tilesmith.opsmith.model import (
    CircularBufferPlan,
    KernelRole,
    Output,
    PageKind,
    Parameter,
    Place,
    WorkPlan,
)
from tilesmith.opsmith.requirements import DTYPES

_ID = re.compile(r"(?:tt::)?(?:CBIndex::)?(?:cb?_)?(\d+)", re.IGNORECASE)
_ROLES = (
    ("compute", KernelRole.COMPUTE),
    ("trisc", KernelRole.COMPUTE),
    ("math", KernelRole.COMPUTE),
    ("writer", KernelRole.WRITER),
    ("ncrisc", KernelRole.WRITER),
    ("riscv_1", KernelRole.WRITER),
    ("reader", KernelRole.READER),
    ("brisc", KernelRole.READER),
    ("riscv_0", KernelRole.READER),
)
_UNIT_WORDS = (
    r"\b(input|output|full|double|single|tile|tiles|page|pages|stick|sticks|row|rows|each|buffered)\b"
)
_SIZE_FACTOR = r"\*\s*\w*(tile|page|stick)_?(size|bytes)\w*"


@dataclass(frozen=True)
class _Format:
    tensor: str
    dtype: str
    page: PageKind
    page_bytes: Expression | None


def read_buffers(
    context: Context, parameters: Sequence[Parameter], outputs: Sequence[Output], names: Names
) -> tuple[CircularBufferPlan, ...]:
    """Every row: who fills it, who empties it, how many pages, and of what."""
    section, table = context.table(("cb id", "name", "producer", "consumer"), "Circular Buffer Requirements")
    result: list[CircularBufferPlan] = []
    for row in table.rows:
        place = context.place(section, row)
        entry = _buffer(context, row, parameters, outputs, names, place)
        for other in result:
            if other.index == entry.index or other.name == entry.name:
                what = f"c_{entry.index}" if other.index == entry.index else entry.name
                raise context.error(
                    f"{what} exists twice", place, remedy=f"the first is on line {other.place.line}"
                )
        result.append(entry)
    return tuple(result)


def _buffer(
    context: Context,
    row: Row,
    parameters: Sequence[Parameter],
    outputs: Sequence[Output],
    names: Names,
    place: Place,
) -> CircularBufferPlan:
    written = row.get("cb id").strip("`* ")
    index = _ID.fullmatch(written)
    if index is None:
        raise context.error(f"{written!r} is no circular buffer", place, remedy="write c_0 to c_31")
    name = row.get("name").strip("`* ").lower()
    if not name.isidentifier():
        raise context.error(
            f"{name!r} cannot be the name of a circular buffer", place, remedy="use an identifier"
        )
    sizing = row.get("pages", "capacity", "sizing strategy", "num pages", "size")
    pages = _pages(context, sizing, names, place)
    consumer = _role(context, row.get("consumer"), "consumer", place)
    producer = _role(context, row.get("producer"), "producer", place)
    leaves = producer is not KernelRole.READER and consumer is KernelRole.WRITER
    form = _format(context, row, parameters, outputs, names, leaves, place)
    lifetime = row.get("lifetime").lower()
    return CircularBufferPlan(
        int(index[1]),
        name if name.startswith("cb_") else f"cb_{name}",
        row.get("purpose"),
        producer,
        consumer,
        pages,
        _block(context, row, sizing, pages, names, place),
        lifetime.startswith(("program", "kernel")),
        form.tensor,
        form.dtype,
        form.page,
        form.page_bytes,
        place,
    )


def _role(context: Context, text: str, side: str, place: Place) -> KernelRole:
    plain = re.sub(r"\(.*?\)", "", text).lower()
    found = {role for word, role in _ROLES if re.search(rf"\b{word}", plain)}
    if len(found) == 1:
        return found.pop()
    what = f"{text!r} names {'no kernel' if not found else 'several kernels'} as {side}"
    raise context.error(
        what, place, remedy="a circular buffer has one producer and one consumer: Reader, Compute or Writer"
    )


def _pages(context: Context, text: str, names: Names, place: Place) -> Expression:
    if not text.strip("- "):
        raise context.error(
            "the number of pages is not said", place, remedy="fill the column Pages, for example 2 * Wt"
        )
    return context.formula(_counted(text), names, place)


def _counted(text: str) -> str:
    """A size in words as a formula: `2*Wt tiles * tile_size (double-buffered)` is `2*Wt`."""
    quoted = re.match(r"`([^`]+)`", text.strip())
    if quoted:
        return quoted[1]
    plain = re.sub(r"\((?=[^)]*[a-z]{4})[^)]*\)", " ", text)
    plain = re.sub(_SIZE_FACTOR, " ", plain.replace("×", "*").replace("-buffered", " "))
    plain = re.sub(_UNIT_WORDS, " ", plain, flags=re.IGNORECASE)
    return re.sub(r"\bx\b", "*", plain).strip(" ,;`")


def _block(
    context: Context, row: Row, sizing: str, pages: Expression, names: Names, place: Place
) -> Expression:
    """Pages that come and go together."""
    if row.get("block size", "block"):
        return context.formula(_counted(row.get("block size", "block")), names, place)
    double = "double" in f"{row.get('buffering')} {sizing}".lower()
    match pages:
        case Number(value):
            return Number(max(1, int(value) // 2) if double else 1)
        case _ if not double:
            return pages
        case Arithmetic("*", Number(2), rest) | Arithmetic("*", rest, Number(2)):
            return rest
        case _:
            return pages


def _format(
    context: Context,
    row: Row,
    parameters: Sequence[Parameter],
    outputs: Sequence[Output],
    names: Names,
    leaves: bool,
    place: Place,
) -> _Format:
    words = set(re.findall(r"[a-z0-9]+", f"{row.get('name')} {row.get('purpose')}".lower()))
    tensor = _owner(words, parameters, outputs, names, leaves)
    said = row.get("data format", "format", "dtype", "data type").upper()
    dtype = next((one for one in DTYPES if re.search(rf"\b{one}\b", said)), "")
    if not dtype and words & {"scaler", "eps", "epsilon", "scalar"}:
        dtype = "BFLOAT16"
    size = row.get("page size")
    if size.strip("- ") and size.strip().lower() not in ("tile", "stick", "row"):
        return _Format(tensor, dtype, PageKind.BYTES, context.formula(_bytes(size), names, place))
    spoken = f"{row.get('purpose')} {row.get('name')} {size}".lower()
    stick = re.search(r"\bsticks?\b|\brow[- ]major\b|\brm\b|_rm\b", spoken)
    tile = re.search(r"\btil(e|es|ed|ized)\b|_tilized\b", spoken) or dtype == "BFLOAT16"
    return _Format(
        tensor, dtype, PageKind.STICK if stick else PageKind.TILE if tile else PageKind.TENSOR, None
    )


def _bytes(text: str) -> str:
    return re.sub(r"\b(bytes|byte|b)\b", " ", text, flags=re.IGNORECASE).strip(" `")


def _owner(
    words: set[str],
    parameters: Sequence[Parameter],
    outputs: Sequence[Output],
    names: Names,
    leaves: bool,
) -> str:
    """The tensor whose format a circular buffer has: the one its name or purpose names."""
    for entry in outputs:
        if len(outputs) > 1 and entry.name in words:
            return entry.name
    for parameter in parameters:
        spoken = {parameter.name, *parameter.short.split("_")} & words
        if spoken and parameter.is_tensor and names.tensor(parameter.name) != names.main:
            return parameter.name
    return outputs[0].name if leaves or words & {"out", "output"} else names.main


def read_work(context: Context, names: Names, output: str) -> WorkPlan:
    """The unit of work, how many units there are, and the cores they go to."""
    sections = context.required("Work Distribution")
    said: dict[str, tuple[str, Place]] = {}
    for section in sections:
        for bullet in section.bullets:
            said.setdefault(bullet.key.lower(), (bullet.value, Place(section.title, 0, bullet.line)))
        for table in section.tables:
            for row in table.rows:
                first, second = (*row.cells.values(), "")[:2]
                said.setdefault(first.strip("* ").lower(), (second, context.place(section, row)))
    unit, place = said.get("work unit", said.get("granularity", ("", context.place(sections[0]))))
    total = next((said[key] for key in said if key.startswith("total")), ("", place))
    grid = re.search(r"\b(\d+)\s*[x×*]\s*(\d+)\b", said.get("grid", ("", place))[0])
    single = "single" in said.get("grid", ("", place))[0].lower()
    cores = (1, 1) if single else (int(grid[1]), int(grid[2])) if grid else None
    return WorkPlan(unit or "unit", _total(context, total, unit, names, output), cores, place)


def _total(context: Context, total: tuple[str, Place], unit: str, names: Names, output: str) -> Expression:
    text, place = total
    formula = _counted(re.sub(r"\b(tile[- ]rows?|work|units?)\b", " ", text.split("=")[-1]))
    try:
        return parse_expression(formula, names)
    except (NotAFormula, UnknownName) as problem:
        if "`" in text and isinstance(problem, UnknownName):
            return context.formula(formula, names, place)
    lowered = unit.lower()
    if re.search(r"\btile[- ]rows?\b|\brows? of tiles\b", lowered):
        return Arithmetic("*", Size(names.main, "NC"), Size(names.main, "Ht"))
    if re.search(r"\boutput tiles?\b", lowered):
        return Size(output, "tiles")
    if re.search(r"\btiles?\b", lowered):
        return Size(names.main, "tiles")
    if re.search(r"\b(sticks?|rows?)\b", lowered):
        return Size(names.main, "rows")
    raise context.error(
        "the number of units of work is not said",
        place,
        remedy="add `- **Total units**: NC * Ht`, or name the unit: tile, tile-row, row",
    )
