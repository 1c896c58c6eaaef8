"""Collectives and the fabric: published bandwidths of a link and times of the vendor's programs."""

from __future__ import annotations

import csv
from pathlib import Path

import ml_dtypes
import numpy as np

from conformance.timing.rows import DATA, Outcome
from tilesmith import collectives, settings
from tilesmith.arch import find_board
from tilesmith.formats import DataFormat
from tilesmith.program import CoreCoord, CoreRange, Kernel, Program, WriterConfig
from tilesmith.runtime import Layout, Mesh, MeshTensor, height_sharded, open_mesh
from tilesmith.runtime.timed_mesh import TimedMesh

KERNEL = Path(__file__).parent / "kernels" / "fabric_packets.cpp"
CORE = CoreCoord(0, 0)
_EAST, _SOUTH = 0, 3
FEW, MANY = 32, 96  # packets: what they differ by leaves out the first one's way


def ccl_rows() -> list[dict[str, str]]:
    with (DATA / "ccl.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def run_row(row: dict[str, str]) -> Outcome:
    """Cycles of a packet on the busiest link, or microseconds of a collective of ours."""
    shape = int(row["rows"]), int(row["columns"])
    what = row["shape"] or f"{row['bytes']} B"
    label = f"{row['operation']} {what} on {shape[0]} x {shape[1]} of {row['board']}"
    with open_mesh(shape, row["board"]) as mesh, settings.using(checks="off", numbers="none"):
        value = float(row["value"])
        if row["unit"] == "us":
            return Outcome(label, False, value, _collective(mesh, row), "collectives")
        size = int(row["bytes"])
        cycles = (_packets(mesh, row, size, MANY) - _packets(mesh, row, size, FEW)) / (MANY - FEW)
        streams = int(row["reach"]) if row["senders"] == "all" else 1
        return Outcome(label, False, size / value, cycles / streams, "fabric bandwidth")


def _packets(mesh: Mesh, row: dict[str, str], size: int, count: int) -> int:
    """Cycles until the last of so many packets is sent: by the first chip of a line, or by all of a ring."""
    hops = int(row["reach"] or mesh.num_chips - 1)
    first, reached = (hops, 1) if row["operation"] == "unicast" else (1, hops)
    memory = height_sharded(CoreRange(CORE, CORE), (1, size // 4))
    room = mesh.from_numpy(np.zeros((1, size // 4), np.uint32), DataFormat.UInt32, Layout.ROW_MAJOR, memory)
    ahead = (_EAST if mesh.shape[0] == 1 else _SOUTH) * find_board(row["board"]).links
    arguments = [room.local.address, size, count, first, reached, 1, ahead, 0, 0, 0]
    program = Program((Kernel(KERNEL, CORE, WriterConfig(), runtime_args={CORE: arguments}),))
    chips = mesh.coordinates if row["senders"] == "all" else mesh.coordinates[:1]
    mesh.run(dict.fromkeys(chips, program))
    return max(mesh.reports[chip].cycles for chip in chips)


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
