"""The `tilesmith` command. Each subcommand imports what it needs when it runs, so that `--help` is quick."""

from __future__ import annotations


def main() -> None:
    """Entry point: errors of the catalogue end in a sentence, not in a traceback."""
    import sys

    from tilesmith.cli.app import app
    from tilesmith.errors import TilesmithError
    from tilesmith.extras import naming_extras

    try:
        with naming_extras():
            app(prog_name="tilesmith")
    except TilesmithError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
