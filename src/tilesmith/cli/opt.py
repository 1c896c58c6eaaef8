"""`tilesmith opt`: passes on textual IR."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path

from xdsl.passes import ModulePass, PassPipeline
from xdsl.utils.exceptions import ArgSpecParseError

from tilesmith.compiler.dialects.context import compiler_context
from tilesmith.compiler.dialects.reading import check, read_file
from tilesmith.compiler.pass_group import tree
from tilesmith.compiler.pipeline import Choices, Observer, pipeline, run
from tilesmith.compiler.trace import Trace
from tilesmith.errors import UnknownPassError

ALL = "all"


def optimise(source: str, passes: str, choices: Choices, trace: Path | None = None) -> str:
    """The module in `source` (a path, or "-" for standard input) after the passes, as text."""
    steps = chosen(passes, choices)
    if trace is None:
        return _run(source, steps, None)
    with Trace(trace, title=source) as observer:
        return _run(source, steps, observer)


def chosen(passes: str, choices: Choices) -> tuple[ModulePass, ...]:
    """The passes of a pipeline in xDSL's syntax: names, commas between them, options in braces.

    >>> chosen('verify-ttir{arch="blackhole"},codegen-tt', Choices())
    (VerifyTTIR(arch='blackhole'), CodegenTT())
    """
    if passes == ALL:
        return pipeline(choices)
    known = {step.name: type(step) for step, _ in tree(pipeline(choices))}
    try:
        return PassPipeline.parse_spec({name: _giving(kind) for name, kind in known.items()}, passes).passes
    except (ArgSpecParseError, ValueError) as error:
        raise UnknownPassError(
            f"{passes!r} cannot be run: {error}",
            remedy="write names of passes with commas between them, options in braces;"
            " `tilesmith opt --list` shows both",
        ) from None


def listed(choices: Choices) -> Iterator[tuple[str, str, str]]:
    """Every pass, those of a group below it: its name, its options, what it does."""
    for step, depth in tree(pipeline(choices)):
        options = ", ".join(field.name for field in fields(step))
        yield "  " * depth + step.name, options, (type(step).__doc__ or "").strip().splitlines()[0]


def _giving(pass_class: type[ModulePass]) -> Callable[[], type[ModulePass]]:
    return lambda: pass_class


def _run(source: str, steps: tuple[ModulePass, ...], observe: Observer | None) -> str:
    module = read_file(source)
    if observe is not None:
        observe("import", module)
    context = compiler_context()
    for step in steps:
        run(context, module, (step,), observe)
        check(module)
    return str(module)
