"""Kernel arguments: as the spec lists them, or the usual ones where it lists none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tilesmith.opsmith.context import Context
from tilesmith.opsmith.expressions import (
    Attribute,
    Count,
    Expression,
    Local,
    Names,
    NotAFormula,
    Number,
    UnknownName,
    parse_expression,
)
from tilesmith.opsmith.markdown import Row, Section, Table
from tilesmith.opsmith.model import (
    Argument,
    CircularBufferPlan,
    Deviation,
    KernelPlan,
    KernelRole,
    Place,
    Source,
)

FIRST, UNITS = Local("first"), Local("units")
_UNIT_NAMES = re.compile(
    r"(num|n|count)_?(of_)?(work_)?(units|rows|tile_rows|blocks|tiles|sticks)?(_per_core)?|units"
)
_FIRST_NAMES = re.compile(r"(start|first)(_\w+)?(_id)?|start_id")
_ADDRESS = re.compile(r"(\w*?)_?(addr|address|base_addr|buffer_addr)")


@dataclass(frozen=True)
class Signature:
    """What arguments may refer to."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    cbs: tuple[CircularBufferPlan, ...]
    names: Names
    floats: tuple[str, ...] = ()  # parameters that may be packed as bfloat16

    @property
    def roles(self) -> list[KernelRole]:
        """The reader and the writer always; compute where a circular buffer goes through it."""
        touched = {role for cb in self.cbs for role in (cb.producer, cb.consumer)}
        return [role for role in KernelRole if role is not KernelRole.COMPUTE or role in touched]

    def touched_by(self, role: KernelRole) -> list[CircularBufferPlan]:
        return [cb for cb in self.cbs if role in (cb.producer, cb.consumer)]


def read_kernels(context: Context, signature: Signature) -> tuple[KernelPlan, ...]:
    """Every kernel with its arguments, and those added that its stub needs."""
    listed: dict[tuple[KernelRole, str], list[Argument]] = {}
    for section in context.sections("Kernel Arguments", "Compile-Time Arguments", "Runtime Arguments"):
        for table in section.tables:
            if table.has("index", "name"):
                _read_table(context, section, table, signature, listed)
    functions = _functions(context)
    kernels = []
    for role in signature.roles:
        compile_time, runtime = _listed_or_usual(context, role, signature, listed)
        kernel = KernelPlan(role, tuple(compile_time), tuple(runtime), functions.get(role, ""))
        kernels.append(_with_what_stubs_need(context, kernel, signature, bool(listed)))
    return tuple(kernels)


def _listed_or_usual(
    context: Context,
    role: KernelRole,
    signature: Signature,
    listed: Mapping[tuple[KernelRole, str], list[Argument]],
) -> tuple[list[Argument], list[Argument]]:
    """The arguments of a kernel; where the spec lists one of its two tables, the usual ones for the other."""
    compile_time, runtime = _usual(role, signature)
    compile_listed, runtime_listed = listed.get((role, "compile")), listed.get((role, "runtime"))
    if compile_listed is None and runtime_listed is None:
        return compile_time, runtime
    if compile_listed is not None and runtime_listed is not None:
        return compile_listed, runtime_listed
    given = compile_listed if compile_listed is not None else runtime_listed or []
    known = [(one.value, one.tensor, one.source) for one in given]
    usual = compile_time if compile_listed is None else runtime
    added = [one for one in usual if (one.value, one.tensor, one.source) not in known]
    when = "compile-time" if compile_listed is None else "runtime"
    if added:
        names = ", ".join(one.name for one in added)
        reason = f"the spec lists no {when} arguments of the {role.value} kernel"
        context.deviations.append(Deviation(f"{role.value} arguments", "-", f"{when}: {names}", reason))
    return (added, given) if compile_listed is None else (given, added)


def _functions(context: Context) -> dict[KernelRole, str]:
    """What each kernel does, from Kernel Data Movement."""
    found: dict[KernelRole, str] = {}
    for section in context.sections("Kernel Data Movement"):
        for table in section.tables:
            for row in table.rows:
                role = _role(row.get("kernel"))
                if role is not None:
                    found[role] = row.get("actual function", "operations")
                    _note_placement(context, role, row)
    return found


def _note_placement(context: Context, role: KernelRole, row: Row) -> None:
    core = row.get("core").upper()
    expected = {KernelRole.READER: ("RISCV_1", "NCRISC"), KernelRole.WRITER: ("RISCV_0", "BRISC")}
    if role in expected and core and not any(re.search(rf"\b{one}\b", core) for one in expected[role]):
        context.deviations.append(
            Deviation(
                f"{role.value} kernel",
                row.get("core"),
                " / ".join(expected[role]),
                "ttnn 0.81.1 places it there",
            )
        )


