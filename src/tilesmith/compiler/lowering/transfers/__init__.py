"""What a transfer does on its data-movement core, by kind; `LowerCBIntrinsics` asks `lower_transfer`."""

from __future__ import annotations

from xdsl.ir import Operation

from tilesmith.arch import Arch
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.lowering.transfers.multicast import shared
from tilesmith.compiler.lowering.transfers.pages import copy_pages, is_page_copy, is_zero, zero_pages
from tilesmith.compiler.lowering.transfers.row_gather import gather_rows
from tilesmith.compiler.lowering.transfers.row_shift import gather_held_rows
from tilesmith.compiler.lowering.transfers.rows import load_rows, store_rows
from tilesmith.compiler.lowering.transfers.scalar_code import lower_read, scalar_stage
from tilesmith.compiler.lowering.transfers.tensors import tensor_of
from tilesmith.compiler.lowering.transfers.tiles import accumulate_tiles, load_tiles, store_tiles
from tilesmith.errors import InternalFault

__all__ = ["lower_read", "lower_transfer"]


def lower_transfer(op: Operation, arch: Arch) -> tt.StageOp:
    """The stage that does a transfer, with its barriers, without the protocol of its circular buffers."""
    match op:
        case tile.LoadOp():
            return _load(op, arch)
        case tile.StoreOp() if tensor_of(op.tensor).layout.data == "tile":
            return accumulate_tiles(op, arch) if op.accumulate.data else store_tiles(op)
        case tile.StoreOp():
            return store_rows(op, arch)
        case tile.ScalarOp():
            return gather_rows(op, arch) or gather_held_rows(op, arch) or scalar_stage(op, arch)
        case tile.CopyOp() if is_page_copy(op):
            return copy_pages(op)
        case tile.FillOp() if is_zero(op.value):
            return zero_pages(op)
    raise InternalFault(f"no lowering of {op.name} for {tile.location_of(op)}")


def _load(op: tile.LoadOp, arch: Arch) -> tt.StageOp:
    return _load_alone(op, arch) if op.multicast is None else shared(op, arch, _load_alone)


def _load_alone(op: tile.LoadOp, arch: Arch) -> tt.StageOp:
    in_tiles = tensor_of(op.tensor).layout.data == "tile"
    return load_tiles(op) if in_tiles else load_rows(op, arch)
