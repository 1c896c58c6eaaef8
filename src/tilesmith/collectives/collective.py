"""The collectives: from tensors on the chips of a mesh to tensors on all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from tilesmith.arch import Board
from tilesmith.collectives.blocks import first_part, normal_dim, placed
from tilesmith.collectives.messages import Line, Message, Run, exchange, gather
from tilesmith.collectives.programs import ChipPlan, Tensors, build, pages_of
from tilesmith.errors import ProgramError
from tilesmith.formats import DataFormat
from tilesmith.program import CoreRange, Program
from tilesmith.runtime import Layout, Mesh, MeshTensor, height_sharded
from tilesmith.runtime.tensor_spec import TensorSpec

_EAST, _WEST, _NORTH, _SOUTH = range(4)
_SUMMED = (DataFormat.Float16_b, DataFormat.Float32, DataFormat.Int32)
_SHARED_PAGES = 4  # of a chip's part, from which on two programs with fewer packets take less time
Messages = Callable[[Line, int], list[Message]]


def all_gather(
    tensor: MeshTensor, dim: int, cluster_axis: int | None = None, ring: bool = True
) -> MeshTensor:
    """What every chip has, one behind the other along `dim`, on every chip.

    `cluster_axis` 0 is the columns of the mesh, 1 its rows, None all chips. Without `ring` packets never go
    over the link that closes a ring.
    """
    for axis in _axes(tensor.mesh, cluster_axis):
        spec, line = tensor.local.spec, _line(tensor.mesh, axis, ring)
        at = normal_dim(spec, dim)
        alignment = tensor.mesh.arch.dram_alignment
        targets = [placed(spec, at, line.size, chip, alignment) for chip in range(line.size)]
        result = _like(tensor, _resized(spec.shape, at, line.size))

        def messages(
            line: Line, chip: int, spec: TensorSpec = spec, targets: Sequence[Run] = targets
        ) -> list[Message]:
            return gather(line, chip, spec.num_pages, targets[chip])

        _run(tensor, result, result, axis, line, messages)
        tensor = result
    return tensor


def all_reduce(
    tensor: MeshTensor,
    cluster_axis: int | None = None,
    ring: bool = True,
    into: MeshTensor | None = None,
) -> MeshTensor:
    """The sum of what the chips have, on each: added in the order of the chips, in float32 or int32.

    The last sum goes `into` a tensor of the same kind, which may be the operand; left out, into a new one.
    """
    if into is not None and into.local.spec != tensor.local.spec:
        raise ProgramError(f"a sum like {tensor} does not fit into {into}")
    axes = _axes(tensor.mesh, cluster_axis)
    for axis in axes:
        _check_sum(tensor)
        line = _line(tensor.mesh, axis, ring)
        pages = tensor.local.spec.num_pages
        shared = pages >= _SHARED_PAGES * line.size and pages % line.size == 0
        result = into if into is not None and axis == axes[-1] else _like(tensor, tensor.local.shape)
        (_sum_of_parts if shared else _sum_of_all)(tensor, result, axis, line)
        tensor = result
    return tensor


def _sum_of_all(tensor: MeshTensor, result: MeshTensor, axis: int, line: Line) -> None:
    """Every chip gets everything, and sums it: one program, and the shortest way for few pages."""
    pages = tensor.local.spec.num_pages

    def messages(line: Line, chip: int) -> list[Message]:
        return gather(line, chip, pages, Run(chip * pages, pages, pages))

    _run(tensor, _room(tensor, line.size * pages), result, axis, line, messages, summed=pages)


def _sum_of_parts(tensor: MeshTensor, result: MeshTensor, axis: int, line: Line) -> None:
    """Each chip sums its part, and sends the sum to all."""
    pages = tensor.local.spec.num_pages
    part = pages // line.size
    summed = _room(tensor, part)

    def scattered(line: Line, chip: int) -> list[Message]:
        return exchange(line, chip, part, Run(0, part, pages), Run(chip * part, part, part))

    def gathered(line: Line, chip: int) -> list[Message]:
        return gather(line, chip, part, Run(chip * part, part, part))

    _run(tensor, _room(tensor, line.size * part), summed, axis, line, scattered, summed=part)
    _run(summed, result, result, axis, line, gathered)


def reduce_scatter(
    tensor: MeshTensor, dim: int, cluster_axis: int | None = None, ring: bool = True
) -> MeshTensor:
    """Of that sum, on each chip its own part along `dim`."""
    for axis in reversed(_axes(tensor.mesh, cluster_axis)):
        _check_sum(tensor)
        spec, line = tensor.local.spec, _line(tensor.mesh, axis, ring)
        at = normal_dim(spec, dim)
        source, pages = first_part(spec, at, line.size), spec.num_pages // line.size

        def messages(line: Line, chip: int, pages: int = pages, source: Run = source) -> list[Message]:
            return exchange(line, chip, pages, source, Run(chip * pages, pages, pages))

        shape = (*spec.shape[:at], spec.shape[at] // line.size, *spec.shape[at + 1 :])
        result = _like(tensor, shape)
        _run(tensor, _room(tensor, line.size * pages), result, axis, line, messages, summed=pages)
        tensor = result
    return tensor


def all_to_all(
    tensor: MeshTensor, split_dim: int, concat_dim: int, cluster_axis: int | None = None, ring: bool = True
) -> MeshTensor:
    """Part j along `split_dim` goes to chip j, which concatenates what it gets along `concat_dim`."""
    axis = _only_axis(tensor.mesh, cluster_axis)
    spec, line = tensor.local.spec, _line(tensor.mesh, axis, ring)
    at = normal_dim(spec, split_dim)
    source = first_part(spec, at, line.size)
    part = replace(spec, shape=(*spec.shape[:at], spec.shape[at] // line.size, *spec.shape[at + 1 :]))
    along = normal_dim(part, concat_dim)
    alignment = tensor.mesh.arch.dram_alignment
    targets = [placed(part, along, line.size, chip, alignment) for chip in range(line.size)]

    def messages(line: Line, chip: int) -> list[Message]:
        return exchange(line, chip, part.num_pages, source, targets[chip])

    result = _like(tensor, _resized(part.shape, along, line.size))
    _run(tensor, result, result, axis, line, messages)
    return result


def broadcast(
    tensor: MeshTensor, root: int = 0, cluster_axis: int | None = None, ring: bool = True
) -> MeshTensor:
    """What chip `root` of each line has, on all chips of it."""
    axis = _only_axis(tensor.mesh, cluster_axis)
    line, pages = _line(tensor.mesh, axis, ring), tensor.local.spec.num_pages
    _check_chip(line, root)

    def messages(line: Line, chip: int) -> list[Message]:
        return gather(line, chip, pages, Run(0, pages, pages)) if chip == root else []

    result = _like(tensor, tensor.local.shape)
    _run(tensor, result, result, axis, line, messages)
    return result


def point_to_point(
    tensor: MeshTensor, sender: int, receiver: int, cluster_axis: int | None = None, ring: bool = True
) -> MeshTensor:
    """What chip `sender` of a line has, on chip `receiver`; the others' results are not written."""
    axis = _only_axis(tensor.mesh, cluster_axis)
    line, pages = _line(tensor.mesh, axis, ring), tensor.local.spec.num_pages
    _check_chip(line, sender)
    _check_chip(line, receiver)

    def messages(line: Line, chip: int) -> list[Message]:
        whole = Run(0, pages, pages)
        return line.to_one(Message(pages, whole, whole), sender, receiver) if chip == sender else []

    result = _like(tensor, tensor.local.shape)
    _run(tensor, result, result, axis, line, messages)
    return result