def _role(text: str) -> KernelRole | None:
    return next((role for role in KernelRole if role.value in text.lower()), None)


def _read_table(
    context: Context,
    section: Section,
    table: Table,
    signature: Signature,
    listed: dict[tuple[KernelRole, str], list[Argument]],
) -> None:
    heading = f"{' '.join(section.path[1:])} {table.label}".lower()
    when = "compile" if "compile" in f"{table.label} {section.title}".lower() else "runtime"
    if "compile" not in heading and "runtime" not in heading:
        raise context.error(
            "is this compile-time or runtime?", context.place(section), remedy="say so above the table"
        )
    if when == "runtime" and "runtime" not in f"{table.label} {section.title}".lower():
        when = "compile" if "compile" in heading else "runtime"
    for row in table.rows:
        place = context.place(section, row)
        role = _role(row.get("kernel") if "kernel" in table.columns else f"{table.label} {section.title}")
        if role is None or role not in signature.roles:
            raise context.error(
                "no kernel of this operation is named", place, remedy="name reader, compute or writer"
            )
        arguments = listed.setdefault((role, when), [])
        if any(map(_is_list, arguments)):
            remedy = f"put {arguments[-1].name} last: it is as many arguments as there are tensors"
            raise context.error(f"{row.get('name')} comes behind a list", place, remedy=remedy)
        if any(
            argument.name == row.get("name").strip("`* ")
            for argument in (*arguments, *listed.get((role, "compile"), ()))
        ):
            raise context.error(f"the {role.value} has two arguments {row.get('name')}", place)
        index = row.get("index").rstrip("+ ")
        accessor = "tensoraccessor" in row.get("name").lower().replace("_", "")
        behind_accessor = any(one.source is Source.ACCESSOR for one in arguments)
        if not behind_accessor and index != str(len(arguments)):
            raise context.error(f"index {row.get('index')} comes after {len(arguments)} arguments", place)
        result = (
            _accessor(role, row, arguments, signature)
            if accessor
            else _argument(context, role, when, row, signature, place)
        )
        arguments.append(result)


def _accessor(role: KernelRole, row: Row, before: Sequence[Argument], signature: Signature) -> Argument:
    """The tensor an accessor is for: the one it names, else the next without."""
    words = set(re.findall(r"\w+", f"{row.get('name')} {row.get('description')}".lower()))
    tensors = signature.outputs if role is KernelRole.WRITER else signature.inputs
    named = [one for one in (*signature.inputs, *signature.outputs) if words & _spoken(one, signature)]
    taken = {one.tensor for one in before if one.source is Source.ACCESSOR}
    tensor = named[0] if len(named) == 1 else next((one for one in tensors if one not in taken), tensors[0])
    return Argument(f"{_bare(tensor)}_args", Source.ACCESSOR, row.get("description"), tensor=tensor)


def _spoken(tensor: str, signature: Signature) -> set[str]:
    aliases = {alias for alias, name in signature.names.aliases if name == tensor}
    return {tensor.lower(), *aliases}


def _bare(tensor: str) -> str:
    return tensor.removesuffix("[0]")


def _argument(
    context: Context, role: KernelRole, when: str, row: Row, signature: Signature, place: Place
) -> Argument:
    name = row.get("name").strip("`* ")
    if not name.isidentifier():
        raise context.error(f"{name!r} cannot be the name of an argument", place, remedy="use an identifier")
    address = _ADDRESS.fullmatch(name)
    if address and when == "runtime":
        tensor = _addressed(address[1], role, signature)
        if tensor is None:
            raise context.error(
                f"{name} is the address of no tensor", place, remedy="name it after a tensor: mask_addr"
            )
        return Argument(name, Source.ADDRESS, row.get("description"), tensor=tensor)
    value = _value(name, row.get("description"), when, signature)
    if value is None:
        raise context.error(
            f"where the value of {name} comes from is not said",
            place,
            remedy="begin its description with a formula in backticks, or name it as a size, a parameter, a "
            f"circular buffer, or (at run time) units or first; known: {signature.names.known}",
        )
    if when == "compile" and _mentions(value, (FIRST, UNITS)):
        raise context.error(f"{name} differs from core to core", place, remedy="make it a runtime argument")
    packed = "bfloat16" in row.get("type").lower()
    if packed and value not in [Attribute(one) for one in signature.floats]:
        raise context.error(
            f"{name} is packed as bfloat16, but is no float parameter", place, remedy="make its type uint32_t"
        )
    return Argument(name, Source.FORMULA, row.get("description"), value=value, packed=packed)


