"""Every collective on lines and rings of 2 to 8 chips, bit for bit against numpy.

Each seed takes another order of the scheduler, an uneven size, a dimension and a layout, and the dtypes in
turn: 20 seeds take each dtype of a collective at least three times on every line and ring. Sums are wanted in
the order of the chips, in float32 or int32, rounded once.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from conformance.collective_mutation import MOVED, SUMMED, summed  # noqa: E402 - the root must be on the path
from tilesmith import collectives, settings  # noqa: E402
from tilesmith.arch import find_board  # noqa: E402
from tilesmith.errors import TilesmithError  # noqa: E402
from tilesmith.formats import DataFormat  # noqa: E402
from tilesmith.runtime import Layout, Mesh, MeshTensor  # noqa: E402
from tilesmith.runtime.device import open_device  # noqa: E402
from tilesmith.runtime.emulated_mesh import EmulatedChips  # noqa: E402

Arrays = list[NDArray[np.generic]]
COLLECTIVES = ("all_gather", "all_reduce", "reduce_scatter", "all_to_all", "broadcast", "point_to_point")
SUMS = ("all_reduce", "reduce_scatter")
CUT = ("all_gather", "reduce_scatter", "all_to_all")
WIDTHS = (16, 48, 64)  # of rows: each is a kernel of its own
TILE = 32


@dataclass(frozen=True)
class Case:
    """A collective with all that is drawn for it."""

    name: str
    chips: int
    dtype: DataFormat
    layout: Layout
    shape: tuple[int, ...]
    dim: int
    other_dim: int

    def __str__(self) -> str:
        dims = f"dims {self.dim} and {self.other_dim}"
        return f"{self.name} of {self.shape} {self.dtype.name} in {self.layout.name}, {dims}"


def drawn(name: str, chips: int, seed: int) -> Case:
    """Sizes need not be whole tiles but where parts begin."""
    random = np.random.default_rng([seed, chips, COLLECTIVES.index(name)])
    formats = list(SUMMED if name in SUMS else MOVED)
    by_rows = name not in SUMS and seed % 3 == 2
    rank = int(random.integers(2, 4))
    shape = [int(random.integers(1, 4)) for _ in range(rank - 2)]
    shape += [
        int(random.integers(1, 71)),
        int(random.choice(WIDTHS)) if by_rows else int(random.integers(1, 71)),
    ]
    dims = range(rank - 1 if by_rows else rank)
    dim, other_dim = (int(random.choice(dims)) for _ in range(2))
    if not by_rows:
        for each in {dim, other_dim} & {rank - 1, rank - 2}:
            shape[each] = -(-shape[each] // TILE) * TILE if name in CUT else shape[each]
    if name in ("reduce_scatter", "all_to_all"):
        shape[dim] *= chips
    layout = Layout.ROW_MAJOR if by_rows else Layout.TILE
    return Case(name, chips, formats[seed % len(formats)], layout, tuple(shape), dim, other_dim)


def values(case: Case, seed: int) -> Arrays:
    random = np.random.default_rng([seed, 1])
    kind = np.dtype(MOVED[case.dtype])
    top = 250 if kind.itemsize < 4 and kind.kind == "u" else 30000
    drawn = [random.normal(size=case.shape) * top % top for _ in range(case.chips)]
    signs = 1 if kind.kind == "u" else -1
    return [(part * random.choice([1, signs], case.shape)).astype(kind) for part in drawn]


def run(case: Case, tensor: MeshTensor, ring: bool) -> Arrays:
    last = case.chips - 1
    if case.name == "all_gather":
        return collectives.all_gather(tensor, case.dim, ring=ring).parts()
    if case.name == "all_reduce":
        return collectives.all_reduce(tensor, ring=ring).parts()
    if case.name == "reduce_scatter":
        return collectives.reduce_scatter(tensor, case.dim, ring=ring).parts()
    if case.name == "all_to_all":
        return collectives.all_to_all(tensor, case.dim, case.other_dim, ring=ring).parts()
    if case.name == "broadcast":
        return collectives.broadcast(tensor, last // 2, ring=ring).parts()
    return [collectives.point_to_point(tensor, last, last // 2, ring=ring).part(last // 2)]


def wanted(case: Case, parts: Arrays) -> Arrays:
    chips, last = case.chips, case.chips - 1
    if case.name == "all_gather":
        return [np.concatenate(parts, case.dim)] * chips
    if case.name == "all_reduce":
        return [summed(parts)] * chips
    if case.name == "reduce_scatter":
        return np.split(summed(parts), chips, case.dim)
    if case.name == "all_to_all":
        pieces = [np.split(part, chips, case.dim) for part in parts]
        return [np.concatenate([piece[chip] for piece in pieces], case.other_dim) for chip in range(chips)]
    return [parts[last // 2]] * chips if case.name == "broadcast" else [parts[last]]


def mesh_of(chips: int, ring: bool) -> Mesh:
    """Wormhole chips in a row with two links between neighbours; a ring joins the last to the first, too."""
    board = replace(find_board("wormhole", (1, chips)), ring_rows=ring)
    return Mesh((1, chips), EmulatedChips(board, [open_device(board.arch) for _ in range(chips)]))


def wrong(mesh: Mesh, ring: bool, case: Case, seed: int) -> str:
    """What is wrong, or nothing."""
    parts = values(case, seed)
    try:
        with settings.using(seed=seed):
            found = run(case, mesh.from_parts(parts, case.dtype, case.layout), ring)
    except TilesmithError as caught:
        return f"{type(caught).__name__}: {caught}"
    right = wanted(case, parts)
    same = len(found) == len(right) and all(map(_same_bits, found, right))
    return "" if same else "other bits"


def _same_bits(found: NDArray[np.generic], right: NDArray[np.generic]) -> bool:
    found = np.ascontiguousarray(found, right.dtype)
    return found.shape == right.shape and found.tobytes() == np.ascontiguousarray(right).tobytes()


def topologies(chips: Sequence[int]) -> Iterator[tuple[int, bool]]:
    for count in chips:
        yield from ((count, ring) for ring in (False, True) if not ring or count > 2)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="end with one line of JSON")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--chips", default="2,3,4,5,6,7,8", help="numbers of chips, with commas between them")
    options = parser.parse_args(arguments)
    runs, faults = 0, list[str]()
    dtypes: set[str] = set()
    for chips, ring in topologies([int(word) for word in options.chips.split(",")]):
        where = f"{'ring' if ring else 'line'} of {chips}"
        with mesh_of(chips, ring) as mesh:
            for seed in range(options.seeds):
                for name in COLLECTIVES:
                    case = drawn(name, chips, seed)
                    fault = wrong(mesh, ring, case, seed)
                    runs, dtypes = runs + 1, dtypes | {case.dtype.name}
                    if fault:
                        faults.append(f"{where}, seed {seed}: {case}: {fault}")
                        print("wrong:", faults[-1], flush=True)
        print(f"{where}: {runs} runs so far, {len(faults)} wrong", flush=True)
    print(f"{runs} runs with {len(dtypes)} dtypes, {len(faults)} wrong")
    if options.json:
        print(json.dumps({"runs": runs, "wrong": len(faults), "dtypes": sorted(dtypes), "faults": faults}))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
