"""Named indices are computed once: outside the loops, branches and stages that do not change them."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.compiler.analysis.index_expressions import constant_of
from tilesmith.compiler.dialects import tt
from tilesmith.compiler.dialects.walk import walk
from tilesmith.compiler.pass_group import Pass

_PURE = (arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.MinSIOp, arith.MaxSIOp)
_DIVISIONS = (arith.DivSIOp, arith.RemSIOp, arith.FloorDivSIOp)
_Key = tuple[object, ...]


@dataclass(frozen=True)
class LoopInvariantCodeMotion(Pass):
    """Compute named indices once, outside the loops, branches and stages that do not change them."""

    name = "loop-invariant-code-motion"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [kernel for kernel in op.ops if isinstance(kernel, tt.KernelOp)]:
            hoist_named(kernel.body.block)


def hoist_named(block: Block) -> None:
    """Move every named index as far out as its operands allow; merge equal ones of one name there."""
    known: dict[Block, dict[_Key, SSAValue]] = {}
    for op in list(walk(block)):
        if _moves(op) and op.results[0].name_hint:
            _hoist(op)
            assert op.parent is not None
            _merge(op, known.setdefault(op.parent, {}))


def _moves(op: Operation) -> bool:
    """Whether it may run where it did not run before: a division must not meet a zero there."""
    if isinstance(op, _DIVISIONS):
        return constant_of(op.rhs) not in (None, 0)
    return isinstance(op, _PURE)


def _hoist(op: Operation) -> None:
    home = op.parent
    anchor: Operation | None = None
    at = home
    while at is not None and not _uses_from(op, at):
        around = at.parent_op()
        if around is None or isinstance(around, tt.KernelOp):
            break
        anchor, at = around, around.parent
    if anchor is None:
        return
    for value in op.operands:
        _bring_along(value, anchor)
    op.detach()  # type: ignore[no-untyped-call]
    Rewriter.insert_op(op, InsertPoint.before(anchor))


def _uses_from(op: Operation, block: Block) -> bool:
    """Whether an operand is made in the block and cannot leave it."""
    return any(_is_bound_to(value, block) for value in op.operands)


def _is_bound_to(value: SSAValue, block: Block) -> bool:
    maker = value.owner
    if isinstance(maker, Block):
        return maker is block
    if isinstance(maker, arith.ConstantOp):
        return False
    # What can move may come from further inside, and then needs its own operands here.
    return _uses_from(maker, block) if _moves(maker) else maker.parent is block


def _bring_along(value: SSAValue, anchor: Operation) -> None:
    """Make a value available before the anchor."""
    maker = value.owner
    if isinstance(maker, Block) or _is_above(maker, anchor):
        return
    for operand in maker.operands:
        _bring_along(operand, anchor)
    maker.detach()  # type: ignore[no-untyped-call]
    Rewriter.insert_op(maker, InsertPoint.before(anchor))


def _is_above(maker: Operation, anchor: Operation) -> bool:
    """Whether the maker's block is the anchor's or one around it."""
    block = anchor.parent
    while block is not None:
        if maker.parent is block:
            return True
        around = block.parent_op()
        block = around.parent if around is not None else None
    return False


def _merge(op: Operation, known: dict[_Key, SSAValue]) -> None:
    (result,) = op.results
    key: _Key = (result.name_hint, _identity_of(op))
    earlier = known.setdefault(key, result)
    if earlier is not result:
        result.replace_all_uses_with(earlier)
        Rewriter.erase_op(op)


def _identity_of(op: Operation) -> _Key:
    return (type(op), *(_identity(value) for value in op.operands))


def _identity(value: SSAValue) -> object:
    """Equal for values that are surely equal: the same one, the same number, the same unnamed expression."""
    number = constant_of(value)
    if number is not None:
        return (number, value.type)
    maker = value.owner
    if isinstance(maker, Operation) and _moves(maker) and not value.name_hint:
        return _identity_of(maker)
    return value
