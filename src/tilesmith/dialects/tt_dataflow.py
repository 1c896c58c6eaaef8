"""The tt dialect: what only dataflow kernels do.

A load fills the pages it has reserved, a store drains the pages it has waited for; `tile` counts those pages
from the first. Reads and writes over the NoC have landed only after the barrier that follows them.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def

from tilesmith.dialects.tt import AccessorType, CBType


@irdl_op_definition
class ReadPageOp(IRDLOperation):
    """One page of a tensor -> one reserved page."""

    name = "tt_dataflow.read_page"

    accessor = operand_def(AccessorType)
    page = operand_def(IndexType())
    cb = operand_def(CBType)
    tile = operand_def(IndexType())
    assembly_format = (
        "$accessor `[` $page `]` `->` $cb `[` $tile `]` attr-dict `:` type($accessor) `,` type($cb)"
    )

    def __init__(self, accessor: SSAValue, page: SSAValue, cb: SSAValue, tile: SSAValue) -> None:
        super().__init__(operands=[accessor, page, cb, tile])


@irdl_op_definition
class WritePageOp(IRDLOperation):
    """One page that was waited for -> one page of a tensor."""

    name = "tt_dataflow.write_page"

    cb = operand_def(CBType)
    tile = operand_def(IndexType())
    accessor = operand_def(AccessorType)
    page = operand_def(IndexType())
    assembly_format = (
        "$cb `[` $tile `]` `->` $accessor `[` $page `]` attr-dict `:` type($cb) `,` type($accessor)"
    )

    def __init__(self, cb: SSAValue, tile: SSAValue, accessor: SSAValue, page: SSAValue) -> None:
        super().__init__(operands=[cb, tile, accessor, page])


@irdl_op_definition
class ZeroPageOp(IRDLOperation):
    """Zeros -> one reserved page, copied from the core's own block of zeros: a NoC read like any other."""

    name = "tt_dataflow.zero_page"

    cb = operand_def(CBType)
    tile = operand_def(IndexType())
    assembly_format = "$cb `[` $tile `]` attr-dict `:` type($cb)"

    def __init__(self, cb: SSAValue, tile: SSAValue) -> None:
        super().__init__(operands=[cb, tile])


@irdl_op_definition
class ReadBarrierOp(IRDLOperation):
    """Every read issued so far has landed."""

    name = "tt_dataflow.read_barrier"

    assembly_format = "attr-dict"


@irdl_op_definition
class WriteBarrierOp(IRDLOperation):
    """Every write issued so far has landed."""

    name = "tt_dataflow.write_barrier"

    assembly_format = "attr-dict"


TTDataflowDialect = Dialect(
    "tt_dataflow", [ReadPageOp, WritePageOp, ZeroPageOp, ReadBarrierOp, WriteBarrierOp], []
)
