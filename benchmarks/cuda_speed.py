"""Models and kernels on an NVIDIA GPU: tilesmith's backend "cuda" beside the ways torch has.

    python benchmarks/cuda_speed.py --json                      everything, one process per way
    python benchmarks/cuda_speed.py --only bert_b1,vit_b1       some models
    python benchmarks/cuda_speed.py --only kernels --ways O3    one way
    python benchmarks/cuda_speed.py --lanes 4 --save all.json   four processes compile at a time; what a file
                                                                has already is not run again
    CUDA_SPEED_LOCK=gpu.lock python ...                         several of these at once, with one lock

Each figure of the result is the time of torch's best way over ours: 1.0 is parity, more is faster. Models are
timed call after call; kernels as calls recorded in a CUDA graph by all, so that only the GPU's time counts.
There are two parts: the models, then what takes torch longest to search, kernels and ResNet-50. In each they
are timed one after the other when all have compiled, with nothing beside them. Searches have the GPU to
themselves while they time a kernel.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from math import exp, log
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).parent.parent))
from benchmarks.cuda_cases import KERNELS, MODELS
from benchmarks.cuda_worker import LOCK, OURS
from tilesmith.zoo.gpu_bench import TORCH
from tilesmith.zoo.gpu_processes import Crew, Task

WORKER = Path(__file__).with_name("cuda_worker.py")
SEARCHED = "max-autotune-no-cudagraphs"
KERNEL_WAYS = ("eager", "default", SEARCHED, *OURS)
"""All are recorded as a CUDA graph here; the other modes of torch.compile differ in recording only."""
# Torch's compiler has no template of its own for attention and calls what eager calls: two are shown.
SAME_WHEN_COMPILED = [name for name in KERNELS if name.startswith("attention")][2:]
CACHES = ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR", "TILELANG_CACHE_DIR", "TILESMITH_CACHE_DIR")


def groups_of(way: str) -> int:
    """Processes that share the kernels of a way: one that takes too long loses all of its kernels."""
    return 9 if way == SEARCHED else 5


def parts_of(cases: list[str], ways: list[str]) -> list[list[Task]]:
    """The models; then kernels, and the models whose search takes longest."""
    tasks = tasks_of(cases, ways)
    return [[task for task in tasks if _comes_last(task) == last] for last in (False, True)]


def tasks_of(cases: list[str], ways: list[str]) -> list[Task]:
    """What each process does: a model and a way, or some kernels and a way.

    The longest searches begin first. Ways whose seconds are compared follow each other.
    """
    found: list[Task] = []
    for case in cases:
        if case != "kernels":
            found += [(case, way) for way in (*TORCH, *OURS) if way in ways]
            continue
        for way in KERNEL_WAYS:
            if way in ways:
                skipped = SAME_WHEN_COMPILED if way not in ("eager", *OURS) else []
                names = [name for name in KERNELS if name not in skipped]
                count = groups_of(way)
                found += [(f"kernels:{','.join(names[at::count])}", way) for at in range(count)]
    return sorted(found, key=_when)


def _when(task: Task) -> int:
    order = (("max-autotune", SEARCHED, "O3"), ("default", "O2"))
    return 0 if _is_longest(task) else next((at for at, ways in enumerate(order, 1) if task[1] in ways), 3)


def _comes_last(task: Task) -> bool:
    return ":" in task[0] or _is_longest(task)


def _is_longest(task: Task) -> bool:
    """Torch's search for ResNet-50 takes several times as long as any other."""
    case, way = task
    return case.startswith("resnet") and way == "max-autotune"


def start_of(task: Task) -> list[str]:
    return [sys.executable, str(WORKER), *task]


# ---- ratios ----


def ratios(found: dict[str, Any], case: str) -> dict[str, float]:
    """Torch's best time over ours, for each of our ways."""
    times = {way: one["ms"] for way, one in found.items() if isinstance(one, dict) and "ms" in one}
    theirs = [ms for way, ms in times.items() if way not in OURS]
    made = {}
    for way in OURS:
        if theirs and way in times:
            made[case if way == "O3" else f"{case}_{way}"] = round(min(theirs) / times[way], 3)
    return made


def kernel_ratios(done: dict[str, dict[str, Any]]) -> dict[str, float]:
    made: dict[str, float] = {}
    for name in KERNELS:
        ways = {
            way: one[name] for case in done if ":" in case for way, one in done[case].items() if name in one
        }
        made |= ratios(ways, name)
    for suffix in ("", "_O2"):
        logs = [log(made[name + suffix]) for name in KERNELS if name + suffix in made]
        if logs:
            made[f"kernels_geomean{suffix}"] = round(exp(sum(logs) / len(logs)), 3)
            made[f"kernels_least{suffix}"] = round(exp(min(logs)), 3)
    return made


def compile_ratios(found: dict[str, Any], case: str) -> dict[str, float]:
    """Seconds that torch may take, over ours: max-autotune's at O3, twice those of the default mode at O2."""
    seconds = {way: one.get("compile_s", 0.0) for way, one in found.items()}
    allowed = {"O3": seconds.get("max-autotune", 0.0), "O2": 2 * seconds.get("default", 0.0)}
    return {
        f"{case}_compile_{way}": round(most / seconds[way], 2)
        for way, most in allowed.items()
        if most and seconds.get(way)
    }


def summary(done: dict[str, dict[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__}
    for case in (one for one in MODELS if one in done):
        result |= ratios(done[case], case) | compile_ratios(done[case], case)
        ours = [one for way, one in done[case].items() if way in OURS and "pcc" in one]
        if ours:
            result[f"{case}_pcc"] = round(min(one["pcc"] for one in ours), 6)
            result[f"{case}_python_us"] = max(one["python_us"] for one in ours)
    return result | kernel_ratios(done)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", default=",".join((*MODELS, "kernels")))
    parser.add_argument("--ways", default=",".join(dict.fromkeys((*TORCH, *KERNEL_WAYS))))
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for a process to compile")
    parser.add_argument("--minutes", type=float, default=1e6, help="end what has not compiled by then")
    parser.add_argument("--lanes", type=int, default=1, help="processes at a time")
    parser.add_argument("--save", type=Path, help="a file for all times, written as they come")
    args = parser.parse_args()
    done: dict[str, dict[str, Any]] = {}
    if args.save and args.save.exists():
        done = json.loads(args.save.read_text())

    def store(task: Task, found: dict[str, Any]) -> None:
        case, way = task
        done.setdefault(case, {})[way] = found
        shown = {key: found[key] for key in ("ms", "compile_s", "python_us", "error") if key in found}
        print(f"{case[:40]} {way} {found['process_s']} s {shown}", file=sys.stderr, flush=True)
        if args.save:
            args.save.write_text(json.dumps(done, indent=1))

    until = time.monotonic() + 60 * args.minutes
    with tempfile.NamedTemporaryFile() as lock:
        os.environ.setdefault(LOCK, lock.name)
        crew = Crew(start_of, CACHES, args.lanes, args.limit, store)
        for tasks in parts_of(args.only.split(","), args.ways.split(",")):
            crew.run([one for one in tasks if "process_s" not in done.get(one[0], {}).get(one[1], {})], until)
    result = summary(done)
    print(
        json.dumps(result) if args.json else "\n".join(f"{name:32} {value}" for name, value in result.items())
    )


if __name__ == "__main__":
    main()
