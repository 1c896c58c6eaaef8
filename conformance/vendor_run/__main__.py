"""Runs the vendor's kernel files with host programs of ours that follow its factories.

    python -m conformance.vendor_run WHEEL [--only WORD] [--seeds 20] [--arch blackhole] [--json]

WHEEL is a ttnn .whl file or the folder one was unpacked into. Results are compared with torch, with all
checks on; any finding counts as a failure. With --json the last line is an object with `cases`, `ran` (names
of those that are right and silent under every seed), `families`, `silenced` (rules that the vendor's kernels
break without harm, case by case), and `failed` with reasons.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from conformance.vendor.wheel import Wheel
from conformance.vendor_run.cases import CASES
from conformance.vendor_run.judge import problem


def main() -> int:
    options = _options()
    names = [name for name in CASES if any(word in name for word in options.only or [""])]
    failed: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as scratch:
        root = links(Wheel.open(options.wheel, Path(scratch) / "wheel"), Path(scratch) / "links")
        for name in names:
            if reason := problem(CASES[name], root, options.arch, range(options.seeds)):
                failed[name] = reason
            silenced = CASES[name].silenced
            good = f"right; silenced: {', '.join(silenced)}" if silenced else "right and silent"
            print(f"{name}: {reason or good}", flush=True)
    ran = [name for name in names if name not in failed]
    families = sorted({CASES[name].family for name in ran})
    print(f"{len(ran)} of {len(names)} cases, {len(families)} families")
    if options.json:
        by_name = {name: CASES[name].silenced for name in ran if CASES[name].silenced}
        summary = {
            "cases": len(names),
            "ran": ran,
            "families": families,
            "silenced": by_name,
            "failed": failed,
        }
        print(json.dumps(summary))
    return 1 if failed else 0


def links(wheel: Wheel, folder: Path) -> Path:
    """A folder with ttnn's own sources only: the whole package has its API headers too."""
    folder.mkdir()
    (folder / "ttnn").symlink_to(wheel.package / "ttnn")
    return folder


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheel", type=Path, help="a ttnn .whl file, or the folder one was unpacked into")
    parser.add_argument("--only", nargs="*", help="cases whose name has one of these words")
    parser.add_argument("--seeds", type=int, default=1, help="scheduler seeds to run each case under")
    parser.add_argument("--arch", choices=("wormhole", "blackhole"), default="wormhole")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
