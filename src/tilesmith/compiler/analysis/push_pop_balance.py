"""How many pages a kernel pushes and pops, as sums over the loops and branches it does so in.

`{("push", "A", ()): 1, ("push", "A", ("for 0 to n",)): 2}` means one page, and two more per trip of a loop.
What does not depend on control flow is folded: a loop with known bounds multiplies, and what both sides of a
branch do is done anyway.
"""

from __future__ import annotations

from collections import Counter

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from tilesmith.compiler.analysis.index_expressions import constant_of
from tilesmith.compiler.dialects import tile, tt

Path = tuple[str, ...]
PageCounts = Counter[tuple[str, str, Path]]
"""Pages by what is done ("push" or "pop"), the circular buffer, and the control flow around it."""


_CALLS = (tt.PushBackOp, tt.PopFrontOp, tt.SendOp, tt.ReceiveOp)


def page_counts(block: Block) -> PageCounts:
    """What everything that runs in a block adds up to."""
    total: PageCounts = Counter()
    for op in block.ops:
        if op.regions or type(op) in _CALLS:
            for entry, pages in _of_op(op).items():
                total[entry] += pages
    return total


def of_buffer(total: PageCounts, what: str, cb_name: str) -> dict[Path, int]:
    """The counts of one circular buffer."""
    return {path: pages for (done, name, path), pages in total.items() if (done, name) == (what, cb_name)}


def _of_op(op: Operation) -> PageCounts:
    match op:
        case tt.PushBackOp():
            return Counter({("push", name_of(op.cb), ()): op.pages.value.data})
        case tt.PopFrontOp():
            return Counter({("pop", name_of(op.cb), ()): op.pages.value.data})
        case tt.SendOp():
            return Counter({("push", name_of(op.cb), ()): 1})
        case tt.ReceiveOp():
            return Counter({("pop", name_of(op.cb), ()): 1})
        case scf.ForOp():
            return _loop(op)
        case scf.IfOp():
            return _branch(op)
        case scf.WhileOp():
            # The condition is looked at once more than the body runs.
            condition = page_counts(op.before_region.block)
            inside = condition + page_counts(op.after_region.block)
            return condition + _under(f"while {_condition(op)}", inside)
        case _:
            return sum((page_counts(block) for region in op.regions for block in region.blocks), PageCounts())


def _loop(op: scf.ForOp) -> PageCounts:
    inside = page_counts(op.body.block)
    if not inside:
        return inside
    trips = trip_count(op)
    if trips is None:
        return _under(f"for {key_of(op.lb)} to {key_of(op.ub)} by {key_of(op.step)}", inside)
    return Counter({entry: pages * trips for entry, pages in inside.items() if trips})


def _branch(op: scf.IfOp) -> PageCounts:
    then, other = (page_counts(region.block) if region.blocks else PageCounts() for region in op.regions)
    if then == other:
        return then
    always = then & other
    condition = key_of(op.cond)
    return always + _under(f"if {condition}", then - always) + _under(f"unless {condition}", other - always)


def _under(what: str, inside: PageCounts) -> PageCounts:
    return Counter({(done, name, (what, *path)): pages for (done, name, path), pages in inside.items()})


def trip_count(op: scf.ForOp) -> int | None:
    """How often a loop runs, when its bounds are numbers."""
    first, last, step = (constant_of(value) for value in (op.lb, op.ub, op.step))
    return None if first is None or last is None or step is None else len(range(first, last, step))


def name_of(cb: SSAValue) -> str:
    assert isinstance(cb.owner, tt.CBOp)
    return cb.owner.cb_name.data


def _condition(op: scf.WhileOp) -> str:
    last = op.before_region.block.last_op
    assert isinstance(last, scf.ConditionOp)
    return key_of(last.condition)


def key_of(value: SSAValue) -> str:
    """A name for a value that is the same in all kernels of a core."""
    sent = next((use.operation for use in value.uses if isinstance(use.operation, tt.SendOp)), None)
    if sent is not None:
        return _scalar_name(sent.cb)
    owner = value.owner
    if isinstance(owner, Block):
        return _argument_name(value, owner)
    if isinstance(owner, tt.ReceiveOp):
        return _scalar_name(owner.cb)
    if isinstance(owner, tile.VarOp):
        return f"var {value.name_hint or ''}"
    attributes = {**owner.properties, **{k: v for k, v in owner.attributes.items() if k == "value"}}
    detail = ", ".join(str(entry) for entry in attributes.values())
    return f"{owner.name}[{detail}]({', '.join(key_of(operand) for operand in owner.operands)})"


def _argument_name(value: SSAValue, block: Block) -> str:
    position = block.args.index(value)
    loop = block.parent_op()
    depth = 0
    while loop is not None and not isinstance(loop, tt.KernelOp):
        depth += isinstance(loop, scf.ForOp)
        loop = loop.parent_op()
    return f"argument {position} at depth {depth}"


def _scalar_name(cb: SSAValue) -> str:
    """The scalar sent, whoever it is sent to."""
    return name_of(cb).rsplit("_", 1)[0]
