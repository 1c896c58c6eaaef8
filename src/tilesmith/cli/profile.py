"""`tilesmith profile`: run a script, watch its programs, show and save what was seen."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tilesmith.cli.compare import Gate
from tilesmith.cli.output import stdout_kept_for_json
from tilesmith.cli.script import check_exists, run_script
from tilesmith.errors import ProfileError
from tilesmith.profiling import Profile, recording
from tilesmith.profiling.runs.figures import figures_of
from tilesmith.profiling.runs.live import live
from tilesmith.profiling.runs.store import RunStore, keep


def profile_script(
    script: str,
    arguments: Sequence[str],
    module: bool,
    out: Path | None,
    as_json: bool,
    tags: Sequence[str] = (),
    gate: Gate | None = None,
) -> int:
    """The exit code: the script's own, or 1 where its gate fails. What ran before a failure is kept."""
    check_exists(script, module)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)  # before the script runs, not after
    title = script if module else Path(script).stem
    with recording(title) as recorder, live(title), stdout_kept_for_json(as_json):
        code = run_script(script, arguments, module)
    profile = recorder.profile
    if not profile.programs and code:
        return code  # it has said why
    if not profile.programs:
        raise ProfileError(
            f"{script} ran no program on the emulator",
            where=script,
            remedy="profile a script that calls a compiled kernel or device.run",
        )
    _tell(profile, out, as_json)
    figures = figures_of(profile)
    verdict = gate.verdict(profile.title, figures, RunStore()) if gate and not code else None
    run = keep(figures, profile, tags)
    if run is not None:
        print(f"kept as run {run.id}: `tilesmith runs show {run.id}`", file=sys.stderr)
    if verdict is not None:
        print(verdict, file=sys.stderr)
        return 0 if verdict.ok else 1
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
