"""The tt dialect: what only dataflow kernels do.

A load fills the pages it has reserved, a store drains the pages it has waited for; `tile` counts those pages
from the first. Reads and writes over the NoC have landed only after the barrier that follows them.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, IntegerAttr, StringAttr
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
)
from xdsl.utils.exceptions import VerifyException

from tilesmith.compiler.dialects.tt import AccessorType, CBType, number
from tilesmith.compiler.dialects.tt_elements import (
    DatumOp,
    ElementsOp,
    ElementsType,
    FlushOp,
    LoadWordOp,
    ReadElementOp,
    StoreWordOp,
    WriteElementOp,
)

SIDES = ("read", "write")
"""Which pages of a circular buffer: those waited for, or those reserved."""


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
class ZeroPagesOp(IRDLOperation):
    """Zeros -> reserved pages, copied from the core's own block of zeros: a NoC read like any other."""

    name = "tt_dataflow.zero_pages"

    cb = operand_def(CBType)
    tile = operand_def(IndexType())
    pages = prop_def(IntegerAttr)
    assembly_format = "$cb `[` $tile `]` `,` $pages attr-dict `:` type($cb)"

    def __init__(self, cb: SSAValue, tile: SSAValue, pages: int = 1) -> None:
        super().__init__(operands=[cb, tile], properties={"pages": number(pages)})


@irdl_op_definition
class MulticastSendOp(IRDLOperation):
    """The reserved pages of a version -> the same address on the other cores of a row or column.

    `first` and `last` are NoC coordinates, x and y, of the nearest and the farthest of them. `ready` and
    `arrived` are numbers of semaphores. With `staged` the pages of that buffer are sent, and the core, which
    is one of those from `first` to `last`, gets them too.
    """

    name = "tt_dataflow.multicast_send"

    cb = operand_def(CBType)
    first_x = operand_def(IndexType())
    first_y = operand_def(IndexType())
    last_x = operand_def(IndexType())
    last_y = operand_def(IndexType())
    staged = opt_operand_def(CBType)
    along = prop_def(StringAttr)
    receivers = prop_def(IntegerAttr)
    ready = prop_def(IntegerAttr)
    arrived = prop_def(IntegerAttr)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$along $cb `to` `[` $first_x `,` $first_y `]` `,` `[` $last_x `,` $last_y `]`"
        " (`from` $staged^ `:` type($staged))? attr-dict `:` type($cb)"
    )

    def __init__(
        self,
        cb: SSAValue,
        first: Sequence[SSAValue],
        last: Sequence[SSAValue],
        along: str,
        receivers: int,
        semaphores: tuple[int, int],
        staged: SSAValue | None = None,
    ) -> None:
        super().__init__(
            operands=[cb, *first, *last, staged],
            properties={
                "along": StringAttr(along),
                "receivers": number(receivers),
                "ready": number(semaphores[0]),
                "arrived": number(semaphores[1]),
            },
        )


@irdl_op_definition
class MulticastReadyOp(IRDLOperation):
    """Tell the sender of the row or column, at these NoC coordinates, that there is room for the version."""

    name = "tt_dataflow.multicast_ready"

    cb = operand_def(CBType)
    sender_x = operand_def(IndexType())
    sender_y = operand_def(IndexType())
    ready = prop_def(IntegerAttr)
    arrived = prop_def(IntegerAttr)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$cb `to` `[` $sender_x `,` $sender_y `]` attr-dict `:` type($cb)"

    def __init__(self, cb: SSAValue, sender: Sequence[SSAValue], semaphores: tuple[int, int]) -> None:
        super().__init__(
            operands=[cb, *sender],
            properties={"ready": number(semaphores[0]), "arrived": number(semaphores[1])},
        )


@irdl_op_definition
class MulticastReceiveOp(IRDLOperation):
    """Wait until the version has come. The sender was told before that there is room."""

    name = "tt_dataflow.multicast_receive"

    cb = operand_def(CBType)
    arrived = prop_def(IntegerAttr)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$cb attr-dict `:` type($cb)"

    def __init__(self, cb: SSAValue, arrived: int) -> None:
        super().__init__(operands=[cb], properties={"arrived": number(arrived)})


