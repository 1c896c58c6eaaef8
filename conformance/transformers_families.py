"""Compile every model family of `transformers` that builds from a small configuration, and count results.

    python conformance/transformers_families.py --json
    python conformance/transformers_families.py --only bert,llama --run

A family counts if it builds and runs in PyTorch with random weights and made-up inputs, without a download.
It compiles `whole` if no operator that makes real numbers stays on the host, and `with_fallbacks` if some do.
What torch.export cannot capture is tried with torch.compile, which breaks it into graphs where it reads
values of tensors: `in_parts` if their kernels can be planned. The rest is `failed`. Each family has a
process of its own, and --seconds of processor time.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import torch
from torch.utils import _pytree as pytree

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conformance.small_inputs import masks
from conformance.small_models import Unbuilt, small_model
from tilesmith.errors import CaptureError
from tilesmith.models.compiled_model import compile_model
from tilesmith.zoo.planning import Planned, planned, planned_in_parts
from tilesmith.zoo.running import pcc, relative_l2

RESULTS = ("whole", "with_fallbacks", "in_parts", "failed", "unbuilt")


def main() -> None:
    options = _options()
    names = options.only.split(",") if options.only else _families()
    done: dict[str, dict[str, Any]] = {}
    if options.keep and options.keep.exists():
        done = json.loads(options.keep.read_text())
    left = [name for name in names if name not in done]
    end = time.monotonic() + (options.minutes or 1e6) * 60
    if left:
        _warm_up()
    for name in left:
        if time.monotonic() > end:
            break
        done[name] = one = _apart(name, options.seconds, options.run)
        print(f"{name}: {one['result']} {one.get('why', '')[:150]}", file=sys.stderr, flush=True)
        if options.keep:
            options.keep.write_text(json.dumps(done))
    summary = summarise({name: done[name] for name in names if name in done})
    print(json.dumps(summary) if options.json else _table(summary))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="names with commas between them")
    parser.add_argument(
        "--run", action="store_true", help="run it on the emulator too, and compare with torch"
    )
    parser.add_argument("--seconds", type=int, default=180, help="of processor time, for one family")
    parser.add_argument("--minutes", type=float, default=0, help="start no family after this; 0: try all")
    parser.add_argument("--keep", type=Path, help="a file for results, from which a stopped run goes on")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _families() -> list[str]:
    """A name for each folder of models, in an order that makes the first so many a fair sample."""
    from transformers.models.auto.configuration_auto import model_type_to_module_name
    from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

    folders: dict[str, list[str]] = {}
    for name in MODEL_MAPPING_NAMES:
        folders.setdefault(model_type_to_module_name(name), []).append(name)
    return sorted((min(names, key=len) for names in folders.values()), key=lambda name: crc32(name.encode()))


def _warm_up() -> None:
    """Import and run what every family needs, once: their processes start from here."""
    warnings.simplefilter("ignore")
    for name in ("bert", "llama", "vit"):
        attempt(name, run=False)
    gc.freeze()


def _apart(name: str, seconds: int, run: bool) -> dict[str, Any]:
    """Try a family in a process of its own, so that whatever it does is done to that process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result.json"
        child = os.fork()
        if child == 0:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            _try_and_exit(name, path, run)
        end = time.monotonic() + 10 * seconds
        while time.monotonic() < end and os.waitpid(child, os.WNOHANG)[0] == 0:
            time.sleep(0.05)
        else:
            if not path.exists():
                _stop(child)
        if not path.exists():
            return {
                "result": "failed",
                "why": f"no result within {seconds} s of processor time, or the process died",
            }
        found: dict[str, Any] = json.loads(path.read_text())
        return found


def _stop(child: int) -> None:
    try:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    except (ProcessLookupError, ChildProcessError):
        return


def _try_and_exit(name: str, path: Path, run: bool) -> None:
    try:
        result = attempt(name, run)
    except BaseException as error:
        result = {"result": "failed", "why": f"{type(error).__name__}: {error}"[:500]}
    path.with_suffix(".part").write_text(json.dumps(result))
    path.with_suffix(".part").rename(path)
    os._exit(0)


