"""C++ for the tt_dataflow dialect: NoC transfers and barriers."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from tilesmith.codegen import cpp
from tilesmith.codegen.cpp import Emitter, emits
from tilesmith.dialects import tt_dataflow

_DATAFLOW = "api/dataflow/dataflow_api.h"

_ZERO_PAGE = """
// Zeros for one page, copied from the core's own block of them.
inline void zero_page(uint32_t target, uint32_t bytes) {
    while (bytes > 0) {
        const uint32_t piece = bytes < MEM_ZEROS_SIZE ? bytes : MEM_ZEROS_SIZE;
        noc_async_read(get_noc_addr(MEM_ZEROS_BASE), target, piece);
        target += piece;
        bytes -= piece;
    }
}
"""


def _page_address(e: Emitter, pointer: str, cb: SSAValue, tile: SSAValue) -> str:
    name = e.cb(cb)
    constant = tile.owner
    if isinstance(constant, arith.ConstantOp) and e.value(tile) == "0":
        return f"{pointer}({name})"
    return f"{pointer}({name}) + {e.value(tile, cpp.PRODUCT)} * get_tile_size({name})"


@emits(tt_dataflow.ReadPageOp)
def _read_page(e: Emitter, op: tt_dataflow.ReadPageOp) -> None:
    e.include(_DATAFLOW)
    target = _page_address(e, "get_write_ptr", op.cb, op.tile)
    e.line(f"noc_async_read_page({e.value(op.page)}, {e.value(op.accessor)}, {target});")


@emits(tt_dataflow.WritePageOp)
def _write_page(e: Emitter, op: tt_dataflow.WritePageOp) -> None:
    e.include(_DATAFLOW)
    source = _page_address(e, "get_read_ptr", op.cb, op.tile)
    e.line(f"noc_async_write_page({e.value(op.page)}, {e.value(op.accessor)}, {source});")


@emits(tt_dataflow.ZeroPageOp)
def _zero_page(e: Emitter, op: tt_dataflow.ZeroPageOp) -> None:
    e.helper("zero_page", _ZERO_PAGE)
    target = _page_address(e, "get_write_ptr", op.cb, op.tile)
    e.line(f"zero_page({target}, get_tile_size({e.cb(op.cb)}));")


@emits(tt_dataflow.ReadBarrierOp)
def _read_barrier(e: Emitter, _: tt_dataflow.ReadBarrierOp) -> None:
    e.line("noc_async_read_barrier();")


@emits(tt_dataflow.WriteBarrierOp)
def _write_barrier(e: Emitter, _: tt_dataflow.WriteBarrierOp) -> None:
    e.line("noc_async_write_barrier();")
