"""Compares ttnn 0.81.1 on its mock device with tilesmith.ttnn, call by call.

Compared are whether a call is refused and in which words; shape, padded shape, dtype, layout and memory of
the result; and how many programs a first and a second call add to the cache. ttnn's answers are in
benchmarks/ttnn_face/ttnn-0.81.1.jsonl; `--record` asks it again, with an interpreter that has it.

With --json the last line is an object with `calls`, `operations`, `same`, `differences` and `unexplained`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.ttnn_face.calls import all_calls
from benchmarks.ttnn_face.compare import (
    RECORDED,
    Difference,
    default_python,
    differences,
    read,
    record,
    write,
)


def main() -> int:
    options = _options()
    if options.record:
        write(RECORDED, record("ttnn", options.python))
    found = differences(read(RECORDED), record("tilesmith", sys.executable))
    print(table(found))
    summary = summarise(found)
    if options.json:
        print(json.dumps(summary))
    return 1 if summary["unexplained"] else 0


def summarise(found: Sequence[Difference]) -> dict[str, int]:
    calls = all_calls()
    return {
        "calls": len(calls),
        "operations": len({call.name for call in calls}),
        "same": len(calls) - len({one.key for one in found}),
        "differences": len(found),
        "unexplained": sum(not one.reason for one in found),
    }


def table(found: Sequence[Difference]) -> str:
    """Agreements for each operation, then every difference with its reason, as Markdown."""
    made = Counter(call.name for call in all_calls())
    by_field: dict[str, Counter[str]] = defaultdict(Counter)
    for one in found:
        by_field[one.key.partition(":")[0]][one.field] += 1
    lines = ["| operation | calls | same | differs in |", "|--|--|--|--|"]
    for name, count in made.items():
        differing = len({one.key for one in found if one.key.partition(":")[0] == name})
        fields = ", ".join(f"{field} ({times})" for field, times in by_field[name].items())
        lines.append(f"| {name} | {count} | {count - differing} | {fields} |")
    lines += ["", "| call | | ttnn 0.81.1 | here | why |", "|--|--|--|--|--|"]
    for one in found:
        lines.append(
            f"| {one.key} | {one.field} | {one.theirs} | {one.ours} | {one.reason or 'not explained'} |"
        )
    return "\n".join(lines)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--record", action="store_true", help="ask ttnn again")
    parser.add_argument("--python", default=default_python(), help="the interpreter that has ttnn")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
