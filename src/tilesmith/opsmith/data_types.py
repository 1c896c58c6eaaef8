"""The dtypes specs name, and what they are elsewhere."""

from __future__ import annotations

from tilesmith.formats import DataFormat

_FORMATS = {
    "BFLOAT16": DataFormat.Float16_b,
    "FLOAT32": DataFormat.Float32,
    "UINT32": DataFormat.UInt32,
    "INT32": DataFormat.Int32,
    "UINT16": DataFormat.UInt16,
    "UINT8": DataFormat.UInt8,
    "BFLOAT8_B": DataFormat.Bfp8_b,
    "BFLOAT4_B": DataFormat.Bfp4_b,
}


def data_format(dtype: str) -> DataFormat:
    """The format of a dtype.

    >>> data_format("BFLOAT16").name
    'Float16_b'
    """
    return _FORMATS[dtype]
