"""Is a commit as fast as another? The speed benchmarks of both, in turns on one machine, best of each.

    python benchmarks/compare_commits.py BEFORE [AFTER] [--rounds 3] [--only compile_time] [--json]

Each commit runs its own scripts on its own sources, in a worktree that goes away afterwards; products on the
emulator are timed for both by the script of this checkout, on one thread. A ratio is the cost of AFTER (this
commit, unless told) over that of BEFORE: 1.05 is five percent slower. Processor time is taken where a script
has it, so that other work on the machine shows less.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.emulator_gemm import HERE, ONE_THREAD, VARIANTS

ROOT = Path(__file__).resolve().parents[1]
Figures = Mapping[str, Any]


@dataclass(frozen=True)
class Script:
    """A benchmark: its arguments, and the costs it tells, less is better."""

    arguments: tuple[str, ...]
    costs: Callable[[Figures], dict[str, float]]


def _compile_time(told: Figures) -> dict[str, float]:
    stages = {f"{size} stages, cpu ms": ms for size, ms in told["stages_ms"].items()}
    return {"gemm256, cpu ms": told["gemm256_cpu_ms"], **stages}


def _call_overhead(told: Figures) -> dict[str, float]:
    return {f"{shape}, us": row["overhead"] for shape, row in told["microseconds"].items()}


def _model_speed(told: Figures) -> dict[str, float]:
    return {
        "run, cpu s": told["bert_base_emulator_cpu_s"],
        "compile_warm_s": told["compile_warm_s"],
        "predicted ms at O2": told["levels"]["O2"]["chip_ms"],
    }


SCRIPTS = {
    "compile_time": Script(("--repeats", "10"), _compile_time),
    "call_overhead": Script(("--calls", "300"), _call_overhead),
    "model_speed": Script(("--quick", "--layers", "2"), _model_speed),
}
EMULATOR_GEMM = "emulator_gemm"


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """A worktree of a commit, with a cache of compiled code of its own."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "-q", "--detach", str(tree), commit], check=True)
        try:
            yield tree
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def costs_of(name: str, tree: Path) -> dict[str, float]:
    """What a script says of a tree."""
    if name == EMULATOR_GEMM:
        return _emulator_gemm(tree)
    script = SCRIPTS[name]
    return script.costs(_told(tree, tree / "benchmarks" / f"{name}.py", "--json", *script.arguments))


def _emulator_gemm(tree: Path) -> dict[str, float]:
    """Seconds of the processor for the product of each variant."""
    costs = {}
    for variant, (kernel, checks, numbers) in VARIANTS.items():
        flags = ("--kernel", kernel, "--checks", checks, "--numbers", numbers, "--size", "512")
        costs[f"{variant}, cpu s"] = _told(tree, HERE / "tilesmith_matmul.py", *flags)["seconds"]
    return costs


def _told(tree: Path, script: Path, *arguments: str) -> Figures:
    """The JSON in the last line of a script that runs on the sources of a tree."""
    paths = {"PYTHONPATH": str(tree / "src"), "TILESMITH_CACHE_DIR": str(tree.parent / "cache")}
    rest = {key: value for key, value in os.environ.items() if not key.startswith("TILESMITH_")}
    done = subprocess.run(
        [sys.executable, str(script), *arguments],
        cwd=tree,
        env={**rest, **paths, **ONE_THREAD},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    told: Figures = json.loads(done.stdout.splitlines()[-1])
    return told


def best(rounds: list[dict[str, float]]) -> dict[str, float]:
    """The least cost of each figure.

    >>> best([{"a": 2.0, "b": 1.0}, {"a": 1.0, "b": 3.0}])
    {'a': 1.0, 'b': 1.0}
    """
    return {name: min(costs[name] for costs in rounds) for name in rounds[0]}


def compare(name: str, before: Path, after: Path, rounds: int) -> dict[str, Any]:
    """The ratios of a script's figures, and their mean; the first round of each fills its cache."""
    told: dict[Path, list[dict[str, float]]] = {before: [], after: []}
    for number in range(rounds):
        for tree in (before, after) if number % 2 == 0 else (after, before):
            told[tree].append(costs_of(name, tree))
    old, new = best(told[before]), best(told[after])
    ratios = {figure: round(new[figure] / old[figure], 3) for figure in old}
    return {"before": old, "after": new, "ratios": ratios, "mean": round(geometric_mean(ratios.values()), 3)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before", help="a commit")
    parser.add_argument("after", nargs="?", default="HEAD")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each script for each commit")
    parser.add_argument("--only", default=",".join([*SCRIPTS, EMULATOR_GEMM]))
    parser.add_argument("--json", action="store_true", help="the last line is a JSON object")
    options = parser.parse_args()
    told: dict[str, Any] = {}
    with ExitStack() as stack:
        before, after = (stack.enter_context(checked_out(one)) for one in (options.before, options.after))
        for name in options.only.split(","):
            told[name] = compare(name, before, after, options.rounds)
            print(f"{name}: {told[name]['mean']} in the mean; {told[name]['ratios']}", flush=True)
    if options.json:
        print(json.dumps(told))


if __name__ == "__main__":
    main()
