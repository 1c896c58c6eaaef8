"""Torch tensors as numpy arrays and back. Torch is imported only when one is met."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from tilesmith.errors import FormatError
from tilesmith.extras import naming_extras
from tilesmith.formats import DataFormat

if TYPE_CHECKING:
    import torch

_DEFAULT_FORMATS = {
    "float32": DataFormat.Float32,
    "float64": DataFormat.Float32,
    "bfloat16": DataFormat.Float16_b,
    "float16": DataFormat.Float16,
    "uint8": DataFormat.UInt8,
    "uint16": DataFormat.UInt16,
    "uint32": DataFormat.UInt32,
    "int32": DataFormat.Int32,
    "int64": DataFormat.Int32,
    "int16": DataFormat.Int32,
    "bool": DataFormat.UInt8,
}


def default_format(dtype: str) -> DataFormat:
    """The format that holds values of a numpy or torch type, named as they name it.

    >>> default_format("torch.bfloat16").name
    'Float16_b'
    """
    name = dtype.removeprefix("torch.")
    if name not in _DEFAULT_FORMATS:
        raise FormatError(f"no data format stands for {dtype} by default", remedy="pass dtype=")
    return _DEFAULT_FORMATS[name]


# Types numpy does not have by itself: they travel as integers of the same width.
_ML_DTYPES = {
    "bfloat16": "int16",
    "float8_e4m3fn": "uint8",
    "float8_e5m2": "uint8",
    "float8_e4m3fnuz": "uint8",
    "float8_e5m2fnuz": "uint8",
    "float8_e8m0fnu": "uint8",
}


def numpy_from_torch(values: torch.Tensor) -> NDArray[Any]:
    """The values without a copy where that is possible; bfloat16 and floats of 8 bits keep their bits."""
    with naming_extras():
        import torch

    values = values.detach().cpu()
    name = str(values.dtype).removeprefix("torch.")
    if name in _ML_DTYPES:
        bits: NDArray[Any] = values.contiguous().view(getattr(torch, _ML_DTYPES[name])).numpy()
        return bits.view(getattr(ml_dtypes, name))
    result: NDArray[Any] = values.numpy()
    return result


def torch_like(values: NDArray[Any]) -> torch.Tensor:
    """The array as a torch tensor of the same type, without a copy.

    >>> torch_like(np.zeros(2, ml_dtypes.bfloat16)).dtype
    torch.bfloat16
    """
    with naming_extras():
        import torch

    name = values.dtype.name
    if name in _ML_DTYPES:
        return torch.from_numpy(values.view(_ML_DTYPES[name])).view(getattr(torch, name))
    return torch.from_numpy(values)


def torch_from_numpy(values: NDArray[Any], format: DataFormat) -> torch.Tensor:
    with naming_extras():
        import torch

    if format is DataFormat.Float16_b:
        return torch.from_numpy(values).to(torch.bfloat16)
    if format is DataFormat.Float16:
        return torch.from_numpy(values).to(torch.float16)
    # Torch computes little with uint16 and uint32: the next signed type holds every value.
    if format is DataFormat.UInt16:
        return torch.from_numpy(values.astype(np.int32))
    if format is DataFormat.UInt32:
        return torch.from_numpy(values.astype(np.int64))
    return torch.from_numpy(values)
