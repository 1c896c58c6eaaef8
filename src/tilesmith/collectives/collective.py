"""The collectives: from tensors on the chips of a mesh to tensors on all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tilesmith.collectives.blocks import first_part, normal_dim, placed
from tilesmith.collectives.messages import Line, Message, Run, exchange, gather
from tilesmith.collectives.running import axes_of, check_chip, check_sum, line_of, only_axis, room_for, run
from tilesmith.errors import ProgramError
from tilesmith.runtime import MeshTensor
from tilesmith.runtime.tensor_spec import TensorSpec

_SHARED_PAGES = 4  # of a chip's part, from which on two programs with fewer packets take less time


def all_gather(
    tensor: MeshTensor,
    dim: int,
    cluster_axis: int | None = None,
    ring: bool = True,
    into: MeshTensor | None = None,
) -> MeshTensor:
    """What every chip has, one behind the other along `dim`, on every chip.

    `cluster_axis` 0 is the columns of the mesh, 1 its rows, None all chips. Without `ring` packets never go
    over the link that closes a ring. The result goes `into` a tensor of its kind; left out, into a new one.
    """
    axes = axes_of(tensor.mesh, cluster_axis)
    for axis in axes:
        spec, line = tensor.local.spec, line_of(tensor.mesh, axis, ring)
        at = normal_dim(spec, dim)
        alignment = tensor.mesh.arch.dram_alignment
        targets = [placed(spec, at, line.size, chip, alignment) for chip in range(line.size)]
        shape = _resized(spec.shape, at, line.size)
        result = _result(tensor, shape, into if axis == axes[-1] else None)

        def messages(
            line: Line, chip: int, spec: TensorSpec = spec, targets: Sequence[Run] = targets
        ) -> list[Message]:
            return gather(line, chip, spec.num_pages, targets[chip])

        run(tensor, result, result, axis, line, messages)
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
    axes = axes_of(tensor.mesh, cluster_axis)
    for axis in axes:
        check_sum(tensor)
        line = line_of(tensor.mesh, axis, ring)
        pages = tensor.local.spec.num_pages
        shared = pages >= _SHARED_PAGES * line.size and pages % line.size == 0
        result = _result(tensor, tensor.local.shape, into if axis == axes[-1] else None, in_place=True)
        (_sum_of_parts if shared else _sum_of_all)(tensor, result, axis, line)
        tensor = result
    return tensor


def _sum_of_all(tensor: MeshTensor, result: MeshTensor, axis: int, line: Line) -> None:
    """Every chip gets everything, and sums it: one program, and the shortest way for few pages."""
    pages = tensor.local.spec.num_pages

    def messages(line: Line, chip: int) -> list[Message]:
        return gather(line, chip, pages, Run(chip * pages, pages, pages))

    run(tensor, room_for(tensor, line.size * pages), result, axis, line, messages, summed=pages)


def _sum_of_parts(tensor: MeshTensor, result: MeshTensor, axis: int, line: Line) -> None:
    """Each chip sums its part, and sends the sum to all."""
    pages = tensor.local.spec.num_pages
    part = pages // line.size
    summed = room_for(tensor, part)

    def scattered(line: Line, chip: int) -> list[Message]:
        return exchange(line, chip, part, Run(0, part, pages), Run(chip * part, part, part))

    def gathered(line: Line, chip: int) -> list[Message]:
        return gather(line, chip, part, Run(chip * part, part, part))

    run(tensor, room_for(tensor, line.size * part), summed, axis, line, scattered, summed=part)
    run(summed, result, result, axis, line, gathered)


def reduce_scatter(
    tensor: MeshTensor,
    dim: int,
    cluster_axis: int | None = None,
    ring: bool = True,
    into: MeshTensor | None = None,
) -> MeshTensor:
    """Of that sum, on each chip its own part along `dim`."""
    axes = axes_of(tensor.mesh, cluster_axis)[::-1]
    for axis in axes:
        check_sum(tensor)
        spec, line = tensor.local.spec, line_of(tensor.mesh, axis, ring)
        at = normal_dim(spec, dim)
        source, pages = first_part(spec, at, line.size), spec.num_pages // line.size

        def messages(line: Line, chip: int, pages: int = pages, source: Run = source) -> list[Message]:
            return exchange(line, chip, pages, source, Run(chip * pages, pages, pages))

        shape = (*spec.shape[:at], spec.shape[at] // line.size, *spec.shape[at + 1 :])
        result = _result(tensor, shape, into if axis == axes[-1] else None)
        run(tensor, room_for(tensor, line.size * pages), result, axis, line, messages, summed=pages)
        tensor = result
    return tensor


def all_to_all(
    tensor: MeshTensor,
    split_dim: int,
    concat_dim: int,
    cluster_axis: int | None = None,
    ring: bool = True,
    into: MeshTensor | None = None,
) -> MeshTensor:
    """Part j along `split_dim` goes to chip j, which concatenates what it gets along `concat_dim`."""
    axis = only_axis(tensor.mesh, cluster_axis)
    spec, line = tensor.local.spec, line_of(tensor.mesh, axis, ring)
    at = normal_dim(spec, split_dim)
    source = first_part(spec, at, line.size)
    part = replace(spec, shape=(*spec.shape[:at], spec.shape[at] // line.size, *spec.shape[at + 1 :]))
    along = normal_dim(part, concat_dim)
    alignment = tensor.mesh.arch.dram_alignment
    targets = [placed(part, along, line.size, chip, alignment) for chip in range(line.size)]

    def messages(line: Line, chip: int) -> list[Message]:
        return exchange(line, chip, part.num_pages, source, targets[chip])

    result = _result(tensor, _resized(part.shape, along, line.size), into)
    run(tensor, result, result, axis, line, messages)
    return result


def broadcast(
    tensor: MeshTensor, root: int = 0, cluster_axis: int | None = None, ring: bool = True
) -> MeshTensor:
    """What chip `root` of each line has, on all chips of it."""
    axis = only_axis(tensor.mesh, cluster_axis)
    line, pages = line_of(tensor.mesh, axis, ring), tensor.local.spec.num_pages
    check_chip(line, root)

    def messages(line: Line, chip: int) -> list[Message]:
        return gather(line, chip, pages, Run(0, pages, pages)) if chip == root else []

    result = _result(tensor, tensor.local.shape)
    run(tensor, result, result, axis, line, messages)
    return result


def point_to_point(
    tensor: MeshTensor, sender: int, receiver: int, cluster_axis: int | None = None, ring: bool = True
) -> MeshTensor:
    """What chip `sender` of a line has, on chip `receiver`; the others' results are not written."""
    axis = only_axis(tensor.mesh, cluster_axis)
    line, pages = line_of(tensor.mesh, axis, ring), tensor.local.spec.num_pages
    check_chip(line, sender)
    check_chip(line, receiver)

    def messages(line: Line, chip: int) -> list[Message]:
        whole = Run(0, pages, pages)
        return line.to_one(Message(pages, whole, whole), sender, receiver) if chip == sender else []

    result = _result(tensor, tensor.local.shape)
    run(tensor, result, result, axis, line, messages)
    return result


def _resized(shape: tuple[int, ...], dim: int, count: int) -> tuple[int, ...]:
    return (*shape[:dim], shape[dim] * count, *shape[dim + 1 :])


def _result(
    tensor: MeshTensor, shape: Sequence[int], into: MeshTensor | None = None, in_place: bool = False
) -> MeshTensor:
    """Where results like an operand go, in this shape: a new tensor, or the one that is given."""
    spec = tensor.local.spec
    if into is None:
        return tensor.mesh.empty(shape, spec.dtype, spec.layout, tile=spec.tile)
    wanted = replace(spec, shape=tuple(shape), memory_config=into.local.spec.memory_config)
    if into.local.spec != wanted or into.local.spec.memory_config.is_sharded:
        raise ProgramError(f"what comes of {tensor} does not fit into {into}")
    if not in_place and into.local.address == tensor.local.address:
        raise ProgramError("a collective that moves parts cannot write over what it reads")
    return into
