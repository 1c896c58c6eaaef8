"""One call of the command: its arguments to a subcommand, and how it ended to a sentence and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence

import typer

from tilesmith import settings
from tilesmith.cli.script import with_variables
from tilesmith.cli.usage import USAGE_ERROR, as_sentence
from tilesmith.errors import CommandLineError, InternalFault, TilesmithError
from tilesmith.extras import naming_extras

DONE, FAILED, MISUSED, INTERRUPTED = 0, 1, 2, 130

# What these run has options of its own: only what stands before it is ours.
_TAKES_A_SCRIPT = ("run", "profile")
_VERBOSITY = {"-q": "quiet", "--quiet": "quiet", "-v": "verbose", "--verbose": "verbose"}


def invoke(arguments: Sequence[str]) -> int:
    """The exit code."""
    from tilesmith.cli.app import app

    verbosity, rest = without_verbosity(arguments)
    with with_variables(verbosity=verbosity):
        try:
            with naming_extras():
                code = app(rest or ["--help"], prog_name="tilesmith", standalone_mode=False)
            if sys.stdout is not None:  # it may be closed
                sys.stdout.flush()
        except USAGE_ERROR as error:
            return _tell(as_sentence(error, rest), MISUSED)
        except CommandLineError as error:
            return _tell(error, MISUSED)
        except TilesmithError as error:
            return _tell(error, FAILED)
        except (KeyboardInterrupt, EOFError, typer.Abort):
            return INTERRUPTED
        except BrokenPipeError:
            # The reader has seen enough; Python would complain once more when it flushes at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return FAILED
        except Exception as error:
            return _tell(_unforeseen(error), FAILED)
    return code if isinstance(code, int) else DONE


def without_verbosity(arguments: Sequence[str]) -> tuple[str | None, list[str]]:
    """--quiet and --verbose may stand anywhere but behind a script or `--`, whose arguments are its own.

    >>> without_verbosity(["cache", "show", "-q"])
    ('quiet', ['cache', 'show'])
    >>> without_verbosity(["-v", "run", "script.py", "-q"])
    ('verbose', ['run', 'script.py', '-q'])
    """
    chosen, words = None, 0
    rest: list[str] = []
    for position, argument in enumerate(arguments):
        words += not argument.startswith("-")
        if argument == "--" or (words == 2 and rest and rest[0] in _TAKES_A_SCRIPT):
            return chosen, [*rest, *arguments[position:]]
        if argument in _VERBOSITY:
            chosen = _VERBOSITY[argument]
        else:
            rest.append(argument)
    return chosen, rest


def _tell(error: TilesmithError, code: int) -> int:
    if os.environ.get(settings.variable("verbosity")) == "verbose":
        traceback.print_exception(error.__cause__ or error)
    print(error, file=sys.stderr)
    return code


def _unforeseen(error: Exception) -> TilesmithError:
    """What nobody turned into a sentence where it happened."""
    if isinstance(error, OSError) and error.strerror:
        file = f"{error.filename}: " if error.filename else ""
        fault: TilesmithError = TilesmithError(
            f"{file}{error.strerror}", remedy="check the path, its permissions and the room on the disk"
        )
    else:
        fault = InternalFault(
            f"{type(error).__name__}: {error}",
            remedy="this is a bug in tilesmith, or in the file you named: --verbose shows where it happened",
        )
    fault.__cause__ = error
    return fault
