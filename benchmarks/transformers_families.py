"""Compile every model family of `transformers` that builds from a small configuration, and count results.

    python benchmarks/transformers_families.py --json
    python benchmarks/transformers_families.py --only bert,llama

A family counts if it builds and runs in PyTorch with random weights and made-up inputs, without a download.
It compiles `whole` if no operator that makes real numbers stays on the host, `with_fallbacks` if some do, and
`failed` if planning its kernels raises. Each family has a process of its own and --seconds to finish.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import torch

from benchmarks.small_models import Unbuilt, small_model
from tilesmith.zoo.planning import planned


def main() -> None:
    options = _options()
    names = options.only.split(",") if options.only else _families()
    names = names[:: options.every]
    done: dict[str, dict[str, Any]] = {}
    if options.keep and options.keep.exists():
        done = json.loads(options.keep.read_text())
    end = time.monotonic() + (options.minutes or 1e6) * 60
    for name in names:
        if name not in done and time.monotonic() < end:
            done[name] = _apart(name, options.seconds)
            print(
                f"{name}: {done[name]['result']} {done[name].get('why', '')[:150]}",
                file=sys.stderr,
                flush=True,
            )
            if options.keep:
                options.keep.write_text(json.dumps(done))
    summary = summarise({name: done[name] for name in names if name in done})
    print(json.dumps(summary) if options.json else _table(summary))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="names with commas between them")
    parser.add_argument("--every", type=int, default=1, help="try only every so many-th family")
    parser.add_argument("--seconds", type=int, default=180, help="for one family")
    parser.add_argument("--minutes", type=float, default=0, help="start no family after this; 0: try all")
    parser.add_argument("--keep", type=Path, help="a file for results, from which a stopped run goes on")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _families() -> list[str]:
    from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

    return sorted(MODEL_MAPPING_NAMES)


def _apart(name: str, seconds: int) -> dict[str, Any]:
    """Try a family in a process of its own, so that whatever it does is done to that process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result.json"
        child = os.fork()
        if child == 0:
            _try_and_exit(name, path)
        end = time.monotonic() + seconds
        while time.monotonic() < end and os.waitpid(child, os.WNOHANG)[0] == 0:
            time.sleep(0.05)
        else:
            if not path.exists():
                _stop(child)
        if not path.exists():
            return {"result": "failed", "why": f"no result within {seconds} s, or the process died"}
        found: dict[str, Any] = json.loads(path.read_text())
        return found


def _stop(child: int) -> None:
    try:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    except (ProcessLookupError, ChildProcessError):
        return


def _try_and_exit(name: str, path: Path) -> None:
    warnings.simplefilter("ignore")
    try:
        result = attempt(name)
    except BaseException as error:
        result = {"result": "failed", "why": f"{type(error).__name__}: {error}"[:500]}
    path.with_suffix(".part").write_text(json.dumps(result))
    path.with_suffix(".part").rename(path)
    os._exit(0)


def attempt(name: str) -> dict[str, Any]:
    """What becomes of a family: not built, failed, with fallbacks, or whole."""
    try:
        model, inputs = small_model(name)
    except Unbuilt as reason:
        return {"result": "unbuilt", "why": str(reason)[:300]}
    with torch.no_grad():
        made = planned(model, (), inputs)
    report = made.report
    found = {"kernels": len(report.kernels), "ops": report.ops, "host": Counter(made.host_compute)}
    return {"result": "with_fallbacks" if made.host_compute else "whole", **found}


def summarise(done: dict[str, dict[str, Any]]) -> dict[str, Any]:
    counts = Counter(one["result"] for one in done.values())
    built = sum(counts.values()) - counts["unbuilt"]
    missing: Counter[str] = Counter()
    for one in done.values():
        missing.update(dict.fromkeys(one.get("host", {}), 1))
    return {
        "tried": len(done),
        "built": built,
        **{key: counts[key] for key in ("whole", "with_fallbacks", "failed", "unbuilt")},
        "compile_share": round((counts["whole"] + counts["with_fallbacks"]) / max(1, built), 4),
        "whole_share": round(counts["whole"] / max(1, built), 4),
        "missing": dict(missing.most_common(20)),
        "failures": {name: one["why"] for name, one in done.items() if one["result"] == "failed"},
    }


def _table(summary: dict[str, Any]) -> str:
    lines = [f"{key:16} {summary[key]}" for key in ("tried", "built", "whole", "with_fallbacks", "failed")]
    lines.append(f"compile {summary['compile_share']:.1%}, whole {summary['whole_share']:.1%} of those built")
    lines += [f"  on the host in {count} families: {op}" for op, count in summary["missing"].items()]
    lines += [f"  {name}: {why.splitlines()[0][:160]}" for name, why in summary["failures"].items()]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
