"""Choose one layout per buffer, and set the layout and format of every tensor and buffer."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from tilesmith.compiler.analysis import tensor_layouts
from tilesmith.compiler.analysis.layout_choice import choose_layouts
from tilesmith.compiler.analysis.layout_constraints import RequiredLayout, SameLayout, constraints_in
from tilesmith.compiler.analysis.storage_formats import (
    buffer_format,
    format_of_loaded,
    is_integer_buffer,
    is_narrow_result,
    is_sum_of_integers,
    is_used_by_compute,
    requested_formats,
    tensor_format,
)
from tilesmith.compiler.dialects.tile import AllocOp, FuncOp, location_of
from tilesmith.compiler.dialects.types import BufferType, TensorType
from tilesmith.compiler.dialects.walk import operations_of
from tilesmith.compiler.pass_group import FunctionPass
from tilesmith.errors import LayoutError
from tilesmith.formats import DataFormat


@dataclass(frozen=True)
class AssignLayouts(FunctionPass):
    """Set layout and format of every type. `formats` are the user's choices: "B=Bfp8_b,bias=Float32"."""

    name = "assign-layouts"

    formats: str = ""

    def rewrite(self, func: FuncOp) -> None:
        requested = requested_formats(self.formats, func)
        constraints = constraints_in(func)
        required = [one for one in constraints if isinstance(one, RequiredLayout)]
        same = [one for one in constraints if isinstance(one, SameLayout)]
        layouts = choose_layouts([alloc.buffer for alloc in _allocs(func)], required, same)
        _set_tensor_types(func, layouts, requested)
        _set_buffer_types(func, layouts, requested)


def _allocs(func: FuncOp) -> list[AllocOp]:
    return operations_of(func, AllocOp)


def _set_tensor_types(func: FuncOp, layouts: dict[SSAValue, str], requested: dict[str, str]) -> None:
    for name, tensor in func.tensors.items():
        tensor_type = tensor.type
        assert isinstance(tensor_type, TensorType)
        if tensor.first_use is None:
            continue
        usual = "Float32" if _has_narrow_results(tensor) else tensor_format(tensor_type.element_type)
        storage = requested.get(name, usual)
        reason, op = tensor_layouts.why_not_tiles(tensor, layouts, storage)
        if reason and DataFormat[storage].is_block_float:
            raise _no_block_float(name, storage, tensor_layouts.describe(reason, op), func)
        layout = "row_major" if reason else "tile"
        for view in tensor_layouts.tensors_through_views([tensor]):
            old = view.type
            assert isinstance(old, TensorType)
            new = TensorType.of(old.dims, old.element_type, layout, storage)
            Rewriter.replace_value_with_new_type(view, new)


def _has_narrow_results(tensor: SSAValue) -> bool:
    return any(is_narrow_result(one) for one in tensor_layouts.tensors_through_views([tensor]))


def _no_block_float(name: str, format: str, reason: str, func: FuncOp) -> LayoutError:
    return LayoutError(
        f"parameter {name} cannot have the format {format}: it needs tiles, but {reason}",
        where=location_of(func),
        remedy="copy it in blocks with sizes and offsets that are multiples of 32, or choose Float16_b",
    )


def _set_buffer_types(func: FuncOp, layouts: dict[SSAValue, str], requested: dict[str, str]) -> None:
    for alloc in _allocs(func):
        buffer_type = alloc.buffer.type
        assert isinstance(buffer_type, BufferType)
        storage = buffer_format(buffer_type.element_type, is_used_by_compute(alloc.buffer))
        if is_narrow_result(alloc.buffer):
            storage = "Float32"
        if is_sum_of_integers(alloc.buffer):
            storage = "Int32"
        if requested and not is_integer_buffer(alloc.buffer):
            storage = format_of_loaded(alloc.buffer, storage)
        new = BufferType.of(
            buffer_type.dims, buffer_type.element_type, buffer_type.scope.data, layouts[alloc.buffer], storage
        )
        Rewriter.replace_value_with_new_type(alloc.buffer, new)