# ---- lines of chips ----


def _axes(mesh: Mesh, cluster_axis: int | None) -> list[int]:
    """The axes to go along, one after the other: chips count along the rows first."""
    if cluster_axis is not None:
        if cluster_axis not in (0, 1):
            raise ProgramError(f"a mesh has the axes 0 and 1, not {cluster_axis}")
        return [cluster_axis]
    return [axis for axis in (1, 0) if mesh.shape[axis] > 1] or [1]


def _only_axis(mesh: Mesh, cluster_axis: int | None) -> int:
    axes = _axes(mesh, cluster_axis)
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


def _line(mesh: Mesh, axis: int, ring: bool) -> Line:
    board, size = _board(mesh), mesh.shape[axis]
    closed = board.ring_rows if axis == 1 else board.ring_columns
    return Line(size, ring and closed and size > 2)


def _check_chip(line: Line, chip: int) -> None:
    if not 0 <= chip < line.size:
        raise ProgramError(f"there is no chip {chip} in a line of {line.size}")


# ---- tensors and programs ----


def _check_sum(tensor: MeshTensor) -> None:
    spec = tensor.local.spec
    if spec.layout is not Layout.TILE or spec.dtype not in _SUMMED:
        raise ProgramError(
            f"chips cannot sum a tensor of {spec.dtype.name} in {spec.layout.name} layout",
            remedy="use TILE layout and bfloat16, float32 or int32",
        )


def _resized(shape: tuple[int, ...], dim: int, count: int) -> tuple[int, ...]:
    return (*shape[:dim], shape[dim] * count, *shape[dim + 1 :])


def _like(tensor: MeshTensor, shape: Sequence[int]) -> MeshTensor:
    spec = tensor.local.spec
    return tensor.mesh.empty(shape, spec.dtype, spec.layout, tile=spec.tile)


def _room(tensor: MeshTensor, pages: int) -> MeshTensor:
    """Tiles that arrive before they are summed."""
    tile = tensor.local.spec.tile
    return tensor.mesh.empty((pages * tile.rows, tile.cols), tensor.local.dtype, tile=tile)


def _run(
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
