"""Pass 1: the layout and format of every tensor and buffer."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from tilesmith.compiler.analysis import tensor_layouts
from tilesmith.compiler.analysis.layout_choice import choose_layouts
from tilesmith.compiler.analysis.layout_constraints import Demand, Link, NoTileForm, Wish, demands_of
from tilesmith.compiler.analysis.storage_formats import (
    buffer_format,
    format_of_loaded,
    is_integer_buffer,
    is_narrow_result,
    is_of_integers,
    is_sum_of_integers,
    is_used_by_compute,
    tensor_format,
    wished_formats,
)
from tilesmith.compiler.analysis.uninitialized import check_written
from tilesmith.compiler.dialects.conversions import keeps_values
from tilesmith.compiler.dialects.elements import is_float
from tilesmith.compiler.dialects.tile import AllocOp, CopyOp, FillOp, FuncOp, ReduceOp, location_of
from tilesmith.compiler.dialects.types import BufferType, TensorType
from tilesmith.compiler.transforms.converting_transfers import convert_in_buffers
from tilesmith.compiler.transforms.fold_unit_dims import drop_unit_dims
from tilesmith.compiler.transforms.layout_conversion import repair
from tilesmith.compiler.transforms.neutral_padding import clean_padding
from tilesmith.compiler.transforms.scalarize import element_of, scalarize
from tilesmith.compiler.transforms.self_copies import part_self_copies
from tilesmith.errors import LayoutError
from tilesmith.formats import DataFormat


@dataclass(frozen=True)
class InferTTLayout(ModulePass):
    """Fill in layout and format of every type. `formats` are the user's wishes: "B=Bfp8_b,bias=Float32".

    What no layout lets work tile by tile becomes scalar code; a buffer used in two layouts gets a copy; where
    padding counts, it is cleaned.
    """

    name = "infer-tt-layout"

    formats: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in [one for one in op.walk() if isinstance(one, FuncOp)]:
            part_self_copies(func)
            convert_in_buffers(func)
            wished = wished_formats(self.formats, func)
            check_written(func)
            drop_unit_dims(func)
            demands = _demands(func)
            wishes = [demand for demand in demands if isinstance(demand, Wish)]
            links = [demand for demand in demands if isinstance(demand, Link)]
            layouts = choose_layouts([alloc.buffer for alloc in _allocs(func)], wishes, links)
            _set_tensor_types(func, layouts, wished)
            _set_buffer_types(func, layouts, wished)
            repair(wishes)
            clean_padding(func)


def _allocs(func: FuncOp) -> list[AllocOp]:
    return [op for op in func.walk() if isinstance(op, AllocOp)]


def _demands(func: FuncOp) -> list[Demand]:
    """What the operations ask for, once those that cannot work tile by tile are scalar code."""
    # A buffer that compute would have had as floats holds integers once scalar code touches it: look again.
    while found := [op for op in func.walk() if _works_on_integers(op)]:
        for op in found:
            scalarize(op)
    demands = {op: list(demands_of(op)) for op in func.walk()}
    for op in [op for op, asked in demands.items() if any(isinstance(one, NoTileForm) for one in asked)]:
        scalarize(op)
        del demands[op]
    return [demand for asked in demands.values() for demand in asked]


def _works_on_integers(op: Operation) -> bool:
    if isinstance(op, ReduceOp):
        return is_of_integers(op)
    if isinstance(op, CopyOp):
        return is_integer_buffer(op.source) or is_integer_buffer(op.dest) or _narrows(op)
    return isinstance(op, FillOp) and is_integer_buffer(op.buffer)


def _narrows(op: CopyOp) -> bool:
    """Whether a copy cuts values to the integers of another type, which tiles of floats would not do."""
    source, dest = element_of(op.source), element_of(op.dest)
    return not is_float(dest) and not keeps_values(source, dest)


def _set_tensor_types(func: FuncOp, layouts: dict[SSAValue, str], wished: dict[str, str]) -> None:
    for name, tensor in func.tensors.items():
        kind = tensor.type
        assert isinstance(kind, TensorType)
        if tensor.first_use is None:
            continue
        usual = "Float32" if _has_narrow_results(tensor) else tensor_format(kind.element_type)
        carrier = wished.get(name, usual)
        reason, op = tensor_layouts.why_not_tiles(tensor, layouts)
        if reason and DataFormat[carrier].is_block_float:
            raise _no_block_float(name, carrier, tensor_layouts.describe(reason, op), func)
        layout = "row_major" if reason else "tile"
        for one in tensor_layouts.tensors_through_views([tensor]):
            old = one.type
            assert isinstance(old, TensorType)
            new = TensorType.of(old.dims, old.element_type, layout, carrier)
            Rewriter.replace_value_with_new_type(one, new)


def _has_narrow_results(tensor: SSAValue) -> bool:
    return any(is_narrow_result(one) for one in tensor_layouts.tensors_through_views([tensor]))


def _no_block_float(name: str, format: str, reason: str, func: FuncOp) -> LayoutError:
    return LayoutError(
        f"parameter {name} cannot have the format {format}: it needs tiles, but {reason}",
        where=location_of(func),
        remedy="copy it in blocks with sizes and offsets that are multiples of 32, or choose Float16_b",
    )


def _set_buffer_types(func: FuncOp, layouts: dict[SSAValue, str], wished: dict[str, str]) -> None:
    for alloc in _allocs(func):
        kind = alloc.buffer.type
        assert isinstance(kind, BufferType)
        carrier = buffer_format(kind.element_type, is_used_by_compute(alloc.buffer))
        if is_narrow_result(alloc.buffer):
            carrier = "Float32"
        if is_sum_of_integers(alloc.buffer):
            carrier = "Int32"
        if wished and not is_integer_buffer(alloc.buffer):
            carrier = format_of_loaded(alloc.buffer, carrier)
        new = BufferType.of(kind.dims, kind.element_type, kind.scope.data, layouts[alloc.buffer], carrier)
        Rewriter.replace_value_with_new_type(alloc.buffer, new)
