"""The `tilesmith` command. Each subcommand imports what it needs when it runs, so that `--help` is quick."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point: whatever goes wrong ends in a sentence and an exit code of `docs/command-line.md`."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from tilesmith import __version__

        try:
            print(f"tilesmith {__version__}", flush=True)
        except OSError as error:  # a full disk, a reader that is gone
            sys.exit(f"the version cannot be printed: {error.strerror}\n  fix: look where the output goes")
        sys.exit(0)
    try:
        from tilesmith.cli.invocation import invoke

        sys.exit(invoke(sys.argv[1:]))
    except KeyboardInterrupt:  # while it still loads
        sys.exit(130)
