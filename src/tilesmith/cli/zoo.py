"""`tilesmith zoo`: models to try."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tilesmith.cli.output import AsJson, stdout_kept_for_json, tell

zoo = typer.Typer(no_args_is_help=True, help="Models to try, each with weights, an input and a comparison.")


@zoo.command("list")
def list_models(as_json: AsJson = False) -> None:
    """List the models, and where their weights come from."""
    from tilesmith.zoo import ENTRIES

    lines = [("MODEL", "WHAT IT IS", "WEIGHTS"), *((e.name, e.sentence, e.weights) for e in ENTRIES)]
    name, sentence = (max(len(line[column]) for line in lines) for column in (0, 1))
    text = "\n".join(f"{line[0]:{name}}  {line[1]:{sentence}}  {line[2]}" for line in lines)
    tell(as_json, [{"name": e.name, "is": e.sentence, "weights": e.weights} for e in ENTRIES], text)


@zoo.command()
def run(
    name: Annotated[str, typer.Argument(help="a name that `zoo list` prints", metavar="MODEL")],
    tiny: Annotated[bool, typer.Option("--tiny", help="a small version with random weights")] = False,
    backend: Annotated[str, typer.Option(help="tenstorrent, cpu or cuda")] = "tenstorrent",
    level: Annotated[str, typer.Option(help="O0, O1, O2 or O3")] = "O2",
    checks: Annotated[bool, typer.Option(help="look for broken rules in every kernel; slower")] = False,
    weights: Annotated[Path | None, typer.Option(help="a checkpoint of yours", metavar="PATH")] = None,
    out: Annotated[Path | None, typer.Option(help="write the image it makes", metavar="FILE")] = None,
    as_json: AsJson = False,
) -> None:
    """Run a model, compare it with torch, and say what it was compiled to."""
    from tilesmith.zoo import run as run_entry

    options = {"checks": "on" if checks else "off", "numbers": "chip" if checks else "fast"}
    chosen = options if backend == "tenstorrent" else {}
    with stdout_kept_for_json(as_json):
        outcome = run_entry(
            name, "tiny" if tiny else "full", backend, weights, out=out, optimization_level=level, **chosen
        )
    tell(as_json, outcome.to_json(), str(outcome))
    if out is not None and not as_json:
        typer.echo(f"  the image is in {out}")
    if not outcome.ok:
        raise typer.Exit(1)


@zoo.command()
def generate(
    prompt: Annotated[str, typer.Argument(help="how the text begins")],
    count: Annotated[int, typer.Option(help="how many tokens to add")] = 16,
    backend: Annotated[str, typer.Option(help="tenstorrent, cpu or cuda")] = "tenstorrent",
    weights: Annotated[
        Path | None, typer.Option(help="a folder with a Llama of yours", metavar="PATH")
    ] = None,
    compare: Annotated[bool, typer.Option("--compare", help="also ask torch, and say if it agrees")] = False,
) -> None:
    """Continue a text with SmolLM2, keeping keys and values between tokens."""
    from tilesmith.zoo.generation import compare_continuations, continue_text

    if not compare:
        typer.echo(continue_text(prompt, count, backend, weights))
        return
    comparison = compare_continuations(prompt, count, backend, weights)
    same = sum(one == other for one, other in zip(comparison.ours, comparison.theirs, strict=True))
    typer.echo(f"{comparison.text}\n{same} of {count} tokens are torch's")
    if same < count:
        raise typer.Exit(1)
