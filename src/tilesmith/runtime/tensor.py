"""Tensor: data on a device, made from and given back as torch or numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from tilesmith.errors import DeviceError
from tilesmith.formats import DataFormat
from tilesmith.notebook import html_fields
from tilesmith.program import CoreRangeSet
from tilesmith.runtime.buffer import Buffer
from tilesmith.runtime.memory_config import Layout, MemoryConfig
from tilesmith.runtime.pages import pages_of, values_of
from tilesmith.runtime.tensor_spec import TensorSpec
from tilesmith.runtime.torch_bridge import torch_from_numpy

if TYPE_CHECKING:
    import torch

    from tilesmith.runtime.device import Device

Array = NDArray[Any]


class Tensor:
    """A tensor on a device. Made by `device.from_torch`, `from_numpy` and `empty`.

    >>> from tilesmith.runtime import open_device
    >>> with open_device("n150") as device:
    ...     tensor = device.empty((2, 33, 65))
    ...     tensor.padded_shape, tensor.num_pages, tensor.page_size
    ((2, 64, 96), 12, 2048)
    """

    def __init__(self, buffer: Buffer) -> None:
        self.buffer = buffer

    @property
    def device(self) -> Device:
        return self.buffer.device

    @property
    def spec(self) -> TensorSpec:
        return self.buffer.spec

    @property
    def shape(self) -> tuple[int, ...]:
        return self.spec.shape

    @property
    def padded_shape(self) -> tuple[int, ...]:
        return self.spec.padded_shape

    @property
    def dtype(self) -> DataFormat:
        return self.spec.dtype

    @property
    def layout(self) -> Layout:
        return self.spec.layout

    @property
    def memory_config(self) -> MemoryConfig:
        return self.spec.memory_config

    @property
    def address(self) -> int:
        """Where it starts on every bank: what kernels take as a runtime argument."""
        return self.buffer.address

    @property
    def page_size(self) -> int:
        return self.buffer.page_size

    @property
    def aligned_page_size(self) -> int:
        return self.buffer.aligned_page_size

    @property
    def num_pages(self) -> int:
        return self.buffer.num_pages

    @property
    def size_per_bank(self) -> int:
        return self.buffer.size_per_bank

    @property
    def cores(self) -> CoreRangeSet:
        """The cores that hold shards."""
        return self.buffer.cores

    @property
    def is_allocated(self) -> bool:
        return self.buffer.is_allocated

    def __repr__(self) -> str:
        state = "" if self.is_allocated else ", deallocated"
        where = f"{self.memory_config.memory_layout.value} {self.memory_config.buffer_type.value}"
        return f"Tensor({list(self.shape)}, {self.dtype.name}, {self.layout.value}, {where}{state})"

    def _repr_html_(self) -> str:
        return html_fields(
            repr(self),
            {
                "padded to": list(self.padded_shape),
                "pages": f"{self.num_pages} of {self.page_size} bytes",
                "device": self.device,
            },
        )

    def deallocate(self) -> None:
        """Give the memory back now rather than when the last reference goes."""
        self.buffer.deallocate()

    def copy_from_numpy(self, values: Array) -> None:
        """Replace the contents by an array of the same shape; padding becomes zero."""
        if tuple(values.shape) != self.shape:
            raise DeviceError(
                f"values of shape {tuple(values.shape)} do not fit a tensor of shape {self.shape}"
            )
        self.buffer.write(pages_of(values, self.spec))

    def to_numpy(self) -> Array:
        """A copy: float32 for floating-point formats, the matching integer type for the others."""
        return values_of(self.buffer.read(), self.spec)

    def to_torch(self) -> torch.Tensor:
        """A copy: bfloat16 and float16 as such, block floats as float32, uint16 as int32, uint32 as int64."""
        return torch_from_numpy(self.to_numpy(), self.dtype)
