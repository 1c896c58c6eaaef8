"""Compare the emulator with the vendor's simulator, in two steps since they may need two Pythons.

python -m conformance.simulator record FOLDER [--chip wormhole] [--only TEXT]
TT_METAL_SIMULATOR=... python -m conformance.simulator run FOLDER [--json]
python -m conformance.simulator check . [--chip wormhole]     # with golden results of the simulator
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tilesmith.recording import Workload, record, save_recording

LIMIT = 300


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=("record", "run", "one", "check"))
    parser.add_argument("path", type=Path)
    parser.add_argument("--chip", default="wormhole")
    parser.add_argument("--only", default="", help="only workloads whose title contains this")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    options = parser.parse_args()
    if options.step == "record":
        write_recordings(options.path, options.chip, options.only)
        return 0
    if options.step == "one":
        print(json.dumps(outcome(options.path)))
        return 0
    if options.step == "check":
        return check_golden(options.chip)
    return report(options.path, options.only, options.json)


def write_recordings(folder: Path, chip: str, only: str) -> None:
    """The examples, the micro-kernels and the batches, as the emulator runs them."""
    folder.mkdir(parents=True, exist_ok=True)
    for work in (*_examples(), *_micro_kernels()):
        path = folder / f"{chip} {re.sub(r'[^A-Za-z0-9_]+', '-', work.title).strip('-')}.npz"
        if only in work.title and not path.exists():
            save_recording(record(work, chip), path)


def _examples() -> Iterator[Workload]:
    from conformance.example_cases import CASES

    for module, arguments in CASES:
        title = " ".join([module.__name__.split(".")[-2], *map(str, arguments.values())])
        yield Workload(title, partial(module.run, **arguments, seed=3))


def _micro_kernels() -> Iterator[Workload]:
    from conformance.simulator.batches import batches
    from conformance.simulator.micro_kernels import micro_kernels
    from conformance.simulator.recordings import batch_workload, workload

    yield from map(workload, micro_kernels())
    yield from map(batch_workload, batches())


def check_golden(chip: str) -> int:
    """The emulator against what the simulator gave before."""
    from conformance.simulator.golden import check_all

    count, found = check_all(chip)
    for one in found:
        print(f"{one.batch}: {one.call} differs in {one.differing} bytes")
    print(f"{chip}: {count - len(found)} of {count} calls have the simulator's bits")
    return bool(found)


def outcome(path: Path) -> dict[str, str]:
    """What the simulator gave beside what was recorded: the same, rounding, or different; with details."""
    import tilesmith
    from tilesmith.conformance.compare import Stored, compare_stored
    from tilesmith.recording import load_recording, replay

    recording = load_recording(path)
    with tilesmith.open_device("ttnn") as device:
        got = replay(recording, device)
    sides = [
        {number: Stored(recording.tensors[number], pages) for number, pages in side.items()}
        for side in (recording.final_results, got)
    ]
    tensors = compare_stored(*sides)
    same, ok = (all(getattr(one, name) for one in tensors) for name in ("same_bits", "ok"))
    return {
        "verdict": "same" if same else "rounding" if ok else "different",
        "details": "; ".join(str(one) for one in tensors if not one.same_bits),
    }


def report(folder: Path, only: str, as_json: bool) -> int:
    """Every recording in a process of its own: the simulator ends the process on what it does not know."""
    outcomes = {path.stem: _apart(path) for path in sorted(folder.glob("*.npz")) if only in path.stem}
    counts = dict.fromkeys(("same", "rounding", "different", "not run"), 0)
    for one in outcomes.values():
        counts[one["verdict"]] += 1
    if as_json:
        print(json.dumps({"counts": counts, "outcomes": outcomes}))
    else:
        for title, one in outcomes.items():
            print(f"{one['verdict']:10} {title} {one['details']}".rstrip())
        print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return bool(counts["different"])


def _apart(path: Path) -> dict[str, str]:
    command = [sys.executable, "-m", "conformance.simulator", "one", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return {"verdict": "not run", "details": f"no end within {LIMIT} s"}
    lines = (done.stdout + done.stderr).splitlines()
    for line in reversed(lines):
        if line.startswith('{"verdict"'):
            found: dict[str, str] = json.loads(line)
            return found
    complaints = [line for line in lines if "ERROR" in line or "error:" in line]
    return {"verdict": "not run", "details": (complaints or lines or ["no output"])[-1][:300]}


if __name__ == "__main__":
    sys.exit(main())
