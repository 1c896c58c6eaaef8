"""`tilesmith profile`: run a script, watch its programs, show and save what was seen."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tilesmith.cli.output import stdout_kept_for_json
from tilesmith.cli.script import check_exists, run_script
from tilesmith.errors import ProfileError
from tilesmith.profiling import Profile, recording


def profile_script(
    script: str, arguments: Sequence[str], module: bool, out: Path | None, as_json: bool
) -> int:
    """The exit code: the script's own. What ran before a failure is shown and saved all the same."""
    check_exists(script, module)
    with recording(script if module else Path(script).stem) as recorder, stdout_kept_for_json(as_json):
        code = run_script(script, arguments, module)
    profile = recorder.profile
    if not profile.programs and not code:
        raise ProfileError(
            f"{script} ran no program on the emulator",
            where=script,
            remedy="profile a script that calls a compiled kernel or device.run",
        )
    _tell(profile, out, as_json)
    return code


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
