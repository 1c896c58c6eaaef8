"""The `tilesmith` command. Each subcommand imports what it needs when it runs, so that `--help` is quick."""

from __future__ import annotations

import sys
import warnings

_PACKAGE = __file__.removesuffix("cli/__init__.py")  # pathlib would double the time of --version
_with_place = warnings.formatwarning


def format_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
) -> str:
    """What we warn of ourselves is a sentence; a place in our source would say nothing to the reader."""
    if filename.startswith(_PACKAGE) and issubclass(category, UserWarning):
        return f"tilesmith: {message}\n"
    return _with_place(message, category, filename, lineno, line)


def main() -> None:
    """Entry point: whatever goes wrong ends in a sentence and an exit code of `docs/command-line.md`."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from tilesmith import __version__

        try:
            print(f"tilesmith {__version__}", flush=True)
        except OSError as error:  # a full disk, a reader that is gone
            sys.exit(f"the version cannot be printed: {error.strerror}\n  fix: look where the output goes")
        sys.exit(0)
    warnings.formatwarning = format_warning
    try:
        from tilesmith.cli.invocation import invoke

        sys.exit(invoke(sys.argv[1:]))
    except KeyboardInterrupt:  # while it still loads
        sys.exit(130)
