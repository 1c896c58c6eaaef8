"""`tilesmith runs`: the runs of this project, kept in its store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tilesmith.cli.output import AsJson

if TYPE_CHECKING:
    from tilesmith.profiling.runs.store import Run, RunStore

runs = typer.Typer(no_args_is_help=True, help="The runs of this project: list, show, tag, delete.")
_Name = Annotated[str, typer.Argument(help="its number, a tag, last, or last-1 for the one before")]


@runs.command("list")
def list_runs(
    title: Annotated[str, typer.Option(help="only titles that contain this")] = "",
    tag: Annotated[str, typer.Option(help="only runs with this tag")] = "",
    limit: Annotated[int, typer.Option(help="at most so many, the newest first", min=1)] = 50,
    as_json: AsJson = False,
) -> None:
    """List runs, the newest first."""
    found = _store().runs(title, tag, limit)
    if as_json:
        typer.echo(json.dumps([_plain(run) for run in found]))
        return
    if not found:
        typer.echo("no runs yet: `tilesmith profile SCRIPT` makes one")
    for run in found:
        typer.echo(_line(run))


@runs.command()
def show(
    name: _Name,
    html: Annotated[
        Path | None, typer.Option(help="write the report of this run here", metavar="FILE")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="write all its files here", metavar="FOLDER")] = None,
    as_json: AsJson = False,
) -> None:
    """Show a run: what it was made with, its totals, where its time goes."""
    run = _store().get(name)
    if html is not None:
        typer.echo(run.profile().save_html(html))
    if out is not None:
        typer.echo(run.profile().save(out))
    if as_json:
        typer.echo(json.dumps(_plain(run)))
    elif html is None and out is None:
        typer.echo(_described(run))


@runs.command("tag")
def tag_run(
    name: _Name,
    tags: Annotated[list[str], typer.Argument(help="words to find it by")],
    remove: Annotated[bool, typer.Option("--remove", help="take them away")] = False,
) -> None:
    """Give a run tags, or take them away."""
    from tilesmith.errors import BadCallError

    for word in tags:
        if word.isdecimal() or word.startswith("last") or word in ("best", ""):
            raise BadCallError(
                f"{word!r} cannot be a tag",
                where="tilesmith runs tag",
                remedy="numbers, last and best name runs",
            )
    store = _store()
    run = store.get(name)
    store.tag(run, tags, remove)
    typer.echo(_line(store.get(str(run.id))))


@runs.command()
def delete(
    names: Annotated[list[str], typer.Argument(help="numbers or tags")],
) -> None:
    """Delete runs and their profiles, and what killed processes left behind."""
    store = _store()
    found = [store.get(name) for name in names]
    store.delete(found)
    lost = store.prune()
    typer.echo(f"deleted {len(found)} runs" + (f" and {lost} profiles without a run" if lost else ""))


def _store() -> RunStore:
    from tilesmith.profiling.runs.store import RunStore  # with the profiler: --version must not wait for it

    return RunStore()


def _line(run: Run) -> str:
    figures = run.figures
    where = figures.chip or figures.source
    parts = [f"#{run.id:<4} {run.when}", f"{figures.latency_us:>12,.1f} us", where, run.title]
    parts += [part for part in (figures.level, figures.backend, run.circumstances.commit) if part]
    if figures.findings:
        parts.append(f"{figures.findings} findings")
    return "  ".join([*parts, *(f"[{tag}]" for tag in run.tags)])


def _described(run: Run) -> str:
    figures, told = run.figures, run.circumstances
    commit = f"{told.commit}{' with changes' if told.modified else ''}" if told.commit else "none"
    lines = [
        _line(run),
        f"  source    {figures.source}",
        f"  commit    {commit}",
        f"  versions  {', '.join(f'{name} {version}' for name, version in told.versions.items())}",
        f"  settings  {', '.join(f'{name}={value}' for name, value in told.settings.items())}",
    ]
    if figures.watts:
        token = f", {figures.energy_per_token_uj / 1e6:.3g} J a token" if figures.tokens else ""
        watts = f"{figures.watts:.0f} W ({figures.watts_low:.0f} to {figures.watts_high:.0f}), estimated"
        lines.append(f"  power     {watts}; {figures.energy_uj / 1e6:.3g} J a call{token}")
    total = figures.kernel_us or 1.0
    for kernel in sorted(figures.kernels, key=lambda one: -one.microseconds):
        part = kernel.microseconds / total
        launches = f" x {kernel.launches}" if kernel.launches > 1 else ""
        lines.append(
            f"  {kernel.microseconds:>10,.1f} us {part:>4.0%}  {kernel.name}{launches}  {kernel.sentence}"
        )
    lines += [f"  faster: {line}" for line in figures.advice]
    return "\n".join(lines)


def _plain(run: Run) -> dict[str, object]:
    from tilesmith.profiling.serial import to_json

    return {
        "id": run.id,
        "created": run.when,
        "tags": list(run.tags),
        "figures": json.loads(to_json(run.figures)),
        **json.loads(to_json(run.circumstances)),
    }
