"""`tilesmith op`: from an operation spec to an op, stage by stage."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tilesmith.cli.output import AsJson, tell

op = typer.Typer(no_args_is_help=True, help="Make an operation from a spec, in seven test-first stages.")
Folder = Annotated[
    Path, typer.Option("--op", help="the op's folder, or the folder that holds it", metavar="DIR")
]


@op.command()
def new(
    spec: Annotated[Path, typer.Argument(help="{op}_spec.md or op_design.md", metavar="SPEC")],
    cpp: Annotated[bool, typer.Option("--cpp", help="also write the C++ tree of ttnn 0.81.1")] = False,
    cpp_style: Annotated[
        str | None,
        typer.Option(
            help="also write the C++ tree, with a program factory of this style: descriptor (a"
            " ProgramDescriptor, as --cpp writes) or cached (shared variables, override_runtime_arguments)",
            metavar="descriptor|cached",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="where the op's folder goes", metavar="DIR")] = Path(),
    wheel: Annotated[
        Path | None, typer.Option(help="an unpacked ttnn wheel to check the C++ tree against", metavar="DIR")
    ] = None,
) -> None:
    """Check a spec, write the tests of all seven stages, and show that the first is red."""
    from tilesmith.opsmith.stages import new_op

    if cpp_style not in (None, "descriptor", "cached"):
        raise typer.BadParameter(f"{cpp_style!r} is neither descriptor nor cached", param_hint="--cpp-style")
    journal = new_op(spec, out, cpp or cpp_style is not None, wheel, cpp_style or "descriptor")
    for event in journal.events("deviation"):
        typer.echo(f"note: {event['aspect']}: {event['made']} ({event['reason']})")
    typer.echo(
        f"{journal.folder}: stage 1 is red; write it with `tilesmith op stage 1 --op {journal.folder}`"
    )


@op.command()
def stage(
    number: Annotated[str, typer.Argument(help="a stage, or several as 1-6", metavar="N")],
    folder: Folder = Path(),
) -> None:
    """Write the code of a stage, run its test and those before it, and stop at the first red one."""
    from tilesmith.opsmith.journal import find_op
    from tilesmith.opsmith.stages import run_stage

    stages, journal = _stages(number), find_op(folder)
    for stage in stages:
        result = run_stage(journal, stage)
        typer.echo(f"stage {stage} {'green' if result.green else 'RED'}: {result.message}")
        if not result.green:
            raise typer.Exit(1)


def _stages(text: str) -> range:
    """One stage, or a range of them.

    >>> list(_stages("2-4"))
    [2, 3, 4]
    """
    from tilesmith.errors import StageError

    first, dash, last = text.partition("-")
    if not first.isdigit() or (dash and not last.isdigit()):
        raise StageError(f"{text!r} is no stage", remedy="give a number from 1 to 7, or two with a - between")
    return range(int(first), int(last or first) + 1)


@op.command()
def status(folder: Folder = Path(), as_json: AsJson = False) -> None:
    """Say which stages are green."""
    from tilesmith.opsmith.journal import find_op
    from tilesmith.opsmith.stages import status as states

    journal = find_op(folder)
    found = list(states(journal))
    lines = [str(journal.folder), *(f"  {number}  {state:11}  {name}" for number, name, state in found)]
    stages = [{"stage": number, "name": name, "state": state} for number, name, state in found]
    tell(as_json, {"folder": journal.folder, "stages": stages}, "\n".join(lines))


@op.command()
def log(folder: Folder = Path()) -> None:
    """Print the execution log."""
    from tilesmith.opsmith.journal import find_op
    from tilesmith.opsmith.log import render_log

    typer.echo(render_log(find_op(folder)))


@op.command()
def agent(
    out: Annotated[Path, typer.Option(help="where the files go", metavar="DIR")] = Path(),
    form: Annotated[
        str, typer.Option("--format", help="AGENTS.md, a skill folder, or both", metavar="agents|skill|all")
    ] = "all",
) -> None:
    """Write the definition of an agent that makes operations with these commands."""
    from tilesmith.opsmith.agent import FORMATS, write_agent

    if form not in (*FORMATS, "all"):
        raise typer.BadParameter(f"{form!r} is none of agents, skill, all", param_hint="--format")
    for path in write_agent(out, FORMATS if form == "all" else (form,)):
        typer.echo(str(path))
