"""Data formats and tile shapes: the vendor's numbers, bits per datum, and bytes per tile."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from tilesmith.errors import FormatError

FACE_COLS = 16


class DataFormat(IntEnum):
    """A format of data in L1 or DRAM; the numbers are those the hardware and the vendor's headers use.

    >>> DataFormat.Bfp8_b.name, tile_bytes(DataFormat.Bfp8_b)
    ('Bfp8_b', 1088)
    """

    Float32 = 0
    Float16 = 1
    Bfp8 = 2
    Bfp4 = 3
    Tf32 = 4
    Float16_b = 5
    Bfp8_b = 6
    Bfp4_b = 7
    Int32 = 8
    UInt16 = 9
    Lf8 = 10
    Bfp2 = 11
    Int8 = 14
    Bfp2_b = 15
    UInt32 = 24
    Fp8_e4m3 = 26
    UInt8 = 30

    @property
    def bits(self) -> int:
        """Bits per datum, shared exponents not counted."""
        return _BITS[self]

    @property
    def is_block_float(self) -> bool:
        """Whether 16 datums share an exponent."""
        return self in _BLOCK_FLOAT

    @property
    def is_integer(self) -> bool:
        return self in _INTEGER

    @property
    def datum_bytes(self) -> int:
        """Bytes per datum of a format whose datums stand alone."""
        if self.is_block_float:
            raise FormatError(
                f"{self.name} has no bytes per datum: 16 datums share an exponent",
                remedy="use tile_bytes, and TILE_LAYOUT for tensors of this format",
            )
        return self.bits // 8


_BITS = {
    DataFormat.Float32: 32,
    DataFormat.Float16: 16,
    DataFormat.Bfp8: 8,
    DataFormat.Bfp4: 4,
    DataFormat.Tf32: 32,
    DataFormat.Float16_b: 16,
    DataFormat.Bfp8_b: 8,
    DataFormat.Bfp4_b: 4,
    DataFormat.Int32: 32,
    DataFormat.UInt16: 16,
    DataFormat.Lf8: 8,
    DataFormat.Bfp2: 2,
    DataFormat.Int8: 8,
    DataFormat.Bfp2_b: 2,
    DataFormat.UInt32: 32,
    DataFormat.Fp8_e4m3: 8,
    DataFormat.UInt8: 8,
}
_BLOCK_FLOAT = frozenset(one for one in DataFormat if one.name.startswith("Bfp"))
_INTEGER = frozenset(one for one in DataFormat if "Int" in one.name)

bfloat16 = DataFormat.Float16_b
float32 = DataFormat.Float32
float16 = DataFormat.Float16
bfloat8_b = DataFormat.Bfp8_b
bfloat4_b = DataFormat.Bfp4_b
bfloat2_b = DataFormat.Bfp2_b
uint8 = DataFormat.UInt8
uint16 = DataFormat.UInt16
uint32 = DataFormat.UInt32
int32 = DataFormat.Int32


@dataclass(frozen=True)
class TileShape:
    """A tile of up to 32x32 datums, stored as faces of up to 16x16, left to right, then top to bottom.

    >>> TileShape(), tile_bytes(DataFormat.Float16_b, TileShape(16, 32))
    (TileShape(rows=32, cols=32), 1024)
    """

    rows: int = 32
    cols: int = 32

    def __post_init__(self) -> None:
        if self.rows not in (1, 2, 4, 8, 16, 32) or self.cols not in (16, 32):
            raise FormatError(
                f"a tile cannot be {self.rows}x{self.cols}",
                remedy="rows are 1, 2, 4, 8, 16 or 32, columns 16 or 32",
            )

    @property
    def face_rows(self) -> int:
        return min(self.rows, 16)

    @property
    def face_cols(self) -> int:
        return FACE_COLS

    @property
    def num_faces(self) -> int:
        return (self.rows // self.face_rows) * (self.cols // FACE_COLS)

    @property
    def datums(self) -> int:
        return self.rows * self.cols


def exponent_bytes(format: DataFormat, tile: TileShape) -> int:
    """Bytes of shared exponents before the datums: one for each row of each face, padded to 16."""
    if not format.is_block_float:
        return 0
    return -(-tile.num_faces * tile.face_rows // 16) * 16


def tile_bytes(format: DataFormat, tile: TileShape | None = None) -> int:
    """Bytes of one tile in memory.

    >>> tile_bytes(DataFormat.Float16_b), tile_bytes(DataFormat.Float32)
    (2048, 4096)
    """
    tile = tile or TileShape()
    return exponent_bytes(format, tile) + tile.datums * format.bits // 8
