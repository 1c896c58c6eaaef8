"""Compares ttnn 0.81.1 on its mock device with tilesmith.ttnn, call by call.

Compared are whether a call is refused and in which words; shape, padded shape, dtype, layout and memory of
the result; and how many programs a first and a second call add to the cache. ttnn's answers are in
conformance/ttnn_api/ttnn-0.81.1.jsonl; `--record` asks it again, with an interpreter that has it.

With --json the last line is an object with `calls`, `operations`, `same`, `differences` and `unexplained`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conformance.ttnn_api.calls import all_calls
from conformance.ttnn_api.compare import (
    RECORDED,
    Difference,
    default_python,
    differences,
    read,
    record,
    write,
)
from conformance.ttnn_api.page import tables, update_page


def main() -> int:
    options = _options()
    if options.record:
        write(RECORDED, record("ttnn", options.python))
    found = differences(read(RECORDED), record("tilesmith", sys.executable))
    for table in tables(found).values():
        print(table, end="\n\n")
    if options.page:
        update_page(found)
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


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--page", action="store_true", help="put the tables into docs/ttnn-differences.md")
    parser.add_argument("--record", action="store_true", help="ask ttnn again")
    parser.add_argument("--python", default=default_python(), help="the interpreter that has ttnn")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
