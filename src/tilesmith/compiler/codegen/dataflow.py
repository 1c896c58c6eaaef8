"""C++ for the tt_dataflow dialect: NoC transfers and barriers."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from tilesmith.compiler.codegen import cpp
from tilesmith.compiler.codegen import dataflow_helpers as helpers
from tilesmith.compiler.codegen.cpp import Emitter, Expr, emits, expresses
from tilesmith.compiler.dialects import tt, tt_dataflow, tt_elements

_DATAFLOW = "api/dataflow/dataflow_api.h"


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


@emits(tt_dataflow.ZeroPagesOp)
def _zero_pages(e: Emitter, op: tt_dataflow.ZeroPagesOp) -> None:
    e.helper("zero_bytes", helpers.ZERO_BYTES)
    target = _page_address(e, "get_write_ptr", op.cb, op.tile)
    pages, size = op.pages.value.data, f"get_tile_size({e.cb(op.cb)})"
    e.line(f"zero_bytes({target}, {size if pages == 1 else f'{pages} * {size}'});")


@emits(tt_dataflow.ReadBytesOp)
def _read_bytes(e: Emitter, op: tt_dataflow.ReadBytesOp) -> None:
    e.include(_DATAFLOW)
    e.line(f"noc_async_read({_noc_address(e, op)}, {e.value(op.address)}, {e.value(op.size)});")


@emits(tt_dataflow.WriteBytesOp)
def _write_bytes(e: Emitter, op: tt_dataflow.WriteBytesOp) -> None:
    e.include(_DATAFLOW)
    e.line(f"noc_async_write({e.value(op.address)}, {_noc_address(e, op)}, {e.value(op.size)});")


def _noc_address(e: Emitter, op: tt_dataflow.ReadBytesOp | tt_dataflow.WriteBytesOp) -> str:
    return f"{e.value(op.accessor)}.get_noc_addr({e.value(op.page)}, {e.value(op.offset)})"


@emits(tt_dataflow.CopyBytesOp)
def _copy_bytes(e: Emitter, op: tt_dataflow.CopyBytesOp) -> None:
    e.include(_DATAFLOW)
    source = f"get_noc_addr({e.value(op.source)})"
    e.line(f"noc_async_read({source}, {e.value(op.target)}, {e.value(op.size)});")


@emits(tt_dataflow.ZeroBytesOp)
def _zero_bytes(e: Emitter, op: tt_dataflow.ZeroBytesOp) -> None:
    e.include(_DATAFLOW)
    e.helper("zero_bytes", helpers.ZERO_BYTES)
    e.line(f"zero_bytes({e.value(op.target)}, {e.value(op.size)});")


@expresses(tt_dataflow.AddressOp)
def _address(e: Emitter, op: tt_dataflow.AddressOp) -> Expr:
    e.include(_DATAFLOW)
    call = "get_read_ptr" if op.side.data == "read" else "get_write_ptr"
    return Expr(f"{call}({e.cb(op.cb)})")


@emits(tt_dataflow.ScratchOp)
def _scratch(e: Emitter, op: tt_dataflow.ScratchOp) -> None:
    e.include(_DATAFLOW)
    name = e.cb(op.cb)
    # Where no data ask for an element, nothing is written to it.
    e.line(f"cb_reserve_back({name}, 1);  // tilesmith: allow cb.reserved-at-end (scratch memory)")
    e.line(f"const int32_t {e.declare(op.address)} = get_write_ptr({name});")


@expresses(tt_elements.LoadWordOp)
def _load_word(e: Emitter, op: tt_elements.LoadWordOp) -> Expr:
    helpers.need_storage(e, op.format.data)
    e.helper("l1_load", helpers.L1_LOAD)
    return Expr(f"l1_load<{op.format.data}>({e.value(op.address)}, {e.value(op.index)})")


@emits(tt_elements.StoreWordOp)
def _store_word(e: Emitter, op: tt_elements.StoreWordOp) -> None:
    helpers.need_storage(e, op.format.data)
    e.helper("l1_store", helpers.L1_STORE)
    place = f"{e.value(op.address)}, {e.value(op.index)}"
    e.line(f"l1_store<{op.format.data}>({place}, {e.value(op.value)});")


@expresses(tt_elements.DatumOp)
def _datum(e: Emitter, op: tt_elements.DatumOp) -> Expr:
    e.helper("datum", helpers.DATUM)
    return Expr(f"datum({e.value(op.row)}, {e.value(op.col)}, {op.across.value.data})")


@emits(tt_dataflow.ReadBarrierOp)
def _read_barrier(e: Emitter, _: tt_dataflow.ReadBarrierOp) -> None:
    e.line("noc_async_read_barrier();")


@emits(tt_dataflow.WriteBarrierOp)
def _write_barrier(e: Emitter, _: tt_dataflow.WriteBarrierOp) -> None:
    e.line("noc_async_write_barrier();")


@emits(tt_dataflow.WritesFlushedOp)
def _writes_flushed(e: Emitter, _: tt_dataflow.WritesFlushedOp) -> None:
    e.line("noc_async_writes_flushed();")


@emits(tt_dataflow.MulticastSendOp)
def _multicast_send(e: Emitter, op: tt_dataflow.MulticastSendOp) -> None:
    e.include(_DATAFLOW)
    e.helper("semaphore_word", helpers.SEMAPHORE_WORD)
    e.helper("rectangle", helpers.RECTANGLE)
    send = "send_block" if op.staged is None else "send_staged"
    e.helper(send, helpers.SEND_BLOCK if op.staged is None else helpers.SEND_STAGED)
    assert isinstance(op.cb.owner, tt.CBOp)
    first, last = (op.first_x, op.first_y), (op.last_x, op.last_y)
    # The writer's NoC runs the other way.
    corners = (*last, *first) if _role(op) == "writer" else (*first, *last)
    cores = ", ".join(e.value(place) for place in corners)
    name, pages = e.cb(op.cb), op.cb.owner.pages.value.data
    block = f"get_write_ptr({name}), {pages} * get_tile_size({name})"
    if op.staged is not None:
        block = f"get_write_ptr({e.cb(op.staged)}), {block}"
    e.line(f"{send}({block}, {{{cores}}}, {op.receivers.value.data}, {_semaphores(op)});")


def _role(op: Operation) -> str:
    at: Operation | None = op
    while at is not None and not isinstance(at, tt.KernelOp):
        at = at.parent_op()
    return at.role.data if at is not None else ""


@emits(tt_dataflow.MulticastReadyOp)
def _multicast_ready(e: Emitter, op: tt_dataflow.MulticastReadyOp) -> None:
    e.include(_DATAFLOW)
    e.helper("semaphore_word", helpers.SEMAPHORE_WORD)
    e.helper("tell_sender", helpers.TELL_SENDER)
    e.line(f"tell_sender({e.value(op.sender_x)}, {e.value(op.sender_y)}, {_semaphores(op)});")


@emits(tt_dataflow.MulticastReceiveOp)
def _multicast_receive(e: Emitter, op: tt_dataflow.MulticastReceiveOp) -> None:
    e.include(_DATAFLOW)
    e.helper("semaphore_word", helpers.SEMAPHORE_WORD)
    e.helper("receive_block", helpers.RECEIVE_BLOCK)
    e.line(f"receive_block(get_semaphore({op.arrived.value.data}));")


def _semaphores(op: tt_dataflow.MulticastSendOp | tt_dataflow.MulticastReadyOp) -> str:
    return f"get_semaphore({op.ready.value.data}), get_semaphore({op.arrived.value.data})"


_ELEMENTS = {"lines": ("Lines", helpers.LINES), "exact": ("Exact", helpers.EXACT)}


@emits(tt_elements.ElementsOp)
def _elements(e: Emitter, op: tt_elements.ElementsOp) -> None:
    e.include(_DATAFLOW)
    helpers.need_storage(e, op.format.data)
    e.helper("l1_load", helpers.L1_LOAD)
    e.helper("l1_store", helpers.L1_STORE)
    name, text = _ELEMENTS[op.access.data]
    e.helper(name, text)
    tensor = e.value(op.accessor)
    fields = f"{tensor}, {e.value(op.scratch)}, {e.value(op.page_bytes)}"
    e.line(f"{name}<{op.format.data}, decltype({tensor})> {e.declare(op.elements, 'elements')}{{{fields}}};")


@expresses(tt_elements.ReadElementOp)
def _read_element(e: Emitter, op: tt_elements.ReadElementOp) -> Expr:
    return Expr(f"{e.value(op.elements)}.read({e.value(op.page)}, {e.value(op.index)})")


@emits(tt_elements.WriteElementOp)
def _write_element(e: Emitter, op: tt_elements.WriteElementOp) -> None:
    place = f"{e.value(op.page)}, {e.value(op.index)}"
    e.line(f"{e.value(op.elements)}.write({place}, {e.value(op.value)});")


@emits(tt_elements.FlushOp)
def _flush(e: Emitter, op: tt_elements.FlushOp) -> None:
    e.line(f"{e.value(op.elements)}.flush();")
