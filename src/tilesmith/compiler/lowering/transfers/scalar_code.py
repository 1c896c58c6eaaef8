"""Scalar code on a data-movement core: elements of buffers in L1, elements of tensors one by one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.arch import Arch
from tilesmith.compiler.analysis.tile_geometry import is_padded, tiles_of
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.tt_dataflow import ReadBarrierOp, WriteBytesOp, WritePageOp, ZeroPagesOp
from tilesmith.compiler.dialects.tt_elements import ElementsOp, FlushOp, ReadElementOp, WriteElementOp
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.dialects.walk import walk
from tilesmith.compiler.lowering.transfers.build import Body, Index, index_of
from tilesmith.compiler.lowering.transfers.combine import combined
from tilesmith.compiler.lowering.transfers.elements import bytes_of, get, put, storage_of
from tilesmith.compiler.lowering.transfers.regions import place_of_element
from tilesmith.compiler.lowering.transfers.scratch import scratch
from tilesmith.compiler.lowering.transfers.tensors import (
    accessor_of,
    address_of,
    buffer_of,
    name_of,
    parameter_of,
    role_of,
    sizes_of,
    tensor_of,
)

LINE_BYTES = 256


@dataclass(frozen=True)
class _Places:
    """What the code touches: where the pages of its buffers start, and how it reaches elements of tensors."""

    op: Operation
    addresses: dict[SSAValue, SSAValue]
    tensors: dict[SSAValue, SSAValue]

    def read(self, body: Body, op: tile.ReadOp) -> SSAValue:
        indices = [index_of(index) for index in op.indices]
        if op.source in self.addresses:
            return get(body, buffer_of(op.source), self.addresses[op.source], indices, op.value.type)
        page, element = self._page(body, op.source, indices)
        read = ReadElementOp(self.tensors[parameter_of(op.source)], page, element, op.value.type)
        body.op(read)
        return read.value

    def write(self, body: Body, op: tile.WriteOp) -> None:
        indices = [index_of(index) for index in op.indices]
        value = op.value
        if op.dest in self.addresses:
            buffer_type, address = buffer_of(op.dest), self.addresses[op.dest]
            if op.accumulate.data:
                value = combined(
                    body, op.accumulate.data, get(body, buffer_type, address, indices, value.type), value
                )
            put(body, buffer_type, address, indices, value)
            return
        elements = self.tensors[parameter_of(op.dest)]
        page, element = self._page(body, op.dest, indices)
        if op.accumulate.data:
            there = ReadElementOp(elements, page, element, value.type)
            there.value.name_hint = "there"
            body.op(there)
            value = combined(body, op.accumulate.data, there.value, value)
        body.op(WriteElementOp(elements, page, element, value))

    def _page(self, body: Body, tensor: SSAValue, indices: list[Index]) -> tuple[SSAValue, SSAValue]:
        page, element = place_of_element(body, self.op, tensor, indices)
        return body.value(page), body.value(element)


def scalar_stage(op: tile.ScalarOp, arch: Arch) -> tt.StageOp:
    """The code of a `tile.scalar`, with reads and writes of single elements made explicit."""
    start = Body()
    places = _places(start, op, op.reads, op.writes, arch)
    stage = tt.StageOp(role_of(op), _title(op), _buffers(op.reads), _buffers(op.writes), Region(start.block))
    _move(op.body.block, start.block)
    for inner in list(walk(start.block)):
        if isinstance(inner, tile.ReadOp):
            body = Body()
            value = places.read(body, inner)
            value.name_hint = inner.value.name_hint or "element"
            _replace(inner, body, value)
        elif isinstance(inner, tile.WriteOp):
            body = Body()
            places.write(body, inner)
            _replace(inner, body)
    for tensor, elements in places.tensors.items():
        if any(parameter_of(place) is tensor for place in op.writes):
            start.block.add_op(FlushOp(elements))
    return stage


def lower_read(op: tile.ReadOp, arch: Arch) -> None:
    """Replace the read of one element in control flow by what the reader does for it."""
    body = Body()
    value = _places(body, op, [op.source], [], arch).read(body, op)
    value.name_hint = op.value.name_hint
    _replace(op, body, value)


def _places(
    body: Body, op: Operation, reads: Iterable[SSAValue], writes: Iterable[SSAValue], arch: Arch
) -> _Places:
    reads, writes = list(reads), list(writes)
    addresses = {cb: address_of(body, cb, "read") for cb in _buffers(reads)}
    for cb in _buffers(writes):
        if cb not in addresses:
            addresses[cb] = address_of(body, cb, "write")
            _zero_padding(body, cb)
    parameters = list(
        dict.fromkeys(parameter_of(place) for place in (*reads, *writes) if not _is_buffer(place))
    )
    tensors: dict[SSAValue, SSAValue] = {}
    if parameters:
        room = scratch(body, op, LINE_BYTES * len(parameters), arch)
        for number, tensor in enumerate(parameters):
            tensors[tensor] = _elements(body, op, tensor, body.add(room, LINE_BYTES * number))
    return _Places(op, addresses, tensors)


def _elements(body: Body, op: Operation, tensor: SSAValue, room: Index) -> SSAValue:
    tensor_type = tensor_of(tensor)
    storage = storage_of(tensor_type)
    page_bytes = body.mul(sizes_of(op, tensor_type.dims)[-1], bytes_of(storage))
    how = "exact" if _is_written(tensor) else "lines"
    elements = ElementsOp(accessor_of(op, tensor), body.value(room), body.value(page_bytes), how, storage)
    elements.elements.name_hint = f"{name_of(tensor)}_elements"
    body.op(elements)
    return elements.elements


def _is_written(tensor: SSAValue) -> bool:
    """Whether anything in this kernel writes the tensor; some of it may already be NoC code."""
    for use in tensor.uses:
        op = use.operation
        if isinstance(op, tile.StoreOp) or (isinstance(op, tile.ScalarOp) and tensor in op.writes):
            return True
        if isinstance(op, tile.ViewOp) and _is_written(op.tensor):
            return True
        if isinstance(op, tt.AccessorOp) and any(_writes(one.operation) for one in op.accessor.uses):
            return True
    return False


def _writes(op: Operation) -> bool:
    if isinstance(op, ElementsOp):
        return op.access.data == "exact"
    return isinstance(op, WritePageOp | WriteBytesOp)


def _zero_padding(body: Body, cb: SSAValue) -> None:
    buffer_type = buffer_of(cb)
    if any(is_padded(buffer_type, dim) for dim in range(len(buffer_type.dims))):
        body.op(ZeroPagesOp(cb, body.value(0), tiles_of(buffer_type)))
        body.op(ReadBarrierOp.build())


def _buffers(places: Iterable[SSAValue]) -> list[SSAValue]:
    return [place for place in places if _is_buffer(place)]


def _is_buffer(place: SSAValue) -> bool:
    return isinstance(tile.place_of(place), BufferType)


def _title(op: tile.ScalarOp) -> str:
    written = dict.fromkeys(place.name_hint or name_of(place) for place in op.writes)
    return f"compute {', '.join(written)} element by element"


def _move(source: Block, target: Block) -> None:
    for op in list(source.ops):
        source.detach_op(op)
        target.add_op(op)


def _replace(op: Operation, body: Body, value: SSAValue | None = None) -> None:
    """Put what was built where the operation was."""
    for new in list(body.block.ops):
        body.block.detach_op(new)
        Rewriter.insert_op(new, InsertPoint.before(op))
    if value is not None:
        op.results[0].replace_all_uses_with(value)
    Rewriter.erase_op(op)
