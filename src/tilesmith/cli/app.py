"""The subcommands and their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tilesmith.cli.environment import cache, doctor, settings
from tilesmith.cli.estimate import estimate
from tilesmith.cli.examples import examples
from tilesmith.cli.op import op
from tilesmith.cli.output import AsJson, stdout_kept_for_json, tell
from tilesmith.cli.runs import runs
from tilesmith.cli.tune import tune
from tilesmith.cli.zoo import zoo

# What stands behind a script is the script's, options too.
_SCRIPT = {"allow_extra_args": True, "allow_interspersed_args": False}

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help is there at once, and is not cut at the edge of the terminal
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    help="Compile for Tenstorrent chips, and run and check the programs on this computer.",
    epilog="Exit codes: 0 done, 1 failed, 2 the arguments mean nothing, 130 interrupted;"
    " run and profile end with the code of the script.",
)
app.command()(doctor)
app.command()(settings)
app.command()(estimate)
app.command()(tune)
app.add_typer(examples, name="examples")
app.add_typer(cache, name="cache")
app.add_typer(op, name="op")
app.add_typer(runs, name="runs")
app.add_typer(zoo, name="zoo")

_Baseline = Annotated[
    str, typer.Option(help="fail if slower than this: FILE.json, a run, or best", metavar="FILE|RUN|best")
]
_FailOver = Annotated[str, typer.Option(help="how much slower is too slow", metavar="PART")]
_UpdateBaseline = Annotated[
    bool, typer.Option("--update-baseline", help="write this run's figures into FILE.json")
]


@app.callback()
def common(
    version: Annotated[bool, typer.Option("--version", "-V", help="print the version and end")] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="leave out what is told on the way; also after the command")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="tell every compilation, and where an error was raised")
    ] = False,
) -> None:
    # `invocation` takes the last two out of the arguments, wherever they stand, and `main` answers the first.
    del quiet, verbose
    if version:
        from tilesmith import __version__

        typer.echo(f"tilesmith {__version__}")
        raise typer.Exit


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(help="a new folder; its name is that of the project")],
    kernel: Annotated[
        str | None, typer.Option(help="metal (the default): C++ kernels; tilelang: one in TileLang")
    ] = None,
    model: Annotated[bool, typer.Option("--model", help="a PyTorch model")] = False,
    op: Annotated[bool, typer.Option("--op", help="a new operation, from its spec")] = False,
    as_json: AsJson = False,
) -> None:
    """Make a folder with code, a test and a notebook that run."""
    from tilesmith.cli.init import TEMPLATES, chosen
    from tilesmith.cli.init import init as made_in

    template = TEMPLATES[chosen(kernel, model, op)]
    paths = [str(path) for path in made_in(folder, template)]
    then = f"it needs {template.distribution}; then: cd {folder} && tilesmith run {folder.name}.py"
    tell(as_json, paths, "\n".join([*paths, then]))


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
    as_json: AsJson = False,
) -> None:
    """Run passes of the tile compiler on textual IR and print what they make of it."""
    from tilesmith.cli.compile import formats_from
    from tilesmith.cli.opt import listed, optimise
    from tilesmith.compiler.pipeline import Choices

    formats_from(formats)
    choices = Choices(arch=arch, formats=formats)
    if list_passes:
        found = list(listed(choices))
        lines = (
            f"{name}{{{has}}}\n    {does}" if has else f"{name}\n    {does}" for name, has, does in found
        )
        rows = [{"name": name.strip(), "options": has, "does": does} for name, has, does in found]
        tell(as_json, rows, "\n".join(lines))
        return
    text = optimise(source, passes, choices, trace)
    tell(as_json, {"module": text}, text)


@app.command("compile")
def compile_kernel(
    kernel: Annotated[str, typer.Argument(help="file.py:kernel, file.py:maker(64, 64), or a .mlir file")],
    out: Annotated[
        Path | None, typer.Option(help="write the C++ and plan.json here instead of printing the C++")
    ] = None,
    arch: Annotated[str, typer.Option(help="the chip")] = "wormhole",
    formats: Annotated[str, typer.Option(help="formats of parameters: B=Bfp8_b,C=Float32")] = "",
    fidelity: Annotated[str, typer.Option(help="LoFi, HiFi2, HiFi3 or HiFi4")] = "HiFi4",
    as_json: AsJson = False,
) -> None:
    """Compile a TileLang kernel to C++ and show it, or write it to a folder."""
    from tilesmith.cli.compile import compiled, write

    with stdout_kept_for_json(as_json):
        compiled_kernel = compiled(kernel, arch, formats, fidelity)
    if out is None:
        tell(as_json, compiled_kernel.sources(), "\n".join(compiled_kernel.sources().values()))
        return
    paths = [str(path) for path in write(compiled_kernel, out)]
    tell(as_json, paths, "\n".join(paths))


@app.command(context_settings=_SCRIPT)
def run(
    context: typer.Context,
    script: Annotated[str, typer.Argument(help="a Python file; what follows it is given to it")],
    module: Annotated[bool, typer.Option("-m", help="SCRIPT names a module, as after python -m")] = False,
    arch: Annotated[str, typer.Option(help="the chip that stands for devices opened without a name")] = "",
    checks: Annotated[str, typer.Option(help="on or off: look for broken rules in kernels")] = "",
    numbers: Annotated[str, typer.Option(help="chip or fast: how values are rounded")] = "",
    nproc_per_node: Annotated[
        int,
        typer.Option(
            "--nproc-per-node",
            help="ranks of torch.distributed, each with a chip of one mesh",
            min=0,
            max=1024,
        ),
    ] = 0,
    board: Annotated[str, typer.Option(help="the board these chips are on: t3000, galaxy, ...")] = "",
) -> None:
    """Run a script; errors of tilesmith end in their sentence, and options stand for variables."""
    from tilesmith.cli.script import check_exists, run_script, with_variables
    from tilesmith.errors import CommandLineError
    from tilesmith.settings import current

    if board and not nproc_per_node:
        raise CommandLineError("--board is for ranks", remedy="say how many: --nproc-per-node 4")
    check_exists(script, module)
    with with_variables(arch=arch, checks=checks, numbers=numbers):
        current()  # what means nothing is refused before anything runs
        raise typer.Exit(run_script(script, context.args, module, nproc_per_node, board))


@app.command(context_settings=_SCRIPT)
def profile(
    context: typer.Context,
    script: Annotated[str, typer.Argument(help="a Python file; what follows it is given to it")],
    module: Annotated[bool, typer.Option("-m", help="SCRIPT names a module, as after python -m")] = False,
    out: Annotated[
        Path | None, typer.Option(help="write the report, the traces and the vendor's files here")
    ] = None,
    as_json: AsJson = False,
    tag: Annotated[list[str] | None, typer.Option(help="a word to find this run by")] = None,
    baseline: _Baseline = "",
    fail_over: _FailOver = "5%",
    update_baseline: _UpdateBaseline = False,
) -> None:
    """Run a script and say where the predicted time of its programs goes."""
    from tilesmith.cli.compare import Gate
    from tilesmith.cli.profile import profile_script

    gate = Gate(baseline, fail_over, update_baseline)
    raise typer.Exit(profile_script(script, context.args, module, out, as_json, tag or (), gate))


@app.command()
def compare(
    names: Annotated[list[str], typer.Argument(help="runs (numbers, tags, last), folders, FILE.json::NAME")],
    html: Annotated[Path | None, typer.Option(help="write a page", metavar="FILE")] = None,
    as_json: AsJson = False,
) -> None:
    """Compare runs: totals, and kernels matched by what they compute."""
    from tilesmith.cli.compare import compared
    from tilesmith.profiling.runs.views import page_html
    from tilesmith.profiling.serial import to_json

    found = compared(names)
    if html is not None:
        html.write_text(page_html(found), encoding="utf-8")
    typer.echo(to_json(found) if as_json else str(found))


@app.command()
def bench(
    model: Annotated[
        str, typer.Argument(help="a name that `zoo list` prints, or file.py:maker(...) -> (model, inputs)")
    ],
    tiny: Annotated[bool, typer.Option("--tiny", help="the small version, with random weights")] = False,
    levels: Annotated[str, typer.Option(help="with commas between them: O0,O2; all if left out")] = "",
    accuracy: Annotated[
        float, typer.Option(help="how results must correlate with torch's at O3 (PCC)")
    ] = 0.99,
    checks: Annotated[bool, typer.Option(help="look for broken rules in every kernel; slower")] = False,
    weights: Annotated[Path | None, typer.Option(help="a checkpoint of yours", metavar="PATH")] = None,
    backend: Annotated[
        str, typer.Option(help="tenstorrent is predicted; cpu and cuda are measured on this host")
    ] = "tenstorrent",
    calls: Annotated[int, typer.Option(help="calls that are measured on cpu and cuda", min=4)] = 20,
    as_json: AsJson = False,
    baseline: _Baseline = "",
    fail_over: _FailOver = "5%",
    update_baseline: _UpdateBaseline = False,
) -> None:
    """Run a model at each optimisation level and show the time each would take on the chip, or takes here."""
    from tilesmith.cli.bench import bench as predicted
    from tilesmith.cli.bench import bench_measured, keep_and_judge
    from tilesmith.cli.compare import Gate
    from tilesmith.zoo.levels import LevelFigures, table
    from tilesmith.zoo.measured import MeasuredFigures, measured_table

    gate = Gate(baseline, fail_over, update_baseline)
    figures: list[LevelFigures] | list[MeasuredFigures]
    with stdout_kept_for_json(as_json):
        if backend == "tenstorrent":
            figures = predicted(model, tiny, levels, weights, accuracy, checks, trace=bool(baseline))
            shown = table(figures)
        else:
            figures = bench_measured(model, tiny, levels, weights, backend, calls)
            shown = measured_table(figures)
    tell(as_json, [figure.to_json() for figure in figures], shown)
    verdicts = keep_and_judge(figures, gate)
    for verdict in verdicts:
        typer.echo(verdict, err=True)
    if not all(verdict.ok for verdict in verdicts):
        raise typer.Exit(1)


@app.command()
def dashboard(
    folder: Annotated[
        Path | None, typer.Argument(help="of saved profiles; left out: the runs of this project")
    ] = None,
    port: Annotated[
        int, typer.Option(help="the port of the web page, from 1 to 65535; 0: any free one", min=0, max=65535)
    ] = 8501,
) -> None:
    """Serve a web page over runs: what runs now, the history, comparisons, and what got slower."""
    from tilesmith.cli.dashboard import serve

    serve(folder, port)


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
    as_json: AsJson = False,
) -> None:
    """Run the same work on several targets and compare the results bit by bit and by error."""
    from tilesmith.cli import conformance as command

    with stdout_kept_for_json(as_json):
        found = command.compared(work, sizes, on, save)
    data = {"recording": save, "verdicts": [command.as_data(verdict) for verdict in found]}
    tell(as_json, data, "\n".join([*([str(save)] if save else []), *map(str, found)]))
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
    as_json: AsJson = False,
) -> None:
    """Write a tt-metal C++ project and a ttnn script that need no tilesmith, with data to compare."""
    from tilesmith.cli.export import export as exported

    with stdout_kept_for_json(as_json):
        paths = [str(path) for path in exported(work, out, arch, sizes)]
    tell(as_json, paths, "\n".join(paths))
