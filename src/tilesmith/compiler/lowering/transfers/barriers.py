"""How writes end: a stage waits until its data has left, the kernel until it has arrived."""

from __future__ import annotations

from xdsl.ir import Operation

from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.tt_dataflow import WriteBarrierOp, WritesFlushedOp
from tilesmith.compiler.lowering.transfers.build import Body
from tilesmith.compiler.lowering.transfers.tensors import kernel_of, parameter_of


def end_writes(body: Body, op: tile.StoreOp) -> None:
    """After the writes of a store: its pages may be reused, and whoever uses the tensor next finds them."""
    if _is_only_user(op):
        body.op(WritesFlushedOp.build())
        end_with_barrier(op)
    else:
        body.op(WriteBarrierOp.build())


def end_with_barrier(op: Operation) -> None:
    """Let the kernel around an operation end when everything it wrote has arrived."""
    block = kernel_of(op).body.block
    if not isinstance(block.last_op, WriteBarrierOp):
        block.add_op(WriteBarrierOp.build())


def _is_only_user(op: tile.StoreOp) -> bool:
    """Whether nothing else in the kernel touches the tensor, in whatever form it already is."""
    tensor, kernel = parameter_of(op.tensor), kernel_of(op)
    users = [use.operation for use in tensor.uses]
    for accessor in [user for user in users if isinstance(user, tt.AccessorOp)]:
        # The stage that is being made is not in the kernel yet.
        users += [use.operation for use in accessor.accessor.uses if kernel.is_ancestor(use.operation)]
    return all(user is op or isinstance(user, tt.AccessorOp) for user in users)
