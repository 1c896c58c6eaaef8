"""`tilesmith profile`: run a script as Python would, watch its programs, show and save what was seen."""

from __future__ import annotations

import runpy
import sys
import traceback
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from tilesmith.errors import ProfileError, TilesmithError
from tilesmith.profiling import Profile, recording


def profile_script(
    script: str, arguments: Sequence[str], module: bool, out: Path | None, as_json: bool
) -> int:
    """The exit code: the script's own. What ran before a failure is shown and saved all the same."""
    _check_exists(script, module)
    with recording(script if module else Path(script).stem) as recorder:
        code = _run(script, arguments, module)
    profile = recorder.profile
    if not profile.programs and not code:
        raise ProfileError(
            f"{script} ran no program on the emulator",
            where=script,
            remedy="profile a script that calls a compiled kernel or device.run",
        )
    _tell(profile, out, as_json)
    return code


def _check_exists(script: str, module: bool) -> None:
    if module:
        sys.path.insert(0, "")
        try:
            found = find_spec(script) is not None
        except ModuleNotFoundError:
            found = False
        if not found:
            raise ProfileError(
                f"there is no module {script}", remedy="give its full name, dots between the parts"
            )
    elif not Path(script).is_file():
        raise ProfileError(
            f"there is no file {script}", remedy="give the path of a Python script, or -m and a module"
        )


def _run(script: str, arguments: Sequence[str], module: bool) -> int:
    before = sys.argv, list(sys.path)
    sys.argv = [script, *(arguments[1:] if arguments[:1] == ["--"] else arguments)]
    try:
        if module:
            runpy.run_module(script, run_name="__main__", alter_sys=True)
        else:
            sys.path.insert(0, str(Path(script).resolve().parent))
            runpy.run_path(script, run_name="__main__")
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except TilesmithError as error:
        print(error, file=sys.stderr)
        return 1
    except Exception:
        traceback.print_exc()
        return 1
    finally:
        sys.argv, sys.path[:] = before
    return 0


def _tell(profile: Profile, out: Path | None, as_json: bool) -> None:
    if as_json:
        print(profile.to_json())
    else:
        profile.show()
    if out is not None:
        profile.save(out)
        print(
            f"open {out / 'report.html'} in a browser; {out / 'trace.json'} at ui.perfetto.dev",
            file=sys.stderr,
        )
