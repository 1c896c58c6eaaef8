"""Single elements in L1: where they lie in the tiles of a buffer, and how they are stored."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import Float16Type, Float32Type, IntegerType, Signedness, f32, i32
from xdsl.ir import Attribute, SSAValue

from tilesmith.compiler.analysis.tile_geometry import TILE, TILE_ELEMENTS, Axes, axes_of, datum_of, tile_grid
from tilesmith.compiler.dialects.float8 import float8_of
from tilesmith.compiler.dialects.tt_elements import DatumOp, LoadWordOp, StoreWordOp
from tilesmith.compiler.dialects.types import BufferType, TensorType
from tilesmith.compiler.lowering.transfers.build import Body, Index
from tilesmith.compiler.lowering.transfers.tensors import linear
from tilesmith.errors import InternalFault
from tilesmith.formats import DataFormat

_STORED = {
    "Float32": 4,
    "Half": 4,
    "Float8E4M3": 4,
    "Float8E5M2": 4,
    "Bfloat16": 2,
    "Int32": 4,
    "UInt32": 4,
    "UInt16": 2,
    "UInt8": 1,
    "Int8": 1,
}
_NAMES = {"Float16_b": "Bfloat16"}
_ROUNDED = ("Half", "Float8E4M3", "Float8E5M2")
"""Floats in a word with more bits than they have."""


def storage_of(place_type: BufferType | TensorType) -> str:
    """How one element is stored, by the name the kernels have for it.

    >>> from xdsl.dialects.builtin import bf16, i8
    >>> storage_of(TensorType.of((4,), bf16, "row_major", "Float16_b"))
    'Bfloat16'
    >>> storage_of(TensorType.of((4,), i8, "row_major", "UInt8"))
    'Int8'
    """
    name = _NAMES.get(place_type.format.data, place_type.format.data)
    if name == "UInt8" and _is_signed(place_type.element_type):
        return "Int8"
    if name == "Float32" and isinstance(place_type.element_type, Float16Type):
        return "Half"
    narrow = float8_of(place_type.element_type)
    if name == "Float32" and narrow is not None:
        return narrow.storage
    if name not in _STORED:
        raise InternalFault(f"no single elements of {place_type.format.data} can be read or written")
    return name


def _is_signed(element: Attribute) -> bool:
    return (
        isinstance(element, IntegerType)
        and element.width.data > 1
        and element.signedness.data is not Signedness.UNSIGNED
    )


def bytes_of(storage: str) -> int:
    return _STORED[storage]


def is_rounded_storage(storage: str) -> bool:
    """Whether elements lie in words with more bits than they have."""
    return storage in _ROUNDED


def scalar_of(storage: str) -> Attribute:
    """The type of an element once it is read."""
    return f32 if storage in ("Float32", "Bfloat16", *_ROUNDED) else i32


def is_stored_alike(buffer: BufferType, tensor: TensorType) -> bool:
    """Whether elements can move between them as they are.

    float16 and float8 are rounded before they are stored in a buffer, and when they come back from a tensor.
    """
    if DataFormat[buffer.format.data].is_block_float:
        return False
    words = ["Float32" if name in _ROUNDED else name for name in (storage_of(buffer), storage_of(tensor))]
    return words[0] == words[1]


def load_word(
    body: Body, address: SSAValue, index: Index, storage: str, value_type: Attribute | None = None
) -> SSAValue:
    op = LoadWordOp(address, body.value(index), storage, value_type or scalar_of(storage))
    op.value.name_hint = "element"
    body.op(op)
    return op.value


def store_word(body: Body, address: SSAValue, index: Index, value: SSAValue, storage: str) -> None:
    body.op(StoreWordOp(address, body.value(index), value, storage))


def get(
    body: Body,
    buffer_type: BufferType,
    address: SSAValue,
    indices: Sequence[Index],
    scalar: Attribute | None = None,
) -> SSAValue:
    """An element of a buffer whose pages start at the address."""
    return load_word(body, address, position(body, buffer_type, indices), storage_of(buffer_type), scalar)


def put(
    body: Body, buffer_type: BufferType, address: SSAValue, indices: Sequence[Index], value: SSAValue
) -> None:
    """Write an element of a buffer, with all its copies in the tile."""
    axes = None if buffer_type.layout.data == "flat" else axes_of(buffer_type)
    down = 1 if axes is None or axes.row is not None else TILE
    across = 1 if axes is None or axes.col is not None else TILE
    with body.loop(down, "down") as i, body.loop(across, "across") as j:
        store_word(body, address, position(body, buffer_type, indices, i, j), value, storage_of(buffer_type))


def position(
    body: Body, buffer_type: BufferType, indices: Sequence[Index], down: Index = 0, across: Index = 0
) -> Index:
    """Where an element lies in the buffer's pages; `down` and `across` choose among its copies."""
    if buffer_type.layout.data == "flat":
        return linear(body, indices, buffer_type.dims)
    axes = axes_of(buffer_type)
    row = down if axes.row is None else indices[axes.row]
    col = across if axes.col is None else indices[axes.col]
    _, tile_rows, tile_cols = tile_grid(buffer_type)
    grid = _grid(body, buffer_type, axes, indices)
    within = datum(body, row, col, tile_cols)
    return body.add(body.mul(grid, tile_rows * tile_cols * TILE_ELEMENTS), within)


def _grid(body: Body, buffer_type: BufferType, axes: Axes, indices: Sequence[Index]) -> Index:
    return linear(body, [indices[dim] for dim in axes.batch], [buffer_type.dims[dim] for dim in axes.batch])


def datum(body: Body, row: Index, col: Index, tile_cols: int) -> Index:
    """Where an element lies in a grid of tiles."""
    if isinstance(row, int) and isinstance(col, int):
        tile = row // TILE * tile_cols + col // TILE
        return tile * TILE_ELEMENTS + datum_of(row % TILE, col % TILE)
    return body.op(DatumOp(body.value(row), body.value(col), tile_cols)).results[0]


def is_float(value_type: Attribute) -> bool:
    return isinstance(value_type, Float32Type)
