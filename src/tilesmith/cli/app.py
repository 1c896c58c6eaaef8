"""The subcommands and their options."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Run and check Tenstorrent programs on this computer.",
)
cache = typer.Typer(no_args_is_help=True, help="The compiled kernels kept on disk.")
app.add_typer(cache, name="cache")


@app.command()
def doctor() -> None:
    """Say what is installed here and what is missing."""
    from tilesmith.cli.doctor import examine

    findings = examine()
    width = max(len(finding.part) for finding in findings)
    for finding in findings:
        mark = "yes" if finding.present else "NO " if finding.needed else "-  "
        typer.echo(f"{mark}  {finding.part:{width}}  {finding.sentence}")
    if any(finding.needed and not finding.present for finding in findings):
        raise typer.Exit(1)


@app.command()
def settings() -> None:
    """List every environment variable, its value in force, and what it does."""
    from dataclasses import fields

    from tilesmith.settings import Settings, current, described

    now = current()
    for field, (variable, _, help_text) in zip(fields(Settings), described(), strict=True):
        typer.echo(f"{variable}={getattr(now, field.name)}\n    {help_text}")


@cache.command()
def show() -> None:
    """Print where compiled kernels are kept, how many, and how much room they take."""
    from tilesmith.cli.sizes import readable
    from tilesmith.native import Cache
    from tilesmith.settings import current

    root = current().cache_dir
    usage = Cache(root).usage()
    typer.echo(f"{root}: {usage.entries} entries, {readable(usage.bytes)}")


@cache.command()
def clear(
    older_than: Annotated[float, typer.Option(help="only entries this many days old", metavar="DAYS")] = 0.0,
) -> None:
    """Remove compiled kernels; they are built again when they are needed."""
    from tilesmith.cli.sizes import readable
    from tilesmith.native import Cache
    from tilesmith.settings import current

    root = current().cache_dir
    removed = Cache(root).clear(older_than)
    typer.echo(f"{root}: removed {removed.entries} entries, {readable(removed.bytes)}")
