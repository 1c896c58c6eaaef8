"""Data as the chip keeps it: formats, tiles of faces, and conversions that round as host or device does."""

from tilesmith.formats.data_format import (
    DataFormat,
    TileShape,
    bfloat2_b,
    bfloat4_b,
    bfloat8_b,
    bfloat16,
    exponent_bytes,
    float16,
    float32,
    int32,
    tile_bytes,
    uint8,
    uint16,
    uint32,
)
from tilesmith.formats.packing import pack_two_bfloat16_into_uint32, unpack_two_bfloat16_from_uint32
from tilesmith.formats.row_major import from_row_major_bytes, to_row_major_bytes
from tilesmith.formats.tiles import pack_tiles, unpack_tiles

__all__ = [
    "DataFormat",
    "TileShape",
    "bfloat2_b",
    "bfloat4_b",
    "bfloat8_b",
    "bfloat16",
    "exponent_bytes",
    "float16",
    "float32",
    "from_row_major_bytes",
    "int32",
    "pack_tiles",
    "pack_two_bfloat16_into_uint32",
    "tile_bytes",
    "to_row_major_bytes",
    "uint8",
    "uint16",
    "uint32",
    "unpack_tiles",
    "unpack_two_bfloat16_from_uint32",
]
