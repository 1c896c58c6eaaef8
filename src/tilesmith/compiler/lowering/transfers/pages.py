"""Whole versions of a buffer on a data-movement core: copied, or filled with zeros."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import SSAValue

from tilesmith.compiler.analysis.tile_geometry import tiles_of, version_bytes
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.tt_dataflow import CopyBytesOp, ReadBarrierOp, ZeroPagesOp
from tilesmith.compiler.lowering.transfers.build import Body
from tilesmith.compiler.lowering.transfers.tensors import address_of, buffer_of, role_of


def is_zero(value: SSAValue) -> bool:
    """Whether a number is known to be zero."""
    op = value.owner
    if not isinstance(op, arith.ConstantOp) or not isinstance(op.value, FloatAttr | IntegerAttr):
        return False
    return op.value.value.data == 0


def is_page_copy(op: tile.CopyOp) -> bool:
    """Whether the buffers lie alike and one becomes the other as a whole."""
    source, dest = buffer_of(op.source), buffer_of(op.dest)
    return op.is_whole and (source.layout, source.format) == (dest.layout, dest.format)


def copy_pages(op: tile.CopyOp) -> tt.StageOp:
    body, size = Body(), version_bytes(buffer_of(op.source))
    source, target = address_of(body, op.source, "read"), address_of(body, op.dest, "write")
    body.op(CopyBytesOp(source, target, body.value(size)))
    body.op(ReadBarrierOp.build())
    title = f"copy {op.source.name_hint} to {op.dest.name_hint}"
    return tt.StageOp(role_of(op), title, [op.source], [op.dest], body.region)


def zero_pages(op: tile.FillOp) -> tt.StageOp:
    body = Body()
    body.op(ZeroPagesOp(op.buffer, body.value(0), tiles_of(buffer_of(op.buffer))))
    body.op(ReadBarrierOp.build())
    return tt.StageOp(role_of(op), f"zero {op.buffer.name_hint}", [], [op.buffer], body.region)
