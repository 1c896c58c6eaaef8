"""A spec file, in its long or its compact form, as an OpSpec."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tilesmith.errors import SpecError
from tilesmith.opsmith.arguments import Signature, read_kernels
from tilesmith.opsmith.buffers import read_buffers, read_work
from tilesmith.opsmith.calls import mentioned, valid_call
from tilesmith.opsmith.cases import read_bounds, read_cases
from tilesmith.opsmith.consistency import check_buffer_references, check_cases
from tilesmith.opsmith.context import Context
from tilesmith.opsmith.evaluate import Call
from tilesmith.opsmith.expressions import Names, NotAFormula, UnknownName
from tilesmith.opsmith.markdown import Section, parse_markdown
from tilesmith.opsmith.model import (
    Deviation,
    OpSpec,
    Output,
    Parameter,
    ParameterCategory,
    Place,
    Requirement,
)
from tilesmith.opsmith.outputs import read_outputs
from tilesmith.opsmith.parameters import names_of, read_parameters
from tilesmith.opsmith.requirements import (
    ANYTHING,
    UNDERSTOOD,
    attribute_range,
    condition,
    is_checked_by_launch,
    subject_of,
)


def read_spec(path: Path) -> OpSpec:
    """Read and check a spec; whatever is wrong is said with its section, row and line."""
    if not path.is_file():
        raise SpecError(f"there is no spec {path}", remedy="give the path of a {op}_spec.md or op_design.md")
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise SpecError(f"{path} is no text", remedy="give a spec in Markdown, in UTF-8") from None
    context = Context(parse_markdown(text, path))
    spec = _spec(context)
    check_buffer_references(context, spec)
    check_cases(context, spec, case_calls(spec))
    return replace(spec, deviations=tuple(context.deviations))


def case_calls(spec: OpSpec) -> dict[str, Call]:
    """The described call of every test case."""
    names = names_of(spec.parameters)
    return {one.name: valid_call(one, spec.requirements, names) for one in spec.cases}


def _spec(context: Context) -> OpSpec:
    overview = context.required("Overview")[0]
    name, category = (
        _identifier(context, overview, "Operation Name"),
        _identifier(context, overview, "Category"),
    )
    parameters = read_parameters(context)
    names = names_of(parameters)
    parameters = tuple(_with_shape(context, one, names) for one in parameters)
    outputs = read_outputs(context, names)
    inner = _with_outputs(names, outputs)
    cbs = read_buffers(context, parameters, outputs, inner)
    floats = tuple(one.name for one in parameters if one.python_type == "float")
    signature = Signature(names.tensors, tuple(one.name for one in outputs), cbs, inner, floats)
    work = read_work(context, inner, outputs[0].name)
    kernels = read_kernels(context, signature)
    return OpSpec(
        path=context.document.path,
        form=_form(context),
        name=name,
        category=category,
        summary=_summary(context, name),
        formula=_formula(context),
        reference=_reference(context),
        parameters=parameters,
        requirements=(*_requirements(context, names), *_ranges(context, parameters, names)),
        outputs=outputs,
        work=work,
        cbs=cbs,
        kernels=kernels,
        compute=_compute(context),
        cases=read_cases(context, parameters, names),
        bounds=read_bounds(context),
        extraction=_extraction(context),
        decisions=_decisions(context),
        deviations=(),
    )


def _identifier(context: Context, overview: Section, key: str) -> str:
    bullet = overview.bullet(key)
    if bullet is None:
        raise context.error(
            f"the {key} is not said", context.place(overview), remedy=f"add `- **{key}**: ...`"
        )
    value = re.sub(r"\(.*?\)", "", bullet.value).strip("` ").rsplit("/", 1)[-1].strip()
    if not re.fullmatch(r"[a-z]\w*", value) or keyword.iskeyword(value):
        place = Place(overview.title, 0, bullet.line)
        raise context.error(
            f"{value!r} cannot be the {key}", place, remedy="use lower case words joined by underscores"
        )
    return value


def _with_shape(context: Context, parameter: Parameter, names: Names) -> Parameter:
    """`shape [N, 1, H, W]` under Valid Range."""
    found = re.search(r"\bshape\s+(\([^)]*\)|\[[^\]]*\])", parameter.valid_range)
    if not parameter.is_tensor or found is None:
        return parameter
    return replace(parameter, shape=context.shape(found[1], names, parameter.place))


def _with_outputs(names: Names, outputs: Sequence[Output]) -> Names:
    return replace(names, tensors=(*names.tensors, *(one.name for one in outputs)))


def _form(context: Context) -> str:
    titles = " ".join(section.title.lower() for section in context.document.sections)
    if "part 1" in titles or "part 2" in titles:
        return "design"
    return "compact" if "section a" in titles or "section b" in titles else "long"


def _summary(context: Context, name: str) -> str:
    """The first sentence of what the operation is said to do."""
    for section in context.sections("Semantic Description", "Mathematical Definition"):
        text = " ".join(
            line.strip() for _, line in section.prose if line.strip() and not line.startswith(("-", "*"))
        )
        if text:
            return re.split(r"(?<=[.!?])\s", text)[0]
    return f"{name}."


def _formula(context: Context) -> str:
    for section in context.sections("Mathematical Definition"):
        for fence in section.fences:
            if fence.language != "python":
                return fence.text.strip()
    return ""


def _reference(context: Context) -> str:
    """The body of the torch reference: a python block, or one expression after Reference."""
    for section in context.sections("Mathematical Definition", "Test Criteria"):
        for fence in section.fences:
            if fence.language == "python":
                return _checked_body(context, fence.text, Place(section.title, 0, fence.line))
        bullet = section.bullet("Reference", "Reference expression", "PyTorch reference")
        quoted = re.search(r"`([^`]+)`", bullet.value) if bullet else None
        if bullet and quoted:
            return _checked_body(context, f"return {quoted[1]}", Place(section.title, 0, bullet.line))
    return ""


def _checked_body(context: Context, body: str, place: Place) -> str:
    indented = "\n".join(f"    {line}" for line in body.splitlines())
    try:
        compile(f"def reference():\n{indented}\n", "reference", "exec")
    except SyntaxError as error:
        raise context.error(f"the torch reference is not Python: {error.msg}", place) from None
    if not re.search(r"^\s*return\b", body, re.MULTILINE):
        raise context.error("the torch reference returns nothing", place, remedy="end it with `return ...`")
    return body.strip("\n")


def _requirements(context: Context, names: Names) -> list[Requirement]:
    section, table = context.table(("property", "requirement"), "Input Tensor Requirements")
    inside = replace(names, tensors=(*names.tensors, "each")) if names.lists else names
    quoted = any(row.get("error message hint", "error hint")[:1] in "\"'" for row in table.rows)
    result: list[Requirement] = []
    for row in table.rows:
        about, said = row.get("property").strip("* "), row.get("requirement")
        hint, place = row.get("error message hint", "error hint").strip(), context.place(section, row)
        if is_checked_by_launch(about):
            _note(context, about, said, "checked for every operation, in ttnn's words", place)
            continue
        subject = subject_of(about, inside, names.lists)
        try:
            found = condition(about, said, inside, subject)
        except UnknownName as unknown:
            raise context.error(
                f"{unknown.name!r} is neither a size nor a parameter", place, remedy=f"known: {names.known}"
            ) from None
        except NotAFormula:
            found = None
        if found == ANYTHING:
            _note(context, about, said, "every value there is is allowed", place)
            continue
        # Where messages are in quotation marks, other words in their column are remarks.
        remark = quoted and hint[:1] not in ("", '"', "'")
        if found is None and not remark:
            raise context.error(
                f"{about}: {said!r} is not a rule that can be checked", place, remedy=UNDERSTOOD
            )
        if found is None or remark:
            _note(context, about, said, hint, place)
            continue
        message = hint.strip("\"'") or f"{about} must be {said}".replace("`", "")
        each_of = names.lists[0] if "each" in mentioned(found) else ""
        result.append(Requirement(found, message, place, f"{about}: {said}", each_of))
    return result


def _note(context: Context, about: str, said: str, reason: str, place: Place) -> None:
    context.deviations.append(Deviation(f"{about} ({place})", said, "no check of its own", reason))


def _ranges(context: Context, parameters: Sequence[Parameter], names: Names) -> list[Requirement]:
    """Valid ranges of attributes are rules too."""
    result: list[Requirement] = []
    for entry in parameters:
        if entry.category is not ParameterCategory.ATTRIBUTE or entry.python_type == "bool":
            continue
        try:
            found = attribute_range(entry.name, entry.valid_range, names)
        except UnknownName as unknown:
            raise context.error(
                f"{unknown.name!r} is neither a size nor a parameter", entry.place, remedy=names.known
            ) from None
        if found is not None:
            plain = entry.valid_range.replace("`", "").replace('"', "'")
            result.append(
                Requirement(found, f"{entry.name} must be {plain}", entry.place, f"{entry.name}: {plain}")
            )
    return result


_FIDELITIES = ("LoFi", "HiFi2", "HiFi3", "HiFi4")


def _compute(context: Context) -> tuple[tuple[str, str], ...]:
    """Compute Configuration: `- **math_fidelity**: HiFi4`, `- **fp32_dest_acc_en**: true`."""
    result = []
    for section in context.sections("Compute Configuration"):
        for bullet in section.bullets:
            key, value = bullet.key.strip("`").lower().replace(" ", "_"), bullet.value.strip("` .")
            place = Place(section.title, 0, bullet.line)
            if key == "math_fidelity" and value in _FIDELITIES:
                result.append((key, f"MathFidelity.{value}"))
            elif key in ("fp32_dest_acc_en", "math_approx_mode", "dst_full_sync_en") and value.lower() in (
                "true",
                "false",
            ):
                result.append((key, value.capitalize()))
            else:
                known = "math_fidelity (LoFi to HiFi4), fp32_dest_acc_en, math_approx_mode, dst_full_sync_en"
                raise context.error(f"{bullet.key}: {value} is not known", place, remedy=f"known: {known}")
    return tuple(result)


_ALSO_CALLED = {"Kernel Arguments": ("Compile-Time Arguments", "Runtime Arguments")}


def _extraction(context: Context) -> tuple[tuple[str, str, str], ...]:
    """Which sections were used for what: a table of the execution log."""
    used = (
        ("Parameters", "signature and attributes"),
        ("Input Tensor Requirements", "validate"),
        ("Output Tensor Specification", "output specs"),
        ("Circular Buffer Requirements", "circular buffers of the program"),
        ("Work Distribution", "split_work_to_cores"),
        ("Kernel Data Movement", "which kernel does what"),
        ("Kernel Arguments", "argument lists"),
        ("Mathematical Definition", "torch reference"),
        ("Test Criteria", "shapes and bounds of the tests"),
    )
    rows = []
    for title, purpose in used:
        found = context.sections(*_ALSO_CALLED.get(title, ()), title)
        count = sum(len(table.rows) for section in found for table in section.tables)
        said = (
            f"line {found[0].line}, {count} rows" if count else f"line {found[0].line}" if found else "absent"
        )
        rows.append((title, said, purpose))
    return tuple(rows)


def _decisions(context: Context) -> tuple[tuple[str, str, str, str], ...]:
    """Decision, options, choice, rationale: from Design Decisions."""
    rows = []
    for section in context.sections("Design Decisions"):
        choice = section.bullet("Choice")
        if choice is not None:
            options, why = section.bullet("Alternatives Considered"), section.bullet("Rationale")
            name = re.sub(r"^Decision\s*\d*\s*:?\s*", "", section.title)
            rows.append((name, options.value if options else "", choice.value, why.value if why else ""))
    return tuple(rows)
