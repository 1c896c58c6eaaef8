"""Collectives and the fabric: published bandwidths of a link and times of the vendor's programs."""

from __future__ import annotations

import csv
from pathlib import Path

import ml_dtypes
import numpy as np

from conformance.timing.rows import DATA, Outcome
from tilesmith import collectives, settings
from tilesmith.arch import Arch, find_board, load_arch
from tilesmith.formats import DataFormat
from tilesmith.program import CoreCoord, CoreRange, Kernel, Program, WriterConfig
from tilesmith.runtime import Layout, Mesh, MeshTensor, height_sharded, open_mesh
from tilesmith.runtime.timed_mesh import TimedMesh

KERNEL = Path(__file__).parent / "kernels" / "fabric_packets.cpp"
CORE = CoreCoord(0, 0)
CORES = (CORE, CoreCoord(1, 0))  # one for each way
_EAST, _WEST, _NORTH, _SOUTH = range(4)
FEW, MANY = 32, 96  # packets: what they differ by leaves out the first one's way
MOST_CHIPS = 8  # of a mesh that counts: rows measured while all chips of a Galaxy send are told apart


def ccl_rows() -> list[dict[str, str]]:
    with (DATA / "ccl.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def is_of_one_mesh(row: dict[str, str]) -> bool:
    """Whether a mesh of at most eight chips shows what was measured."""
    return int(row["busy_chips"]) <= MOST_CHIPS


def run_row(row: dict[str, str]) -> Outcome:
    """Cycles of a packet on the busiest link, or microseconds of a collective of ours."""
    shape = int(row["rows"]), int(row["columns"])
    what = row["shape"] or f"{row['bytes']} B"
    ways = {"1": " one way", "2": " both ways"}.get(row["ways"], "")
    fabric = f" a {row['fabric']} of" if row["fabric"] else ""
    label = f"{row['operation']} {what}{ways} on{fabric} {shape[0]} x {shape[1]} of {row['board']}"
    board = find_board(row["board"])
    with open_mesh(shape, _opened_as(row)) as mesh, settings.using(checks="off", numbers="none"):
        value = float(row["value"])
        if row["unit"] == "us":
            return Outcome(label, False, value, _collective(mesh, row), "collectives")
        size = int(row["bytes"])
        cycles = (_packets(mesh, row, size, MANY) - _packets(mesh, row, size, FEW)) / (MANY - FEW)
        streams = int(row["reach"]) if row["senders"] == "all" else 1
        return Outcome(label, False, size / value, cycles / streams, f"fabric bandwidth of {board.name}")


def _opened_as(row: dict[str, str]) -> str | Arch:
    """A fabric set up as a line leaves the links that close a ring alone: chips without a board have none."""
    board = find_board(row["board"])
    return load_arch(board.arch.product) if row["fabric"] == "line" else board.name


def _packets(mesh: Mesh, row: dict[str, str], size: int, count: int) -> int:
    """Cycles until the last of so many packets is sent: by the ends of a line, or by all chips of a ring."""
    hops = int(row["reach"] or mesh.num_chips - 1)
    memory = height_sharded(CoreRange(CORE, CORES[-1]), (1, size // 4))
    zeros = np.zeros((len(CORES), size // 4), np.uint32)
    room = mesh.from_numpy(zeros, DataFormat.UInt32, Layout.ROW_MAJOR, memory)
    ahead, behind = (_EAST, _WEST) if mesh.shape[0] == 1 else (_SOUTH, _NORTH)
    first, reached = (hops, 1) if row["operation"] == "unicast" else (1, hops)

    def program(*directions: int) -> Program:
        links = find_board(_opened_as(row), mesh.shape).links
        head = [room.local.address, size, count, first, reached]
        ways = zip(CORES, directions, strict=False)
        arguments = {core: [*head, 1, direction * links, 0, 0, 0] for core, direction in ways}
        where = CoreRange(CORE, CORES[len(directions) - 1])
        return Program((Kernel(KERNEL, where, WriterConfig(), runtime_args=arguments),))

    both = row["ways"] == "2"
    if row["senders"] == "all":
        programs = dict.fromkeys(mesh.coordinates, program(*([ahead, behind] if both else [ahead])))
    else:
        programs = {mesh.coordinates[0]: program(ahead)}
        programs |= {mesh.coordinates[-1]: program(behind)} if both else {}
    mesh.run(programs)
    return max(mesh.reports[chip].cycles for chip in programs)


def _collective(mesh: Mesh, row: dict[str, str]) -> float:
    shape = tuple(map(int, row["shape"].split("x")))
    parts = [np.zeros(shape, ml_dtypes.bfloat16) for _ in range(mesh.num_chips)]
    timed = TimedMesh(mesh.shape, mesh.chips)
    _done(row["operation"], timed.from_parts(parts, DataFormat.Float16_b))
    return timed.microseconds


def _done(operation: str, tensor: MeshTensor) -> MeshTensor:
    if operation == "all_gather":
        return collectives.all_gather(tensor, 0, cluster_axis=0)
    if operation == "all_to_all":
        return collectives.all_to_all(tensor, 0, 0, cluster_axis=0)
    return collectives.all_reduce(tensor, cluster_axis=0)
