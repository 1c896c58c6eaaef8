"""`tilesmith estimate`: a language model's speed on a board, from its configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tilesmith.cli.output import AsJson, check_writable, stdout_kept_for_json, tell


def estimate(
    source: Annotated[
        str, typer.Argument(help="a folder with a config.json, or such a file", metavar="FOLDER|CONFIG")
    ],
    board: Annotated[
        str, typer.Option(help="n150, p150; n300, t3000, quietbox or another of several chips")
    ] = "n150",
    batch: Annotated[int, typer.Option(help="texts that are generated at a time")] = 32,
    prompt: Annotated[int, typer.Option(help="tokens of each prompt")] = 128,
    tokens: Annotated[int, typer.Option(help="tokens that follow it; the cache has room for both")] = 128,
    precision: Annotated[
        str, typer.Option(help="of weights: bfloat16, bfloat8_b, bfloat4_b, or mixed: bfloat4_b where gated")
    ] = "mixed",
    chips: Annotated[
        int | None, typer.Option(help="how many of a board's chips share the model; all, if not given")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="write a page too", metavar="FILE")] = None,
    as_json: AsJson = False,
) -> None:
    """Say how fast a language model would generate on a board, and whether it fits. It needs no weights."""
    from tilesmith.models.estimate.estimate import estimate as estimated
    from tilesmith.models.estimate.hollow import read_config
    from tilesmith.models.estimate.page import as_html
    from tilesmith.models.estimate.summary import as_data, as_text

    if html is not None:
        check_writable(html)
    with stdout_kept_for_json(as_json):
        found = estimated(read_config(source), board, batch, prompt, tokens, precision, chips)
    if html is not None:
        html.write_text(as_html(found), encoding="utf-8")
    tell(as_json, as_data(found), as_text(found))