@irdl_op_definition
class AddressOp(IRDLOperation):
    """Where the pages of a circular buffer start in L1."""

    name = "tt_dataflow.address"

    cb = operand_def(CBType)
    side = prop_def(StringAttr)
    address = result_def(IndexType())
    assembly_format = "$side $cb attr-dict `:` type($cb)"

    def __init__(self, cb: SSAValue, side: str) -> None:
        super().__init__(operands=[cb], properties={"side": StringAttr(side)}, result_types=[IndexType()])

    def verify_(self) -> None:
        _check_side(self.side)


@irdl_op_definition
class ScratchOp(IRDLOperation):
    """Memory that only this kernel uses: a circular buffer that is reserved and never pushed."""

    name = "tt_dataflow.scratch"

    cb = operand_def(CBType)
    address = result_def(IndexType())
    assembly_format = "$cb attr-dict `:` type($cb)"

    def __init__(self, cb: SSAValue) -> None:
        super().__init__(operands=[cb], result_types=[IndexType()])
        self.address.name_hint = "scratch"


class _Bytes(IRDLOperation):
    """Some bytes of a page, to or from an address that is aligned as they are in the page."""

    accessor = operand_def(AccessorType)
    page = operand_def(IndexType())
    offset = operand_def(IndexType())
    address = operand_def(IndexType())
    size = operand_def(IndexType())
    assembly_format = (
        "$accessor `[` $page `,` $offset `]` `,` $address `,` $size attr-dict `:` type($accessor)"
    )

    def __init__(
        self, accessor: SSAValue, page: SSAValue, offset: SSAValue, address: SSAValue, size: SSAValue
    ) -> None:
        super().__init__(operands=[accessor, page, offset, address, size])


@irdl_op_definition
class ReadBytesOp(_Bytes):
    """Bytes of a page -> L1."""

    name = "tt_dataflow.read_bytes"


@irdl_op_definition
class WriteBytesOp(_Bytes):
    """L1 -> bytes of a page."""

    name = "tt_dataflow.write_bytes"


@irdl_op_definition
class CopyBytesOp(IRDLOperation):
    """L1 -> L1 of the same core, over the NoC: lands with the next read barrier."""

    name = "tt_dataflow.copy_bytes"

    source = operand_def(IndexType())
    target = operand_def(IndexType())
    size = operand_def(IndexType())
    assembly_format = "$source `->` $target `,` $size attr-dict"

    def __init__(self, source: SSAValue, target: SSAValue, size: SSAValue) -> None:
        super().__init__(operands=[source, target, size])


@irdl_op_definition
class ZeroBytesOp(IRDLOperation):
    """Zeros -> L1 of the same core, copied from its own block of them: lands with the next read barrier."""

    name = "tt_dataflow.zero_bytes"

    target = operand_def(IndexType())
    size = operand_def(IndexType())
    assembly_format = "$target `,` $size attr-dict"

    def __init__(self, target: SSAValue, size: SSAValue) -> None:
        super().__init__(operands=[target, size])


def _check_side(side: StringAttr) -> None:
    if side.data not in SIDES:
        raise VerifyException(f"expected a side of {SIDES}, got {side.data!r}")


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


@irdl_op_definition
class WritesFlushedOp(IRDLOperation):
    """Every write issued so far has left: its source may be overwritten."""

    name = "tt_dataflow.writes_flushed"

    assembly_format = "attr-dict"


TTDataflowDialect = Dialect(
    "tt_dataflow",
    [
        *(ReadPageOp, WritePageOp, ZeroPagesOp, ReadBytesOp, WriteBytesOp, CopyBytesOp, ZeroBytesOp),
        *(MulticastSendOp, MulticastReadyOp, MulticastReceiveOp),
        *(ElementsOp, ReadElementOp, WriteElementOp, FlushOp),
        *(ReadBarrierOp, WriteBarrierOp, WritesFlushedOp, AddressOp, ScratchOp),
        *(LoadWordOp, StoreWordOp, DatumOp),
    ],
    [ElementsType],
)
