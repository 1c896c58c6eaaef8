"""Steps along the inner dimension of a product become fewer and deeper, while L1 has room.

Blocks for GPUs are 32 or 64 deep. Here each step packs the whole sum to L1 and waits for one block of each
operand, so that deep blocks cost less: loads that follow each other become one, and so do their products.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import Float32Type, IndexType, IntegerAttr, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.arch import Arch, load_arch
from tilesmith.compiler.analysis.affine import linear_of
from tilesmith.compiler.analysis.index_expressions import constant_of, leaves_of
from tilesmith.compiler.analysis.tile_geometry import TILE, version_bytes
from tilesmith.compiler.dialects.tile import AllocOp, GemmOp, LoadOp, ints, numbers, place_of
from tilesmith.compiler.dialects.tt import number
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.dialects.walk import operations_of, walk
from tilesmith.compiler.pass_group import Pass

_DEEPEST = 4 * TILE
# Of L1, what all buffers may take afterwards: two versions of what is loaded, and one that is staged.
_L1_SHARE = 0.7
_VERSIONS = 3

Depths = dict[SSAValue, int]
"""Which dimension of a buffer is the inner one of its products."""


@dataclass(frozen=True)
class MergeProductSteps(Pass):
    """Let a loop that only loads and multiplies take several of its steps at once, as L1 of `arch` allows."""

    name = "merge-product-steps"

    arch: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in [one for one in walk(op) if isinstance(one, scf.ForOp) and self.arch]:
            depths = _depths(loop)
            if depths:
                _merge(loop, depths, _factor(loop, depths, op, load_arch(self.arch)))


def _depths(loop: scf.ForOp) -> Depths:
    """The buffers of a loop that only loads blocks which follow each other, and adds up their products."""
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


def _factor(loop: scf.ForOp, depths: Depths, module: ModuleOp, arch: Arch) -> int:
    """How many steps become one: the most that divide them, are deep enough, and fit."""
    turns = constant_of(loop.ub) or 1
    room = _L1_SHARE * (arch.l1_size - arch.l1_unreserved_base)
    allocs = operations_of(module, AllocOp)
    held = sum(version_bytes(one.buffer.type) for one in allocs if one.buffer not in depths)
    loaded = {
        buffer: buffer_type for buffer in depths if isinstance(buffer_type := place_of(buffer), BufferType)
    }
    deepest = max(buffer_type.dims[depths[buffer]] for buffer, buffer_type in loaded.items())
    fitting = [
        factor
        for factor in range(1, turns + 1)
        if turns % factor == 0
        and factor * deepest <= _DEEPEST
        and 2 * held + _VERSIONS * factor * sum(map(version_bytes, loaded.values())) <= room
    ]
    return max(fitting, default=1)


def _merge(loop: scf.ForOp, depths: Depths, factor: int) -> None:
    if factor == 1:
        return
    turns = constant_of(loop.ub)
    assert turns is not None
    for load in [op for op in loop.body.block.ops if isinstance(op, LoadOp)]:
        dim = depths[load.buffer]
        pairs = zip(numbers(load.sizes), numbers(load.dims), strict=True)
        load.sizes = ints([size * factor if at == dim else size for size, at in pairs])
    for buffer, dim in depths.items():
        _deepen(buffer, dim, factor)
    Rewriter.insert_op(fewer := _constant(turns // factor), InsertPoint.before(loop))
    loop.operands[1] = fewer.results[0]
    turn = loop.body.block.args[0]
    first = _constant(factor)
    begin = arith.MuliOp(turn, first.results[0])
    begin.result.name_hint = turn.name_hint
    turn.replace_uses_with_if(begin.result, lambda use: use.operation is not begin)
    Rewriter.insert_op([first, begin], InsertPoint.at_start(loop.body.block))
    loop.attributes["num_stages"] = number(2)


def _deepen(buffer: SSAValue, dim: int, factor: int) -> None:
    alloc, buffer_type = buffer.owner, place_of(buffer)
    assert isinstance(alloc, AllocOp)
    assert isinstance(buffer_type, BufferType)
    dims = [size * factor if at == dim else size for at, size in enumerate(buffer_type.dims)]
    layout, stored = buffer_type.layout.data, buffer_type.format.data
    deeper = AllocOp(
        alloc.buffer_name.data,
        BufferType.of(dims, buffer_type.element_type, buffer_type.scope.data, layout, stored),
    )
    deeper.location = alloc.location
    Rewriter.replace_op(alloc, deeper)


def _constant(value: int) -> Operation:
    return arith.ConstantOp(IntegerAttr(value, IndexType()))
