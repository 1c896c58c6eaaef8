"""Which calls of ttnn in a folder of Python files name something that tilesmith's ttnn has.

    python conformance/ttnn_calls_served.py CHECKOUT/models/demos --json

Every `ttnn.x(...)` and `ttnn.x.y(...)` in the source is counted. Calls about several chips (meshes,
fabrics, collectives, sockets) are counted apart. With --json the last line is an object with `calls`,
`served`, `share`, `several_chips` (calls and served), `files`, `files_served` and `missing` by name.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from tilesmith import ttnn  # noqa: E402

SEVERAL_CHIPS = re.compile(
    r"mesh|fabric|all_gather|all_reduce|reduce_scatter|all_to_all|all_broadcast|point_to_point|mesh_partition"
    r"|socket|distributed|global_semaphore|sub_device|_async$|ccl|concat_mesh|replicate|composer|mapper|topology"
    r"|send_|recv_|prefetcher|global_circular_buffer|deepseek|multihost|MultiProducer|Topology|broadcast$",
    re.IGNORECASE,
)


def calls(source: str) -> Iterator[str]:
    """The dotted names after `ttnn.` that are called.

    >>> list(calls("import ttnn\\nttnn.experimental.f(ttnn.add(a, b))"))
    ['experimental.f', 'add']
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            parts: list[str] = []
            at: ast.expr = node.func
            while isinstance(at, ast.Attribute):
                parts.append(at.attr)
                at = at.value
            if isinstance(at, ast.Name) and at.id == "ttnn" and parts:
                yield ".".join(reversed(parts))


def exists(name: str) -> bool:
    at: Any = ttnn
    for part in name.split("."):
        if not hasattr(at, part):
            return False
        at = getattr(at, part)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    known: dict[str, bool] = {}
    plain: Counter[str] = Counter()
    several: Counter[str] = Counter()
    files = whole = 0
    for path in sorted(options.folder.rglob("*.py")):
        try:
            found = list(calls(path.read_text(encoding="utf-8")))
        except (OSError, SyntaxError):
            continue
        for name in found:
            known.setdefault(name, exists(name))
        mine = [name for name in found if not SEVERAL_CHIPS.search(name)]
        plain.update(mine)
        several.update(name for name in found if SEVERAL_CHIPS.search(name))
        files += bool(mine)
        whole += bool(mine) and all(known[name] for name in mine)
    missing = Counter({name: count for name, count in plain.items() if not known[name]})
    served = plain.total() - missing.total()
    for name, count in missing.most_common(80):
        print(f"{count:6d}  {name}")
    summary = {
        "calls": plain.total(),
        "served": served,
        "share": round(served / max(plain.total(), 1), 4),
        "several_chips": [several.total(), sum(count for name, count in several.items() if known[name])],
        "files": files,
        "files_served": whole,
    }
    print(summary)
    if options.json:
        print(json.dumps({**summary, "missing": dict(missing.most_common())}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
