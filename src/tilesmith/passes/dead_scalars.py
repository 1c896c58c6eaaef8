"""Scalar code and control flow that nothing depends on."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator, is_side_effect_free

from tilesmith.dialects import tile, tt


def remove_dead_scalars(block: Block) -> None:
    """Erase values nobody uses, variables nobody looks at, loops and branches with nothing in them."""
    while _sweep(block):
        pass


def _sweep(block: Block) -> bool:
    """One pass from the back to the front, so that users go before what they use."""
    changed = False
    for op in reversed(list(block.ops)):
        if isinstance(op, scf.ForOp | scf.IfOp | scf.WhileOp):
            for region in op.regions:
                for inner in region.blocks:
                    changed |= _sweep(inner)
        if _is_dead(op):
            op.detach()
            op.erase()
            changed = True
    return changed


def _is_dead(op: Operation) -> bool:
    match op:
        case scf.ForOp() | scf.IfOp():
            return not op.results and all(_is_empty(block) for region in op.regions for block in region.blocks)
        case scf.WhileOp():
            return False
        case tile.SetOp():
            return not _is_looked_at(op.var)
        case tile.VarOp():
            return not op.var.has_any_uses()
        case tile.GetOp() | tile.ReadOp():
            return not op.value.has_any_uses()
        case tt.AccessorOp():
            return not _is_accessed(op)
        case tt.CBOp():
            return False
        case _:
            unused = not any(result.has_any_uses() for result in op.results)
            return bool(op.results) and unused and is_side_effect_free(op)


def _is_empty(block: Block) -> bool:
    return all(op.has_trait(IsTerminator) for op in block.ops)


def _is_looked_at(var: SSAValue) -> bool:
    return any(not isinstance(use.operation, tile.SetOp) for use in var.uses)


def _is_accessed(op: tt.AccessorOp) -> bool:
    """Transfers name the tensor until they are lowered; the accessor is there for them."""
    if op.accessor.has_any_uses():
        return True
    return any(not isinstance(use.operation, tt.AccessorOp) for use in op.tensor.uses)
