"""Random calls of ttnn on the emulator, checks on: shapes, types, layouts and places, against torch.

    python conformance/random_ttnn_calls.py --seeds 0 1 --count 500 [--log FILE] [--json]
    python conformance/random_ttnn_calls.py --seeds 0 --first 17 --count 1      # show one again

A program is known by seed and number: a tensor, and up to four calls, each on the result of the one before
and each judged by itself. Integers and moved data must be exact; sums, differences, products and comparisons
must be torch's result rounded once; the rest lie within what their formats cost. A finding of a check and an
error that is no refusal are failures. Refusals are counted by their text, for a person to read.
With `--log` what has run is written down, and a later call goes on where it ended.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conformance.ttnn_fuzz.run import pattern, run_program
from tilesmith import ttnn


def main() -> int:
    options = _options()
    done = _read(options.log)
    device = ttnn.open_device(device_id=0)
    for seed in options.seeds:
        for number in range(options.first, options.first + options.count):
            if (seed, number) not in done:
                outcome = {"seed": seed, **run_program(seed, number, device)}
                done[seed, number] = outcome
                _note(outcome, options)
    ttnn.close_device(device)
    wanted = range(options.first, options.first + options.count)
    told = summarise(
        [one for (seed, number), one in done.items() if seed in options.seeds and number in wanted]
    )
    print(
        json.dumps(told)
        if options.json
        else f"{told['right']} right, {told['refused']} refused, {told['failed']} failed"
    )
    return 1 if told["failed"] else 0


def summarise(outcomes: list[dict[str, Any]]) -> dict[str, Any]:
    """Counts; what failed by seed and number; and how often each refusal came."""
    kinds = Counter(one["kind"] for one in outcomes)
    failures = {
        f"{one['seed']}:{one['number']}": one["kind"]
        for one in outcomes
        if one["kind"] not in ("right", "refused")
    }
    refusals = Counter(pattern(one["text"]) for one in outcomes if one["kind"] == "refused")
    return {
        "programs": len(outcomes),
        "calls": sum(len(one["calls"]) for one in outcomes),
        "right": kinds["right"],
        "refused": kinds["refused"],
        "failed": len(failures),
        "failures": failures,
        "refusals": dict(refusals.most_common()),
    }


def _note(outcome: dict[str, Any], options: argparse.Namespace) -> None:
    if options.log is not None:
        options.log.parent.mkdir(parents=True, exist_ok=True)
        with options.log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(outcome) + "\n")
    if outcome["kind"] not in ("right", "refused") or options.count == 1:
        lines = [f"seed {outcome['seed']} number {outcome['number']}: {outcome['kind']}", outcome["text"]]
        print("\n".join([*lines, *outcome["code"], *outcome["calls"]]), flush=True)


def _read(log: Path | None) -> dict[tuple[int, int], dict[str, Any]]:
    if log is None or not log.exists():
        return {}
    lines = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    return {(line["seed"], line["number"]): line for line in lines}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", "--seed", type=int, nargs="+", default=[0])
    parser.add_argument("--first", type=int, default=0, help="number of the first program")
    parser.add_argument("--count", type=int, default=500, help="programs of each seed")
    parser.add_argument("--log", type=Path, help="a file of what has run, to go on from")
    parser.add_argument("--json", action="store_true", help="the last line is a JSON object")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
