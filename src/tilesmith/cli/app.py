"""The subcommands and their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tilesmith.cli.op import op
from tilesmith.cli.zoo import zoo

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Run and check Tenstorrent programs on this computer.",
)
cache = typer.Typer(no_args_is_help=True, help="The compiled kernels kept on disk.")
app.add_typer(cache, name="cache")
app.add_typer(op, name="op")
app.add_typer(zoo, name="zoo")


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


@app.command()
def opt(
    source: Annotated[
        str, typer.Argument(help="a .mlir file, or - for standard input", metavar="FILE")
    ] = "-",
    passes: Annotated[
        str, typer.Option("-p", "--passes", help="names with commas between them, or all", metavar="PASSES")
    ] = "",
    arch: Annotated[str, typer.Option(help="the chip that `-p all` compiles for")] = "wormhole",
    formats: Annotated[str, typer.Option(help="formats of parameters for `-p all`: B=Bfp8_b,C=Float32")] = "",
    trace: Annotated[
        Path | None, typer.Option(help="write the IR after every pass to this HTML file", metavar="HTML")
    ] = None,
    list_passes: Annotated[bool, typer.Option("--list", help="list the passes and their options")] = False,
) -> None:
    """Run passes of the tile compiler on textual IR and print what they make of it."""
    from tilesmith.cli.opt import listed, optimise
    from tilesmith.compiler.pipeline import Choices

    choices = Choices(arch=arch, formats=formats)
    if list_passes:
        for name, options, sentence in listed(choices):
            typer.echo(f"{name}{{{options}}}\n    {sentence}" if options else f"{name}\n    {sentence}")
        return
    typer.echo(optimise(source, passes, choices, trace))


@app.command("compile")
def compile_kernel(
    kernel: Annotated[str, typer.Argument(help="file.py:kernel, file.py:maker(64, 64), or a .mlir file")],
    out: Annotated[
        Path | None, typer.Option(help="write the C++ and plan.json here instead of printing the C++")
    ] = None,
    arch: Annotated[str, typer.Option(help="the chip")] = "wormhole",
    formats: Annotated[str, typer.Option(help="formats of parameters: B=Bfp8_b,C=Float32")] = "",
    fidelity: Annotated[str, typer.Option(help="LoFi, HiFi2, HiFi3 or HiFi4")] = "HiFi4",
) -> None:
    """Compile a TileLang kernel to C++ and show it, or write it to a folder."""
    from tilesmith.cli.compile import compiled, write

    made = compiled(kernel, arch, formats, fidelity)
    if out is None:
        typer.echo("\n".join(made.sources().values()))
        return
    for path in write(made, out):
        typer.echo(path)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def profile(
    context: typer.Context,
    script: Annotated[str, typer.Argument(help="a Python file; what follows it is given to it")],
    module: Annotated[bool, typer.Option("-m", help="SCRIPT names a module, as after python -m")] = False,
    out: Annotated[
        Path | None, typer.Option(help="write the report, the traces and the vendor's files here")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the profile as JSON")] = False,
) -> None:
    """Run a script and say where the predicted time of its programs goes."""
    from tilesmith.cli.profile import profile_script

    raise typer.Exit(profile_script(script, context.args, module, out, as_json))


@app.command()
def bench(
    model: Annotated[
        str, typer.Argument(help="a name that `zoo list` prints, or file.py:maker(...) -> (model, inputs)")
    ],
    tiny: Annotated[bool, typer.Option("--tiny", help="the small version, with random weights")] = False,
    levels: Annotated[str, typer.Option(help="with commas between them: O0,O2; all if left out")] = "",
    accuracy: Annotated[
        float, typer.Option(help="at O3: how far results may move, as relative L2 error")
    ] = 0.01,
    checks: Annotated[bool, typer.Option(help="look for broken rules in every kernel; slower")] = False,
    weights: Annotated[Path | None, typer.Option(help="a checkpoint of yours", metavar="PATH")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the figures as JSON")] = False,
) -> None:
    """Run a model at each optimisation level and show the time each would take on the chip."""
    import json

    from tilesmith.cli.bench import bench as measured
    from tilesmith.zoo.levels import table

    figures = measured(model, tiny, levels, weights, accuracy, checks)
    typer.echo(json.dumps([one.to_json() for one in figures]) if as_json else table(figures))


@app.command()
def dashboard(
    folder: Annotated[Path, typer.Argument(help="where profiles are saved")] = Path("profiles"),
    port: Annotated[int, typer.Option(help="of the web page")] = 8501,
) -> None:
    """Serve a web page over saved profiles: the newest, its history, and what got slower."""
    from tilesmith.cli.dashboard import serve

    serve(folder, port)


@cache.command()
def show() -> None:
    """Print where compiled kernels are kept, how many, and how much room they take."""
    from tilesmith.settings import current
    from tilesmith.toolchain import Cache
    from tilesmith.units import readable

    root = current().cache_dir
    usage = Cache(root).usage()
    typer.echo(f"{root}: {usage.entries} entries, {readable(usage.bytes)}")


@cache.command()
def clear(
    older_than: Annotated[float, typer.Option(help="only entries this many days old", metavar="DAYS")] = 0.0,
) -> None:
    """Remove compiled kernels; they are built again when they are needed."""
    from tilesmith.settings import current
    from tilesmith.toolchain import Cache
    from tilesmith.units import readable

    root = current().cache_dir
    removed = Cache(root).clear(older_than)
    typer.echo(f"{root}: removed {removed.entries} entries, {readable(removed.bytes)}")


@app.command()
def conformance(
    work: Annotated[
        str,
        typer.Argument(help="file.py:run(...) that takes a device, file.py:kernel, .mlir or a recording"),
    ],
    on: Annotated[
        list[str] | None, typer.Option(help="a target: wormhole, blackhole:fast, ttnn; give two or more")
    ] = None,
    sizes: Annotated[str, typer.Option(help="how large a kernel's symbols are: M=64,N=128")] = "",
    save: Annotated[
        Path | None, typer.Option("--record", help="write a recording for the first target", metavar="NPZ")
    ] = None,
) -> None:
    """Run the same work on several targets and compare the results bit by bit and by error."""
    from tilesmith.cli import conformance as command

    chosen = command.work_from(work, sizes)
    targets = on or ["wormhole:chip", "wormhole:fast"]
    if save is not None:
        command.save(chosen, targets[0], save)
        typer.echo(save)
        if on is None or len(targets) < 2:
            return
    found = command.verdicts(chosen, targets)
    for verdict in found:
        typer.echo(verdict)
    if not all(verdict.ok for verdict in found):
        raise typer.Exit(1)


@app.command()
def export(
    work: Annotated[
        str,
        typer.Argument(help="file.py:run(...) that takes a device, file.py:kernel, .mlir or a recording"),
    ],
    out: Annotated[Path, typer.Option(help="a new directory for the project")],
    arch: Annotated[str, typer.Option(help="the chip")] = "wormhole",
    sizes: Annotated[str, typer.Option(help="how large a kernel's symbols are: M=64,N=128")] = "",
) -> None:
    """Write a tt-metal C++ project and a ttnn script that need no tilesmith, with data to compare."""
    from tilesmith.cli.export import export as exported

    for path in exported(work, out, arch, sizes):
        typer.echo(path)
