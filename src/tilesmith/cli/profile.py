"""`tilesmith profile`: run a script as Python would, watch its programs, show and save what was seen."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

from tilesmith.errors import ProfileError, TilesmithError
from tilesmith.profiling import Profile, recording


def profile_script(script: Path, arguments: Sequence[str], out: Path | None, as_json: bool) -> int:
    """The exit code: the script's own. What ran before a failure is shown and saved all the same."""
    if not script.is_file():
        raise ProfileError(f"there is no file {script}", remedy="give the path of a Python script")
    with recording(script.stem) as recorder:
        code = _run(script, arguments)
    profile = recorder.profile
    if not profile.programs and not code:
        raise ProfileError(
            f"{script.name} ran no program on the emulator",
            where=str(script),
            remedy="profile a script that calls a compiled kernel or device.run",
        )
    _tell(profile, out, as_json)
    return code


def _run(script: Path, arguments: Sequence[str]) -> int:
    before = sys.argv, list(sys.path)
    sys.argv = [str(script), *(arguments[1:] if arguments[:1] == ["--"] else arguments)]
    sys.path.insert(0, str(script.resolve().parent))
    try:
        runpy.run_path(str(script), run_name="__main__")
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except TilesmithError as error:
        print(error, file=sys.stderr)
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
