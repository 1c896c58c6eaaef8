"""How many mistakes in the kernels of the collectives do the checks find? As mutation.py, on several chips.

Every synchronisation call of the kernels is altered singly, and each collective runs on a line of two chips
and on a ring of four, with pages that fill a packet (float32), that share one (bfloat16) and, where it sums,
with int32. `--silent-seeds N` runs them unchanged under N scheduler seeds, with another dtype and size for
each: every finding or wrong bit is a false alarm.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from conformance.mutation import Score  # noqa: E402 - the repository's root must be on the path
from conformance.mutation_pool import run_all  # noqa: E402
from conformance.mutation_run import STEP_LIMIT, Task, Verdict, verdict_of  # noqa: E402
from conformance.mutation_switch import REACHED, VARIABLE, rewrite_tree  # noqa: E402
from tilesmith import collectives, settings  # noqa: E402
from tilesmith.arch import find_board  # noqa: E402
from tilesmith.collectives import programs, sums  # noqa: E402
from tilesmith.errors import KernelCompileError, TilesmithError  # noqa: E402
from tilesmith.formats import DataFormat  # noqa: E402
from tilesmith.runtime import MeshTensor, open_mesh  # noqa: E402

Arrays = list[NDArray[np.generic]]
KERNELS = programs._KERNELS
MESHES = {"line": ((1, 2), "n300"), "ring": ((1, 4), "p150x4"), "eight": ((1, 8), "t3000")}
SUMMED = {
    DataFormat.Float32: np.float32,
    DataFormat.Float16_b: ml_dtypes.bfloat16,
    DataFormat.Int32: np.int32,
}
MOVED = {**SUMMED, DataFormat.UInt32: np.uint32, DataFormat.UInt16: np.uint16, DataFormat.UInt8: np.uint8}


@dataclass(frozen=True)
class Case:
    """A collective, what numpy makes of the same parts, and what divides the first size."""

    run: Callable[[MeshTensor], MeshTensor]
    wanted: Callable[[Arrays], Arrays]
    sums: bool = False
    split: bool = False
    whole_tiles: bool = True


def summed(parts: Arrays) -> NDArray[np.generic]:
    wide = np.int32 if parts[0].dtype == np.int32 else np.float32
    total: NDArray[np.generic] = reduce(np.add, [part.astype(wide) for part in parts])
    return total.astype(parts[0].dtype)


def exchanged(parts: Arrays) -> Arrays:
    rows = [np.split(part, len(parts)) for part in parts]
    return [np.concatenate([row[chip] for row in rows]) for chip in range(len(parts))]


CASES = {
    "all_gather": Case(
        lambda tensor: collectives.all_gather(tensor, 0), lambda parts: [np.concatenate(parts)] * len(parts)
    ),
    "all_reduce": Case(
        collectives.all_reduce, lambda parts: [summed(parts)] * len(parts), sums=True, whole_tiles=False
    ),
    "reduce_scatter": Case(
        lambda tensor: collectives.reduce_scatter(tensor, 0),
        lambda parts: list(np.split(summed(parts), len(parts))),
        sums=True,
        split=True,
    ),
    "all_to_all": Case(lambda tensor: collectives.all_to_all(tensor, 0, 0), exchanged, split=True),
    "broadcast": Case(
        lambda tensor: collectives.broadcast(tensor, 1),
        lambda parts: [parts[1]] * len(parts),
        whole_tiles=False,
    ),
    "point_to_point": Case(
        lambda tensor: collectives.point_to_point(tensor, 0, tensor.mesh.num_chips - 1),
        lambda parts: [parts[0]],
        whole_tiles=False,
    ),
}


def parts_of(
    case: Case, chips: int, seed: int, links: int = 2, even: bool = False
) -> tuple[Arrays, DataFormat]:
    """Random parts of any dtype and an uneven size; even ones have two batches of pages for each link."""
    random = np.random.default_rng(seed)
    formats = list(SUMMED if case.sums else MOVED)
    chosen = formats[seed % len(formats)]
    rows, columns = (int(random.integers(1, 97)) for _ in range(2))
    if even:
        rows, columns = 32 * links, 128 if chosen is DataFormat.Float16_b else 64
    if case.whole_tiles:
        rows = -(-rows // 32) * 32
    rows *= chips if case.split else 1
    shape = (rows, columns)
    scale = 100 if chosen in (DataFormat.UInt8, DataFormat.UInt16) else 1000
    values = [np.abs(random.normal(size=shape) * scale) % 250 for _ in range(chips)]
    return [one.astype(MOVED[chosen]) for one in values], chosen


def judge(task: Task) -> Verdict:
    """Run a mutant under one seed after another, until a check reports it."""
    os.environ[VARIABLE] = str(task.number)
    programs._KERNELS = task.root
    sums._MOST_CORES = 1 if task.number else sums._MOST_CORES  # several pages for it: a lost pop shows
    worst = Verdict("silent", "")
    for seed in task.seeds:
        verdict = _run(task.example, seed, 0 if task.number else seed)
        if verdict.outcome == "found":
            return verdict
        if task.number and not _reached(task.number):
            return Verdict("not reached", "")
        worst = verdict if worst.outcome == "silent" else worst
    return worst


def _reached(number: int) -> bool:
    """Whether the altered call was run: kernels leave out what a collective does not need."""
    library = ctypes.CDLL(None)
    library.getenv.restype = ctypes.c_char_p
    return bool(library.getenv(REACHED.encode()) == str(number).encode())


def _run(example: str, seed: int, data: int) -> Verdict:
    name, board, *dtype = example.split("-")
    case, even = CASES[name], bool(dtype)
    data = int(dtype[0]) if dtype else data
    try:
        with settings.using(seed=seed, step_limit=STEP_LIMIT), open_mesh(*MESHES[board]) as mesh:
            links = find_board(MESHES[board][1]).links
            parts, chosen = parts_of(case, mesh.num_chips, data, links, even)
            result = case.run(mesh.from_parts(parts, chosen))
            one = name == "point_to_point"
            found = [result.part(mesh.num_chips - 1)] if one else result.parts()
    except KernelCompileError:
        raise  # no mutant: the kernels are rewritten wrongly
    except TilesmithError as caught:
        return verdict_of(caught)
    same = all(map(_equal, found, case.wanted(parts)))
    return Verdict("silent", "") if same else Verdict("wrong result", "")


def _equal(found: NDArray[np.generic], wanted: NDArray[np.generic]) -> bool:
    return np.array_equal(np.asarray(found, wanted.dtype), wanted)


def tasks_of(options: argparse.Namespace, root: Path) -> list[Task]:
    shutil.copytree(KERNELS, root)
    chosen, boards = options.only.split(","), options.boards.split(",")
    names = [f"{name}-{board}" for name in chosen for board in boards]
    if not options.silent_seeds:  # other dtypes take other ways through the kernels
        names = [f"{name}-{dtype}" for name in names for dtype in range(2 + CASES[name.split("-")[0]].sums)]
    if options.silent_seeds:
        seeds = range(options.silent_seeds)
        return [
            Task(name, root, "", 0, "", f"seed {seed}", 0, range(seed, seed + 1))
            for name in names
            for seed in seeds
        ]
    mutants = rewrite_tree(root)
    return [
        Task(
            name,
            root,
            mutant.path.name,
            mutant.line,
            mutant.content,
            mutant.kind,
            mutant.number,
            range(options.seeds),
        )
        for name in names
        for mutant in mutants
        if CASES[name.partition("-")[0]].sums or not mutant.path.name.startswith("sum")
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="end with one line of JSON")
    parser.add_argument("--only", default=",".join(CASES), help="collectives, with commas between them")
    parser.add_argument("--boards", default="line,ring", help=f"of {', '.join(MESHES)}")
    parser.add_argument("--seeds", type=int, default=8, help="scheduler seeds to try until a check reports")
    parser.add_argument("--silent-seeds", type=int, default=0, help="run them unchanged under N seeds")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args(arguments)
    score, alarms = Score(), []
    with tempfile.TemporaryDirectory(prefix="tilesmith-mutation-") as folder:
        tasks = tasks_of(options, Path(folder).resolve() / "kernels")
        for task, verdict in run_all(judge, tasks, options.jobs):
            if task.number and verdict.outcome != "not reached":
                score.add(task, verdict)
            elif task.number:
                continue
            elif verdict.outcome != "silent":
                alarms.append(f"{task.example} {task.kind}: {verdict.outcome}: {verdict.detail}")
                print("alarm:", alarms[-1], flush=True)
    summary = score.summary()
    if options.silent_seeds:
        summary = {"runs": len(tasks), "missed": len(alarms), "alarms": alarms}
    print(", ".join(f"{key} {summary[key]}" for key in summary if isinstance(summary[key], int)))
    if options.json:
        print(json.dumps(summary))
    return 1 if summary["missed"] else 0


if __name__ == "__main__":
    sys.exit(main())
