"""Loops that only load blocks along the inner dimension, one behind the other, and add up their products."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.builtin import Float32Type
from xdsl.ir import SSAValue

from tilesmith.compiler.analysis.affine import linear_of
from tilesmith.compiler.analysis.index_expressions import constant_of, leaves_of
from tilesmith.compiler.analysis.tile_geometry import TILE
from tilesmith.compiler.dialects.tile import AllocOp, GemmOp, LoadOp, numbers, place_of
from tilesmith.compiler.dialects.types import BufferType

Depths = dict[SSAValue, int]
"""Which dimension of a buffer is the inner one of its products."""


def product_depths(loop: scf.ForOp) -> Depths:
    """The buffers that a loop loads for its products; none if it does anything else."""
    if "num_stages" not in loop.attributes or (constant_of(loop.lb), constant_of(loop.step)) != (0, 1):
        return {}
    depths: Depths = {}
    for op in loop.body.block.ops:
        if isinstance(op, GemmOp):
            if not _sums_floats(op) or not _note(depths, op):
                return {}
        elif not isinstance(op, LoadOp | scf.YieldOp) and (op.regions or not op.results):
            return {}
    loads = [op for op in loop.body.block.ops if isinstance(op, LoadOp)]
    follow = all(_follows(load, loop, depths) for load in loads)
    return (
        depths if follow and sorted(map(_key, depths)) == sorted(_key(load.buffer) for load in loads) else {}
    )


def _key(buffer: SSAValue) -> int:
    return id(buffer)


def _sums_floats(op: GemmOp) -> bool:
    buffer_types = [place_of(value) for value in (op.a, op.b, op.c)]
    plain = all(
        isinstance(buffer_type, BufferType) and len(buffer_type.dims) == 2 for buffer_type in buffer_types
    )
    result = buffer_types[2]
    return plain and isinstance(result, BufferType) and isinstance(result.element_type, Float32Type)


def _note(depths: Depths, op: GemmOp) -> bool:
    """Note the inner dimensions of a product; no if another one has them elsewhere, or its sum is loaded."""
    wanted = ((op.a, 0 if op.transpose_a else 1), (op.b, 1 if op.transpose_b else 0))
    return all(depths.setdefault(buffer, dim) == dim for buffer, dim in wanted) and op.c not in depths


def _follows(load: LoadOp, loop: scf.ForOp, depths: Depths) -> bool:
    """Whether a load brings the block right behind that of the turn before, for products alone."""
    buffer, turn = load.buffer, loop.body.block.args[0]
    buffer_type, alloc = place_of(buffer), buffer.owner
    if (
        buffer not in depths
        or load.limits
        or not isinstance(buffer_type, BufferType)
        or not isinstance(alloc, AllocOp)
    ):
        return False
    users = [use.operation for use in buffer.uses]
    if any(user.parent_op() is not loop or not isinstance(user, LoadOp | GemmOp) for user in users):
        return False
    deep = buffer_type.dims[depths[buffer]]
    if buffer_type.layout.data != "tiled" or deep % TILE or load.multicast is not None:
        return False
    for offset, dim in zip(load.offsets, numbers(load.dims), strict=True):
        found = linear_of(offset)
        rest = [value for value in found.terms if value is not turn]
        step = deep if dim == depths[buffer] else 0
        if found.terms.get(turn, 0) != step or turn in leaves_of(rest):
            return False
    return depths[buffer] in numbers(load.dims)