def _addressed(stem: str, role: KernelRole, signature: Signature) -> str | None:
    if stem in ("src", "src0", "in", "input"):
        return signature.inputs[0]
    if stem in ("dst", "out", "output"):
        return signature.outputs[0]
    everyone = (*signature.inputs, *signature.outputs)
    own = signature.outputs if role is KernelRole.WRITER else signature.inputs
    return own[0] if not stem else next((one for one in everyone if stem in _spoken(one, signature)), None)


def _value(name: str, description: str, when: str, signature: Signature) -> Expression | None:
    names = replace(signature.names, locals=("first", "units") if when == "runtime" else ())
    quoted = re.match(r"`([^`]+)`", description)
    for text in (quoted[1] if quoted else "", name):
        try:
            return parse_expression(text, names)
        except (NotAFormula, UnknownName):
            continue
    buffer = next(
        (cb for cb in signature.cbs if name.replace("cb_id_", "cb_") in (cb.name, f"cb_{cb.name}")), None
    )
    if buffer is not None:
        return Number(buffer.index)
    if when == "runtime" and _UNIT_NAMES.fullmatch(name):
        return UNITS
    return FIRST if when == "runtime" and _FIRST_NAMES.fullmatch(name) else None


def _mentions(expression: Expression, locals: Sequence[Local]) -> bool:
    from tilesmith.opsmith.evaluate import children

    return expression in locals or any(_mentions(one, locals) for one in children(expression))


def _usual(role: KernelRole, signature: Signature) -> tuple[list[Argument], list[Argument]]:
    """Circular buffers and accessors at compile time; addresses and the share of work at run time."""
    own = {KernelRole.READER: signature.inputs, KernelRole.WRITER: signature.outputs}.get(role, ())
    compile_time = [_buffer_argument(cb) for cb in signature.touched_by(role)]
    compile_time += [
        Argument(
            f"{_bare(tensor)}_args", Source.ACCESSOR, f"how {_bare(tensor)} lies in memory", tensor=tensor
        )
        for tensor in own
    ]
    addresses = [
        Argument(f"{_bare(tensor)}_addr", Source.ADDRESS, f"address of {_bare(tensor)}", tensor=tensor)
        for tensor in own
    ]
    runtime = [one for one in addresses if not _is_list(one)]
    if own:
        runtime.append(Argument("first", Source.FORMULA, "first unit of this core", FIRST))
    runtime.append(Argument("units", Source.FORMULA, "units of work of this core", UNITS))
    for entry in filter(_is_list, addresses):
        count = Count(_bare(entry.tensor))
        runtime.append(Argument(f"num_{_bare(entry.tensor)}", Source.FORMULA, "how many there are", count))
    return compile_time, [*runtime, *filter(_is_list, addresses)]


def _is_list(argument: Argument) -> bool:
    """As many arguments as there are tensors; nothing can come behind them."""
    return argument.source is Source.ADDRESS and argument.tensor.endswith("[0]")


def _buffer_argument(cb: CircularBufferPlan) -> Argument:
    return Argument(cb.name, Source.FORMULA, cb.purpose, Number(cb.index))


def _with_what_stubs_need(
    context: Context, kernel: KernelPlan, signature: Signature, listed: bool
) -> KernelPlan:
    """Every kernel must know how many units it does, and how many pages of each buffer make a unit."""
    runtime = list(kernel.runtime)
    known = [one.value for one in (*kernel.compile_time, *runtime)]
    wanted: list[tuple[str, Expression, str]] = [("units", UNITS, "units of work of this core")]
    wanted += [
        (f"{cb.name}_pages", cb.block, f"pages of {cb.name} for a unit")
        for cb in signature.touched_by(kernel.role)
        if not isinstance(cb.block, Number)
    ]
    for name, value, description in wanted:
        if value in known:
            continue
        known.append(value)
        place = len(runtime) - sum(map(_is_list, runtime))
        runtime.insert(place, Argument(name, Source.FORMULA, description, value))
        if listed:
            result = f"runtime argument {place} is {name}"
            reason = f"the {kernel.role.value} needs it and has no argument of that value"
            context.deviations.append(Deviation(f"{kernel.role.value} arguments", "-", result, reason))
    return replace(kernel, runtime=tuple(runtime))
