"""The chip's data formats and tile shapes, and how many bytes a tile of each takes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from tilesmith.errors import FormatError


class DataFormat(IntEnum):
    """The vendor's numbers."""

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


@dataclass(frozen=True)
class TileShape:
    """Rows and columns of a tile; faces are 16 columns wide."""

    rows: int = 32
    cols: int = 32

    def __post_init__(self) -> None:
        if self.rows not in (16, 32) or self.cols not in (16, 32):
            raise FormatError(f"no tile of {self.rows}x{self.cols}", remedy="use 32x32, 16x32, 32x16 or 16x16")

    @property
    def face_rows(self) -> int:
        return 16

    @property
    def face_cols(self) -> int:
        return 16

    @property
    def num_faces(self) -> int:
        return (self.rows // 16) * (self.cols // 16)


_BLOCK_BITS = {
    DataFormat.Bfp8: 8,
    DataFormat.Bfp8_b: 8,
    DataFormat.Bfp4: 4,
    DataFormat.Bfp4_b: 4,
    DataFormat.Bfp2: 2,
    DataFormat.Bfp2_b: 2,
}
_ELEMENT_BYTES = {
    DataFormat.Float32: 4,
    DataFormat.Tf32: 4,
    DataFormat.Int32: 4,
    DataFormat.UInt32: 4,
    DataFormat.Float16: 2,
    DataFormat.Float16_b: 2,
    DataFormat.UInt16: 2,
}


def tile_bytes(fmt: DataFormat, tile: TileShape = TileShape()) -> int:  # noqa: B008 - it is immutable
    """Bytes of one tile, exponents included.

    >>> tile_bytes(DataFormat.Float16_b), tile_bytes(DataFormat.Bfp8_b)
    (2048, 1088)
    """
    elements = tile.rows * tile.cols
    if fmt in _BLOCK_BITS:
        exponents = -(-elements // 16 // 16) * 16
        return exponents + elements * _BLOCK_BITS[fmt] // 8
    return elements * _ELEMENT_BYTES.get(fmt, 1)
