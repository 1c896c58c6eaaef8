"""Running a user's script as Python would, inside this process."""

from __future__ import annotations

import os
import runpy
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType

from tilesmith import settings
from tilesmith.errors import ScriptError, TilesmithError
from tilesmith.extras import naming_extras


def check_exists(script: str, module: bool) -> None:
    if module:
        sys.path.insert(0, "")
        try:
            found = find_spec(script) is not None
        except (ImportError, ValueError):  # ValueError: what is written cannot be a name
            found = False
        if not found:
            raise ScriptError(
                f"there is no module {script}", remedy="give its full name, dots between the parts"
            )
    elif not Path(script).is_file():
        raise ScriptError(
            f"there is no file {script}", remedy="give the path of a Python script, or -m and a module"
        )


@contextmanager
def with_variables(**options: str | None) -> Iterator[None]:
    """Settings from the command line, as if their variables had been set: the script's children see them too.

    What is empty is left as it is.
    """
    before = dict(os.environ)
    os.environ.update({settings.variable(name): text for name, text in options.items() if text})
    try:
        yield
    finally:
        for name in map(settings.variable, options):
            os.environ.pop(name, None)
            if name in before:
                os.environ[name] = before[name]


def run_script(script: str, arguments: Sequence[str], module: bool, ranks: int = 0, board: str = "") -> int:
    """Run a script to its end, once or for each of so many ranks of a mesh; its exit code."""
    before = sys.argv, list(sys.path)
    sys.argv = [script, *(arguments[1:] if arguments[:1] == ["--"] else arguments)]
    try:
        with naming_extras():
            _execute(script, module, ranks, board)
    except SystemExit as stop:
        return _exit_code(stop)
    except TilesmithError as error:
        if settings.current().verbosity == "verbose":
            traceback.print_exception(type(error), error, _frames_of_script(error))
        print(error, file=sys.stderr)
        return 1
    except Exception as error:
        frames = _frames_of_script(error)
        if frames is None and not (isinstance(error, SyntaxError) and error.lineno):
            raise ScriptError(f"{script} cannot be run: {error}", remedy="give a Python script") from error
        traceback.print_exception(type(error), error, frames)
        return 1
    finally:
        sys.argv, sys.path[:] = before
    return 0


def _execute(script: str, module: bool, ranks: int, board: str) -> None:
    if ranks:
        _run_on_mesh(script, module, ranks, board)
    elif module:
        runpy.run_module(script, run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, str(Path(script).resolve().parent))
        runpy.run_path(script, run_name="__main__")


def _exit_code(stop: SystemExit) -> int:
    """As Python ends: with the number, or with 1 and what else was given on standard error."""
    if stop.code is None or isinstance(stop.code, int):
        return stop.code or 0
    print(stop.code, file=sys.stderr)
    return 1


def _run_on_mesh(script: str, module: bool, ranks: int, board: str) -> None:
    from tilesmith.models.distributed import run_script_on_mesh

    path = find_spec(script) if module else None
    run_script_on_mesh(path.origin or script if path is not None else script, ranks, board)


def _frames_of_script(error: Exception) -> TracebackType | None:
    """From the script on: the frames above it are ours and Python's. One that never began has none."""
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename.startswith(_RUNNERS):
        frames = frames.tb_next
    return frames


_RUNNERS = (__file__, runpy.__file__, "<frozen runpy>")
