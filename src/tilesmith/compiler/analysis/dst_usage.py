"""Do the tiles a compute kernel works on at once fit into DST?"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from tilesmith.arch import Arch
from tilesmith.compiler.analysis.index_ranges import largest
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects import tt_compute as ttc
from tilesmith.compiler.dialects.walk import walk
from tilesmith.errors import InternalFault

_WITH_SLOTS = (ttc.MatmulBlockOp, ttc.VectorOp, ttc.MoveTileOp, ttc.EltwiseTilesOp, ttc.PackTileOp)


def check_slots(kernel: tt.KernelOp, arch: Arch) -> None:
    """Refuse a kernel that uses more slots than DST has: its work should have been cut into batches."""
    capacity = arch.dst_tiles(fp32="fp32_dest_acc_en" in kernel.attributes, full_sync=False)
    for op in (inner for inner in walk(kernel) if type(inner) in _WITH_SLOTS):
        highest = _highest_slot(op)
        if highest is not None and highest >= capacity:
            raise InternalFault(
                f"{op.name} uses slot {highest} of DST, which has {capacity}", where=tile.location_of(op)
            )


def _highest_slot(op: Operation) -> int | None:
    if isinstance(op, ttc.MatmulBlockOp):
        first = largest(op.slot)
        return None if first is None else first + op.rows.value.data * op.columns.value.data - 1
    slots: list[SSAValue] = []
    if isinstance(op, ttc.VectorOp):
        slots = list(op.slots)
    elif isinstance(op, ttc.MoveTileOp | ttc.EltwiseTilesOp | ttc.PackTileOp):
        slots = [op.slot]
    return max((top for slot in slots if (top := largest(slot)) is not None), default=None)
