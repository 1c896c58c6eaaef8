"""`tilesmith doctor`, `settings` and `cache`: what is here, and how it is set."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Annotated

import typer

from tilesmith.cli.output import AsJson, tell

cache = typer.Typer(no_args_is_help=True, help="The compiled kernels kept on disk.")


def doctor(as_json: AsJson = False) -> None:
    """Say what is installed here, what is missing, and which settings are not the defaults."""
    from tilesmith import __version__
    from tilesmith.cli.doctor import examine

    findings = examine()
    width = max(len(finding.part) for finding in findings)
    marks = ("yes" if one.present else "NO " if one.needed else "-  " for one in findings)
    lines = [f"{mark}  {one.part:{width}}  {one.sentence}" for mark, one in zip(marks, findings, strict=True)]
    changed = [one for one in _settings() if one["origin"] != "default"]
    lines += [f"set  {one['name']} = {one['value']} by {one['origin']}." for one in changed]
    data = {"version": __version__, "parts": [asdict(one) for one in findings], "settings": _settings()}
    tell(as_json, data, "\n".join(lines))
    if any(finding.needed and not finding.present for finding in findings):
        raise typer.Exit(1)


def settings(as_json: AsJson = False) -> None:
    """List every setting: its variable, its value in force, where that comes from, and its meaning."""
    found = _settings()
    lines = (f"{one['variable']}={one['value']}  ({one['origin']})\n    {one['help']}" for one in found)
    tell(as_json, found, "\n".join(lines))


def _settings() -> list[dict[str, str]]:
    from tilesmith.settings import Settings, current, described, origins

    now, where = current(), origins()
    return [
        {
            "name": field.name,
            "variable": variable,
            "value": _shown(getattr(now, field.name)),
            "origin": where[field.name],
            "help": text,
        }
        for field, (variable, _, text) in zip(fields(Settings), described(), strict=True)
    ]


def _shown(value: object) -> str:
    return ",".join(value) if isinstance(value, tuple) else str(value)


@cache.command()
def show(as_json: AsJson = False) -> None:
    """Print where compiled kernels are kept, how many, and how much room they take."""
    from tilesmith.settings import current
    from tilesmith.toolchain import Cache
    from tilesmith.units import readable

    root = current().cache_dir
    usage = Cache(root).usage()
    text = f"{root}: {usage.entries} entries, {readable(usage.bytes)}"
    tell(as_json, {"directory": str(root), "entries": usage.entries, "bytes": usage.bytes}, text)


@cache.command()
def clear(
    older_than: Annotated[
        float, typer.Option(help="a number of days from 0 up: only entries that old", metavar="DAYS", min=0.0)
    ] = 0.0,
    as_json: AsJson = False,
) -> None:
    """Remove compiled kernels; they are built again when they are needed."""
    from tilesmith.settings import current
    from tilesmith.toolchain import Cache
    from tilesmith.units import readable

    root = current().cache_dir
    removed = Cache(root).clear(older_than)
    text = f"{root}: removed {removed.entries} entries, {readable(removed.bytes)}"
    tell(as_json, {"directory": str(root), "removed": removed.entries, "bytes": removed.bytes}, text)
