"""Whether a tensor is kept in tiles or row by row: in tiles if all that touches it moves whole tiles."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from tilesmith.compiler.analysis.index_expressions import constant_of, is_multiple
from tilesmith.compiler.analysis.tile_geometry import TILE
from tilesmith.compiler.dialects.elements import is_float
from tilesmith.compiler.dialects.tile import LoadOp, StoreOp, ViewOp, location_of
from tilesmith.compiler.dialects.types import Dim, TensorType
from tilesmith.formats import DataFormat


def why_not_tiles(
    tensor: SSAValue, layouts: dict[SSAValue, str], format: str = ""
) -> tuple[str, Operation | None]:
    """What keeps a tensor out of tile layout, and the operation that does; ("", None) if nothing does.

    Integers lie in rows, unless they are kept in a format of floats.
    """
    tensor_type = tensor.type
    assert isinstance(tensor_type, TensorType)
    if len(tensor_type.dims) < 2:
        return "it has one dimension", None
    if not is_float(tensor_type.element_type) and (not format or DataFormat[format].is_integer):
        return "it holds integers", None
    users = [use.operation for use in tensor.uses]
    for op in users:
        reason = _why_not(op, tensor_type, layouts)
        if reason:
            return reason, op
    op_classes = {type(op) for op in users}
    if {LoadOp, StoreOp} <= op_classes and not all(_is_whole(size) for size in tensor_type.dims[-2:]):
        # Stores leave anything in the padding; the next load would need zeros there.
        return "it is loaded and stored, and its sizes are not multiples of 32", users[0]
    return "", None


def describe(reason: str, op: Operation | None) -> str:
    """A reason with its place in the user's kernel."""
    where = location_of(op) if op is not None else ""
    return f"{reason} ({where})" if where else reason


def _why_not(op: Operation, tensor_type: TensorType, layouts: dict[SSAValue, str]) -> str:
    if isinstance(op, ViewOp):
        return "it is used with another shape"
    if not isinstance(op, LoadOp | StoreOp):
        return "single elements of it are read or written"
    if op.limits:
        return "a copy of it stops before the end of its block"
    if layouts[op.buffer] != "tiled":
        return "a copy of it goes to a vector"
    sizes = [int(size) for size in op.sizes.get_values()]
    follows = [int(dim) for dim in op.dims.get_values()]
    if any(size > 1 for size in sizes[:-2]):
        return "a copy of it runs over more than the last two dimensions"
    rank = len(getattr(op.buffer.type, "dims", ()))
    if follows[-2:] != [rank - 2, rank - 1]:
        return "a copy of it changes the order of its dimensions"
    if not all(
        _is_aligned(offset, size, whole)
        for offset, size, whole in zip(op.offsets[-2:], sizes[-2:], tensor_type.dims[-2:], strict=True)
    ):
        return "a copy of it does not start and end at multiples of 32"
    return ""


def _is_aligned(offset: SSAValue, size: int, whole: Dim) -> bool:
    """Whether a copy takes whole tiles: it starts at one, and ends at one or with the tensor."""
    to_the_end = constant_of(offset) == 0 and isinstance(whole, int) and size >= whole
    return to_the_end or (is_multiple(offset, TILE) and size % TILE == 0)


def _is_whole(size: Dim) -> bool:
    return isinstance(size, int) and size % TILE == 0


def tensors_through_views(values: Sequence[SSAValue]) -> list[SSAValue]:
    """Tensors, and every view of them."""
    found = list(values)
    for value in found:
        found += [result for use in value.uses for result in use.operation.results if _is_view(result)]
    return found


def _is_view(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType)