def attempt(name: str, run: bool) -> dict[str, Any]:
    """What becomes of a family: not built, failed, with fallbacks, or whole."""
    try:
        model, inputs = small_model(name)
    except Unbuilt as reason:
        return {"result": "unbuilt", "why": str(reason)[:300]}
    try:
        given, made = _captured(model, inputs)
    except CaptureError as error:
        found = _counted(planned_in_parts(model, (), inputs))
        return {"result": "in_parts", "why": str(error)[:300], "inputs": sorted(inputs), **found}
    found = {"inputs": sorted(given), **_counted([made])}
    if run:
        found |= _measured(model, given)
    return {"result": "with_fallbacks" if made.host_compute else "whole", **found}


def _captured(model: torch.nn.Module, inputs: dict[str, Any]) -> tuple[dict[str, Any], Planned]:
    """The plan of a model. Some can be captured only if they are given masks, or told to keep no cache."""
    refused: CaptureError | None = None
    masked = {**inputs, **masks(model, inputs)}
    for given in (inputs, masked, {**masked, "use_cache": False}):
        try:
            with torch.no_grad():
                return given, planned(model, (), given)
        except CaptureError as error:
            refused = refused or error
    assert refused is not None
    raise refused


def _counted(parts: Sequence[Planned]) -> dict[str, Any]:
    host = Counter(op for part in parts for op in part.host_compute)
    lines = [line for part in parts for line in part.report.host]
    return {
        "graphs": len(parts),
        "kernels": sum(len(part.report.kernels) for part in parts),
        "ops": sum(part.report.ops for part in parts),
        "host": host,
        "reasons": sorted({f"{line.op}: {line.reason}" for line in lines if line.op in host}),
    }


def _measured(model: torch.nn.Module, inputs: dict[str, Any]) -> dict[str, Any]:
    """How close the outputs on the emulator come to torch's: the least correlation, the largest error."""
    compiled = compile_model(model, checks="off", numbers="fast")
    with torch.no_grad():
        wanted = _tensors(model(**inputs))
        made = _tensors(compiled(**inputs))
    errors = [relative_l2(one, other) for one, other in zip(made, wanted, strict=True)]
    alike = [pcc(one, other) for one, other in zip(made, wanted, strict=True)]
    return {"pcc": min(alike), "l2": max(errors), "outputs": len(wanted)}


def _tensors(output: Any) -> list[torch.Tensor]:
    leaves = pytree.tree_leaves(output)
    return [
        one for one in leaves if isinstance(one, torch.Tensor) and one.is_floating_point() and one.numel() > 1
    ]


def summarise(done: dict[str, dict[str, Any]]) -> dict[str, Any]:
    counts = Counter(one["result"] for one in done.values())
    built = sum(counts.values()) - counts["unbuilt"]
    missing: Counter[str] = Counter()
    for one in done.values():
        missing.update(dict.fromkeys(one.get("host", {}), 1))
    return {
        "tried": len(done),
        "built": built,
        **{key: counts[key] for key in RESULTS},
        "compile_share": round((counts["whole"] + counts["with_fallbacks"]) / max(1, built), 4),
        "with_parts_share": round((built - counts["failed"]) / max(1, built), 4),
        "whole_share": round(counts["whole"] / max(1, built), 4),
        "missing": dict(missing.most_common(20)),
        "failures": {name: one["why"] for name, one in done.items() if one["result"] == "failed"},
    }


def _table(summary: dict[str, Any]) -> str:
    lines = [f"{key:16} {summary[key]}" for key in ("tried", "built", *RESULTS)]
    lines.append(f"compile {summary['compile_share']:.1%}, whole {summary['whole_share']:.1%} of those built")
    lines.append(f"{summary['with_parts_share']:.1%} with those that compile in parts")
    lines += [f"  on the host in {count} families: {op}" for op, count in summary["missing"].items()]
    lines += [f"  {name}: {why.splitlines()[0][:160]}" for name, why in summary["failures"].items()]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
