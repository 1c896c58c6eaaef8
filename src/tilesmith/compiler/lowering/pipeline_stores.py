"""Results leave while the next block is on its way: stores of a loop move into its next iteration.

A data-movement kernel that brings the operands of a block in an inner loop, then waits for the result, brings
nothing while the result is computed. With its store after the first loads of the next block, it does. Cores
that know their place store in different turns: all at once would keep the reads of the next block from DRAM.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.compiler.analysis.index_expressions import constant_of
from tilesmith.compiler.analysis.kernel_signature import kernels_of
from tilesmith.compiler.analysis.roles import COMPUTE
from tilesmith.compiler.dialects import tt
from tilesmith.compiler.dialects.tt_dataflow import ReadBytesOp
from tilesmith.compiler.dialects.walk import operations_of, walk
from tilesmith.compiler.pass_group import Pass

# So many blocks are asked for before the store: as many as the circular buffers of loads mostly have.
_AHEAD = 2
# Arguments that tell cores of a rectangle apart.
_PLACES = ("core_x", "core_y")


@dataclass(frozen=True)
class PipelineStores(Pass):
    """Move the stores at the end of a loop behind the first loads of its next iteration."""

    name = "pipeline-stores"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = kernels_of(op)
        loaded = {tensor for kernel in kernels for tensor in _loaded(kernel)}
        for kernel in kernels:
            if kernel.role.data != COMPUTE:
                for loop in operations_of(kernel, scf.ForOp):
                    _pipeline(loop, loaded)


def _is_store(op: Operation) -> bool:
    return isinstance(op, tt.StageOp) and not op.outs and not any(map(_reads, walk(op)))


def _reads(op: Operation) -> bool:
    """A store that adds to what is there reads it first."""
    return isinstance(op, ReadBytesOp)


def _loaded(kernel: tt.KernelOp) -> set[int]:
    """The tensors that something other than a plain store touches."""
    found = set()
    for accessor in [op for op in kernel.body.block.ops if isinstance(op, tt.AccessorOp)]:
        if not all(_in_store(use.operation) for use in accessor.results[0].uses):
            found.add(_tensor(accessor))
    return found


def _tensor(accessor: tt.AccessorOp) -> int:
    """The number of the parameter, which is the same in all kernels."""
    assert isinstance(accessor.tensor, BlockArgument)
    return accessor.tensor.index


def _in_store(op: Operation | None) -> bool:
    while op is not None and not isinstance(op, tt.StageOp):
        op = op.parent_op()
    return op is not None and _is_store(op)


def _pipeline(outer: scf.ForOp, loaded: set[int]) -> None:
    body = outer.body.block
    inner = next((op for op in body.ops if isinstance(op, scf.ForOp)), None)
    if inner is None or outer.results or inner.results or not _runs(inner):
        return
    tail = _after(inner)
    if not any(map(_is_store, tail)) or not all(map(_may_move, tail)) or _stored(tail) & loaded:
        return
    if any(not _is_scalar(op) for op in body.ops if op is not inner and op not in tail):
        return
    moved = [op for op in tail if not _is_scalar(op)]
    scalars = _needed(body, moved)
    _store_within(inner, outer, scalars, moved)
    _store_last(outer, scalars, moved)
    for op in (*reversed(moved), *reversed(scalars)):
        if not any(result.uses for result in op.results):
            Rewriter.erase_op(op)


def _needed(body: Block, moved: Sequence[Operation]) -> list[Operation]:
    """The scalars of a loop that some of its operations need, in order."""
    waiting, found = list(moved), set[Operation]()
    while waiting:
        for value in (value for op in walk(waiting.pop()) for value in op.operands):
            owner = value.owner
            if isinstance(owner, Operation) and owner.parent is body and owner not in found:
                found.add(owner)
                waiting.append(owner)
    return [op for op in body.ops if op in found]


def _runs(inner: scf.ForOp) -> bool:
    """Whether a loop brings operands, and how often is known to be often enough."""
    first, last, step = (constant_of(value) for value in (inner.lb, inner.ub, inner.step))
    loads = any(isinstance(op, tt.StageOp) and op.outs for op in inner.body.block.ops)
    stores = any(isinstance(op, tt.StageOp) and not op.outs for op in walk(inner))
    return loads and not stores and (first, step) == (0, 1) and last is not None and last >= _AHEAD


def _after(op: Operation) -> list[Operation]:
    found, later = list[Operation](), op.next_op
    while later is not None:
        found.append(later)
        later = later.next_op
    return found


def _is_scalar(op: Operation) -> bool:
    return op.name.startswith("arith.") or isinstance(op, scf.YieldOp)


def _may_move(op: Operation) -> bool:
    return _is_scalar(op) or _is_store(op) or isinstance(op, tt.PopFrontOp)


def _stored(tail: Sequence[Operation]) -> set[int]:
    accessors = (value.owner for op in tail for inner in walk(op) for value in inner.operands)
    return {_tensor(owner) for owner in accessors if isinstance(owner, tt.AccessorOp)}


def _store_within(
    inner: scf.ForOp, outer: scf.ForOp, scalars: Sequence[Operation], moved: Sequence[Operation]
) -> None:
    """In the turn after whose loads it is time, the result of the block before."""
    turn, block = inner.body.block.args[0], outer.body.block.args[0]
    when, due = _due(inner)
    is_due = arith.CmpiOp(turn, due, "eq")
    has_one = arith.CmpiOp(block, outer.lb, "sgt")
    both = arith.AndIOp(is_due.result, has_one.result)
    before = arith.SubiOp(block, outer.step)
    then = Block([before, *_copied(scalars, moved, {block: before.result}), scf.YieldOp()])
    store = scf.IfOp(both.result, [], Region(then))
    Rewriter.insert_op([*when, is_due, has_one, both, store], _end(inner.body.block))


def _due(inner: scf.ForOp) -> tuple[list[Operation], SSAValue]:
    """The turn in which a core stores: the neighbours of a core take others, where there are more."""
    first, turns = _number(_AHEAD - 1), constant_of(inner.ub)
    assert turns is not None
    places = [arg.value for arg in _arguments(inner) if arg.arg_name.data in _PLACES]
    if turns <= _AHEAD or not places:
        return [first], first.result
    ops: list[Operation] = []
    place: SSAValue = places[0]
    for other in places[1:]:
        ops.append(arith.AddiOp(place, other))
        place = ops[-1].results[0]
    count = _number(turns - _AHEAD + 1)
    turn = arith.RemSIOp(place, count.result)
    due = arith.AddiOp(turn.result, first.result)
    due.result.name_hint = "store_turn"
    return [*ops, first, count, turn, due], due.result


def _arguments(op: Operation) -> list[tt.ArgOp]:
    kernel = op.parent_op()
    while not isinstance(kernel, tt.KernelOp):
        assert kernel is not None
        kernel = kernel.parent_op()
    return [one for one in kernel.body.block.ops if isinstance(one, tt.ArgOp)]


def _store_last(outer: scf.ForOp, scalars: Sequence[Operation], moved: Sequence[Operation]) -> None:
    """After the loop, the result of its last block, if there was one."""
    block = outer.body.block.args[0]
    first, end, step = (constant_of(value) for value in (outer.lb, outer.ub, outer.step))
    last: Operation = arith.SubiOp(outer.ub, outer.step)
    if first is not None and end is not None and step == 1 and first < end:
        last = _number(end - 1)
        copies = _copied(scalars, moved, {block: last.results[0]})
        Rewriter.insert_op([last, *copies], InsertPoint.after(outer))
        return
    copies = _copied(scalars, moved, {block: last.results[0]})
    has_one = arith.CmpiOp(outer.ub, outer.lb, "sgt")
    store = scf.IfOp(has_one.result, [], Region(Block([last, *copies, scf.YieldOp()])))
    Rewriter.insert_op([has_one, store], InsertPoint.after(outer))


def _copied(
    scalars: Sequence[Operation], moved: Sequence[Operation], known: dict[SSAValue, SSAValue]
) -> list[Operation]:
    values: dict[SSAValue, SSAValue] = dict(known)
    return [op.clone(values) for op in (*scalars, *moved)]


def _end(block: Block) -> InsertPoint:
    last = block.last_op
    return InsertPoint.before(last) if isinstance(last, scf.YieldOp) else InsertPoint.at_end(block)


def _number(value: int) -> arith.ConstantOp:
    return arith.ConstantOp(IntegerAttr(value, IndexType()))
