"""What a transfer does on its data-movement core, by kind; `LowerCBIntrinsics` asks `lower_transfer`."""

from __future__ import annotations

from tilesmith.arch import Arch
from tilesmith.dialects import tile, tt
from tilesmith.errors import InternalFault
from tilesmith.passes.transfers.rows import load_rows, store_rows
from tilesmith.passes.transfers.tensors import tensor_of
from tilesmith.passes.transfers.tiles import load_tiles, store_tiles

Lowered = tile.LoadOp | tile.StoreOp | tile.ScalarOp | tile.ReadOp


def lower_transfer(op: Lowered, arch: Arch) -> tt.StageOp:
    """The stage that does a transfer, with its barriers, without the protocol of its circular buffers."""
    match op:
        case tile.LoadOp() if tensor_of(op.tensor).layout.data == "tile":
            return load_tiles(op)
        case tile.StoreOp() if tensor_of(op.tensor).layout.data == "tile":
            return store_tiles(op)
        case tile.LoadOp():
            return load_rows(op, arch)
        case tile.StoreOp():
            return store_rows(op, arch)
    raise InternalFault(f"no lowering of {op.name} for {tile.location_of(op)}")
