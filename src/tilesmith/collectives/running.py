"""Running a collective: the lines of chips it goes along, and a program for each chip."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tilesmith.arch import Board
from tilesmith.collectives.messages import Line, Message
from tilesmith.collectives.programs import ChipPlan, Tensors, build, pages_of
from tilesmith.errors import ProgramError
from tilesmith.formats import DataFormat
from tilesmith.program import CoreRange, Program
from tilesmith.runtime import Layout, Mesh, MeshTensor, height_sharded

_EAST, _WEST, _NORTH, _SOUTH = range(4)
_SUMMED = (DataFormat.Float16_b, DataFormat.Float32, DataFormat.Int32)
Messages = Callable[[Line, int], list[Message]]


# ---- lines of chips ----


def axes_of(mesh: Mesh, cluster_axis: int | None) -> list[int]:
    """The axes to go along, one after the other: chips count along the rows first."""
    if cluster_axis is not None:
        if cluster_axis not in (0, 1):
            raise ProgramError(f"a mesh has the axes 0 and 1, not {cluster_axis}")
        return [cluster_axis]
    return [axis for axis in (1, 0) if mesh.shape[axis] > 1] or [1]


def only_axis(mesh: Mesh, cluster_axis: int | None) -> int:
    axes = axes_of(mesh, cluster_axis)
    if len(axes) > 1:
        raise ProgramError(
            f"this collective goes along one line of chips, and {mesh} has rows and columns",
            remedy="give cluster_axis=0 or cluster_axis=1",
        )
    return axes[0]


def _board(mesh: Mesh) -> Board:
    board = getattr(mesh.chips, "board", None)
    if not isinstance(board, Board):
        raise ProgramError(
            "these collectives are programs for the emulator's fabric",
            remedy="on chips call those of ttnn: ttnn.all_gather, ttnn.reduce_scatter, ttnn.all_reduce",
        )
    return board


def line_of(mesh: Mesh, axis: int, ring: bool) -> Line:
    board, size = _board(mesh), mesh.shape[axis]
    closed = board.ring_rows if axis == 1 else board.ring_columns
    return Line(size, ring and closed and size > 2)


def check_chip(line: Line, chip: int) -> None:
    if not 0 <= chip < line.size:
        raise ProgramError(f"there is no chip {chip} in a line of {line.size}")


# ---- tensors and programs ----


def check_sum(tensor: MeshTensor) -> None:
    spec = tensor.local.spec
    if spec.layout is not Layout.TILE or spec.dtype not in _SUMMED:
        raise ProgramError(
            f"chips cannot sum a tensor of {spec.dtype.name} in {spec.layout.name} layout",
            remedy="use TILE layout and bfloat16, float32 or int32",
        )


def room_for(tensor: MeshTensor, pages: int) -> MeshTensor:
    """Tiles that arrive before they are summed."""
    tile = tensor.local.spec.tile
    return tensor.mesh.empty((pages * tile.rows, tile.cols), tensor.local.dtype, tile=tile)


def run(
    source: MeshTensor,
    gathered: MeshTensor,
    result: MeshTensor,
    axis: int,
    line: Line,
    messages: Messages,
    summed: int = 0,
) -> None:
    mesh = source.mesh
    if source.local.spec.memory_config.is_sharded:
        raise ProgramError("collectives take interleaved tensors", remedy="move the tensor to DRAM first")
    board, count = _board(mesh), source.local.num_pages
    if count == 0:
        return
    links = min(board.links, count)
    memory = height_sharded(CoreRange((0, 0), (links - 1, 0)), (1, 8))
    arrived = mesh.from_numpy(np.zeros((links, 8), np.uint32), DataFormat.UInt32, Layout.ROW_MAJOR, memory)
    tensors = Tensors(source, gathered, result, arrived)
    plans = [messages(line, chip) for chip in range(line.size)]
    expected = [_arriving(line, plans, chip) for chip in range(line.size)]
    most = max((-(-message.pages // links) for plan in plans for message in plan), default=0)
    pages = pages_of(source.local.spec.page_size, mesh.arch.dram_alignment, most)
    programs = {}
    for row, column in mesh.coordinates:
        chip = column if axis == 1 else row
        plan = _chip_plan(plans[chip], expected[chip], axis, line.size if summed else 0, summed)
        if plan.messages or plan.expected:
            programs[row, column] = build(plan, tensors, pages, links, board.links)
    _launch(mesh, programs)


def _launch(mesh: Mesh, programs: dict[tuple[int, int], Program]) -> None:
    if programs:
        mesh.run(programs)


def _chip_plan(messages: Sequence[Message], expected: int, axis: int, summands: int, block: int) -> ChipPlan:
    ahead, behind = (_EAST, _WEST) if axis == 1 else (_SOUTH, _NORTH)
    return ChipPlan(
        messages,
        expected,
        ahead if any(message.forward[1] for message in messages) else None,
        behind if any(message.backward[1] for message in messages) else None,
        summands,
        block,
    )


def _arriving(line: Line, plans: Sequence[Sequence[Message]], chip: int) -> int:
    """How many messages reach a chip from others."""
    return sum(_reaches(line, sender, message, chip) for sender, sent in enumerate(plans) for message in sent)


def _reaches(line: Line, sender: int, message: Message, chip: int) -> bool:
    if sender == chip:
        return False
    ahead, behind = (chip - sender, sender - chip)
    if line.ring:
        ahead, behind = ahead % line.size, behind % line.size
    return any(
        start <= hops < start + count
        for hops, (start, count) in ((ahead, message.forward), (behind, message.backward))
    )
