"""Do the checks find mistakes in the vendor's kernels? Alters each of their synchronisation calls, singly.

    python -m conformance.vendor_run.mutation WHEEL [--only WORD] [--seeds 4] [--jobs 2] [--json]

As conformance/mutation.py does with the examples: calls of circular buffers, barriers, semaphores, multicasts
and DST are dropped, moved, or given other numbers and objects. A mutant is `found` if a check reports it,
`same` if its result is that of the kernel as it is under every seed, and `missed` if the result is another
and no check says so. Calls that the case does not come to (other configurations of the kernel) are counted as
`unreached`, and calls inside the headers that kernels share are left as they are.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path

import torch

from conformance.mutation_pool import run_all
from conformance.mutation_run import STEP_LIMIT, Verdict, verdict_of
from conformance.mutation_sites import Family, Site
from conformance.mutation_switch import REACHED, VARIABLE, Mutant, Rewriter
from conformance.vendor.wheel import Wheel
from conformance.vendor_run.bench import Bench
from conformance.vendor_run.cases import CASES
from tilesmith import open_device, settings
from tilesmith.errors import TilesmithError
from tilesmith.program import Program

CONDITION = re.compile(r"^\s*#\s*(ifdef|ifndef|if|elif|else|endif)\b([^\n]*)", re.MULTILINE)
KINDS = ("found", "same", "missed", "unreached")


@dataclass(frozen=True)
class Task:
    """One mutant in one case. `root` is the folder with the rewritten kernels."""

    case: str
    root: Path
    mutant: Mutant
    seeds: range
    arch: str

    @property
    def name(self) -> str:
        one = self.mutant
        return f"{self.case}: {one.path.name}:{one.line}: {one.kind}: {one.content}"


def main() -> int:
    options = _options()
    names = [name for name in CASES if any(word in name for word in options.only or [""])]
    with tempfile.TemporaryDirectory() as scratch:
        wheel = Wheel.open(options.wheel, Path(scratch) / "wheel")
        root = Path(scratch).resolve() / "kernels"
        shutil.copytree(wheel.package / "ttnn" / "cpp", root / "ttnn" / "cpp")
        tasks = _tasks(names, root, options)
        summary = _judged(tasks, options.jobs)
    print(
        ", ".join(
            f"{key} {summary[key]}" for key in ("mutants", "found", "same", "missed", "other", "unreached")
        )
    )
    if options.json:
        print(json.dumps(summary))
    return 1 if summary["missed"] else 0


def _tasks(names: Sequence[str], root: Path, options: argparse.Namespace) -> list[Task]:
    """Every mutant of every kernel file that a case uses, in that case; the files are rewritten."""
    files = {name: _files(name, root, options.arch) for name in names}
    numbers = count(1)
    mutants = {path: _rewritten(path, numbers) for path in sorted(set().union(*files.values()))}
    tasks = [
        Task(name, root, mutant, range(options.seeds), options.arch)
        for name in names
        for path in sorted(files[name])
        for mutant in mutants[path]
    ]
    step = max(1, len(tasks) // options.limit) if options.limit else 1
    return tasks[::step]


def _files(name: str, root: Path, arch: str) -> set[Path]:
    """The kernel files of a case, found by running it once."""
    found: set[Path] = set()

    def note(program: Program) -> None:
        found.update(Path(kernel.kernel_source) for kernel in program.kernels)

    with open_device(arch) as device, settings.using(suppress=CASES[name].silenced):
        CASES[name].run(Bench(device, root, note))
    return found


class Synchronising(Rewriter):
    """Set-up calls of the engines stay as they are."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.sites = [site for site in self.sites if site.family is not Family.SETUP and _is_call(site.name)]

    def _is_alike(self, one: Site, other: Site) -> bool:
        """A name is there wherever `one` is compiled if its own conditions are among those around `one`."""
        if not super()._is_alike(one, other):
            return False
        around = self._conditions(one)
        mine = self._conditions(other)
        return around[: len(mine)] == mine

    def _conditions(self, site: Site) -> list[str]:
        """The preprocessor's conditions around a site, outermost first."""
        found: list[str] = []
        for kind, rest in CONDITION.findall(self.text[: site.start]):
            if kind.startswith("if"):
                found.append(f"{kind}{rest}")
            elif kind == "endif":
                found.pop()
            else:
                found[-1] = f"{found[-1]} {kind}{rest}"
        return found


def _is_call(name: str) -> bool:
    return name != "value"


def _rewritten(path: Path, numbers: count[int]) -> list[Mutant]:
    rewriter = Synchronising(path, numbers)
    path.write_text(rewriter.rewrite(), encoding="utf-8")
    return rewriter.mutants


def _judged(tasks: Sequence[Task], jobs: int) -> dict[str, object]:
    outcomes: Counter[str] = Counter()
    found_by: Counter[str] = Counter()
    told: dict[str, list[str]] = {"missed": [], "same": [], "other": []}
    for task, verdict in run_all(judge, tasks, jobs):
        kind = verdict.outcome if verdict.outcome in KINDS else "other"
        outcomes[kind] += 1
        if kind == "found":
            found_by[verdict.detail] += 1
        elif kind != "unreached":
            told[kind].append(f"{task.name} {verdict.outcome} {verdict.detail}".rstrip())
            print(f"{kind}: {told[kind][-1]}", flush=True)
    counts = {kind: outcomes[kind] for kind in (*KINDS, "other")}
    return {
        "mutants": outcomes.total() - counts["unreached"],
        **counts,
        "found_by": dict(found_by.most_common()),
        "names": told,
    }


@cache
def _unchanged(case: str, root: Path, arch: str) -> torch.Tensor:
    """What the kernels give as they are."""
    os.environ[VARIABLE] = "0"
    with open_device(arch) as device, settings.using(suppress=CASES[case].silenced, checks="on"):
        return CASES[case].run(Bench(device, root))[0]


def _reached() -> int:
    """The mutant that went wrong last: kernels tell it in the environment, which os.environ does not see."""
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_char_p
    return int(getenv(REACHED.encode()) or 0)


def judge(task: Task) -> Verdict:
    """Run a mutant under one seed after another, until a check reports it or the result is another."""
    wanted = _unchanged(task.case, task.root, task.arch)
    os.environ[VARIABLE] = str(task.mutant.number)
    case = CASES[task.case]
    for seed in task.seeds:
        with (
            settings.using(step_limit=STEP_LIMIT, checks="on", seed=seed, suppress=case.silenced),
            open_device(task.arch) as device,
        ):
            try:
                made = case.run(Bench(device, task.root))[0]
            except TilesmithError as error:
                return verdict_of(error)
            if not torch.equal(made, wanted):
                return Verdict("missed", f"another result, seed {seed}")
            if _reached() != task.mutant.number:
                return Verdict("unreached", "")
    return Verdict("same", "")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheel", type=Path, help="a ttnn .whl file, or the folder one was unpacked into")
    parser.add_argument("--only", nargs="*", help="cases whose name has one of these words")
    parser.add_argument("--seeds", type=int, default=4, help="scheduler seeds to try until a check reports")
    parser.add_argument("--arch", choices=("wormhole", "blackhole"), default="wormhole")
    parser.add_argument("--limit", type=int, default=0, help="at most about this many mutants, evenly chosen")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
