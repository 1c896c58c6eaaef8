"""Whether a case is right and silent."""

from __future__ import annotations

from pathlib import Path

from conformance.vendor_run.bench import Bench, Case
from tilesmith import open_device, settings
from tilesmith.errors import TilesmithError
from tilesmith.testing import compare


def problem(case: Case, root: Path, arch: str, seeds: range) -> str:
    """Why a case is not right and silent; empty if it is."""
    with open_device(arch) as device:
        bench = Bench(device, root)
        for seed in seeds:
            try:
                with settings.using(seed=seed, checks="on", suppress=case.silenced):
                    comparison = compare(*case.run(bench), case.tolerance)
            except TilesmithError as error:
                return f"seed {seed}: {type(error).__name__}: {error}"
            if not comparison.ok:
                return f"seed {seed}: wrong: {comparison}"
    return ""
