"""Forward and backward of six models through `torch.compile(backend="tilesmith")`, every gradient compared.

python conformance/training_gradients.py --json
python conformance/training_gradients.py --only mlp,bert
"""

from __future__ import annotations

import argparse
import json
from time import perf_counter
from typing import Any

from tilesmith.zoo.training import TRAINED, Trained, train_step


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="names with commas between them")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows: dict[str, dict[str, Any]] = {}
    for name in options.only.split(",") if options.only else TRAINED:
        begin = perf_counter()
        made = train_step(TRAINED[name](), checks="off", numbers="fast")
        rows[name] = _row(made, perf_counter() - begin)
        if not options.json:
            print(name, rows[name], flush=True)
    if options.json:
        print(json.dumps({"models": rows, "all_ok": all(row["ok"] for row in rows.values())}))


def _row(made: Trained, seconds: float) -> dict[str, Any]:
    return {
        "ok": made.ok,
        "pcc": round(made.pcc, 6),
        "parameters": len(made.gradients),
        "worst_gradient_pcc": round(made.worst, 6),
        "worst_gradient_l2": round(max(one.relative_l2 for one in made.gradients if not one.vanishes), 4),
        "vanishing": [one.parameter for one in made.gradients if one.vanishes],
        "wrong": [one.parameter for one in made.gradients if not one.ok],
        "kernels": [len(report.kernels) for report in made.reports],
        "host": sorted({line.op for report in made.reports for line in report.host}),
        "seconds": round(seconds, 1),
    }


if __name__ == "__main__":
    main()
