"""How writes end: a stage waits until its data has left, the kernel until it has arrived."""

from __future__ import annotations

from xdsl.ir import Operation

from tilesmith.dialects import tile, tt
from tilesmith.dialects.tt_dataflow import WriteBarrierOp, WritesFlushedOp
from tilesmith.passes.transfers.build import Body
from tilesmith.passes.transfers.tensors import kernel_of, parameter_of


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
    tensor = parameter_of(op.tensor)
    if op.tensor is not tensor:
        return False
    others = [use.operation for use in tensor.uses if use.operation is not op]
    return all(isinstance(other, tt.AccessorOp) and not other.accessor.uses for other in others)
