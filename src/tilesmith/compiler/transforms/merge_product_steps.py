"""Steps along the inner dimension of a product become fewer and deeper, while L1 has room.

Blocks for GPUs are 32 or 64 deep. Here each step packs the whole sum to L1 and waits for one block of each
operand, so that deep blocks cost less: loads that follow each other become one, and so do their products.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.arch import Arch, load_arch
from tilesmith.compiler.analysis.index_expressions import constant_of
from tilesmith.compiler.analysis.product_loops import Depths, product_depths
from tilesmith.compiler.analysis.tile_geometry import TILE, version_bytes
from tilesmith.compiler.dialects.tile import AllocOp, LoadOp, ints, numbers, place_of
from tilesmith.compiler.dialects.tt import number
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.dialects.walk import operations_of, walk
from tilesmith.compiler.pass_group import Pass

_DEEPEST = 4 * TILE
# Of L1, what all buffers may take afterwards: two versions of what is loaded, and one that is staged.
_L1_SHARE = 0.7
_VERSIONS = 3


@dataclass(frozen=True)
class MergeProductSteps(Pass):
    """Let a loop that only loads and multiplies take several of its steps at once, as L1 of `arch` allows."""

    name = "merge-product-steps"

    arch: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in [one for one in walk(op) if isinstance(one, scf.ForOp) and self.arch]:
            depths = product_depths(loop)
            if depths:
                _merge(loop, depths, _factor(loop, depths, op, load_arch(self.arch)))


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
