"""ttnn's data types, and the data formats of the chip they stand for."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from tilesmith.errors import FormatError
from tilesmith.formats import DataFormat

if TYPE_CHECKING:
    import torch


class DataType(Enum):
    """ttnn's numbers. Float16 exists on the chip, but ttnn has no name for it.

    >>> DataType.BFLOAT16.format.name
    'Float16_b'
    """

    BFLOAT16 = 0
    FLOAT32 = 1
    UINT32 = 2
    BFLOAT8_B = 3
    BFLOAT4_B = 4
    UINT8 = 5
    UINT16 = 6
    INT32 = 7
    FP8_E4M3 = 8
    INT8 = 9
    INVALID = 255

    def __repr__(self) -> str:
        return str(self)

    def __eq__(self, other: object) -> bool:
        """A type is equal to the format it is stored in, which the specs of tensors have."""
        return self is other or (isinstance(other, DataFormat) and _FORMATS.get(self.name) is other)

    def __hash__(self) -> int:
        return hash(_FORMATS.get(self.name))

    @property
    def format(self) -> DataFormat:
        if self is DataType.INVALID:
            raise FormatError("DataType.INVALID is the type of no tensor", remedy="pass another dtype")
        return _FORMATS[self.name]

    @property
    def is_block_float(self) -> bool:
        return self.format.is_block_float

    @property
    def is_integer(self) -> bool:
        return self.format.is_integer

    @staticmethod
    def of(format: DataFormat) -> DataType:
        """The type of a format.

        >>> DataType.of(DataFormat.Bfp8_b)
        DataType.BFLOAT8_B
        """
        if format not in _TYPES:
            raise FormatError(f"ttnn has no data type for {format.name}")
        return _TYPES[format]


_FORMATS = {
    "BFLOAT16": DataFormat.Float16_b,
    "FLOAT32": DataFormat.Float32,
    "UINT32": DataFormat.UInt32,
    "BFLOAT8_B": DataFormat.Bfp8_b,
    "BFLOAT4_B": DataFormat.Bfp4_b,
    "UINT8": DataFormat.UInt8,
    "UINT16": DataFormat.UInt16,
    "INT32": DataFormat.Int32,
    "FP8_E4M3": DataFormat.Fp8_e4m3,
    "INT8": DataFormat.Int8,
}
_TYPES = {stored: DataType[name] for name, stored in _FORMATS.items()}

bfloat16, float32 = DataType.BFLOAT16, DataType.FLOAT32
bfloat8_b, bfloat4_b = DataType.BFLOAT8_B, DataType.BFLOAT4_B
int8, fp8_e4m3 = DataType.INT8, DataType.FP8_E4M3
uint8, uint16, uint32, int32 = DataType.UINT8, DataType.UINT16, DataType.UINT32, DataType.INT32

# What ttnn.from_torch takes a torch type for when no dtype is given.
_FROM_TORCH = {
    "torch.bfloat16": bfloat16,
    "torch.float32": float32,
    "torch.float64": float32,
    "torch.float16": bfloat16,
    "torch.int64": uint32,
    "torch.int32": int32,
    "torch.int16": uint16,
    "torch.int8": int8,
    "torch.uint8": uint8,
    "torch.uint16": uint16,
    "torch.uint32": uint32,
    "torch.bool": uint8,
}


def dtype_of_torch(dtype: torch.dtype) -> DataType:
    """The data type a torch type becomes when none is asked for."""
    if str(dtype) not in _FROM_TORCH:
        raise FormatError(f"ttnn has no data type for {dtype}", remedy="convert the tensor, or pass dtype=")
    return _FROM_TORCH[str(dtype)]
