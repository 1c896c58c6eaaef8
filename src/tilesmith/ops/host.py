"""HostTensor: a tensor's pages in the computer's memory, in the format they have on a device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilesmith.runtime import Device
from tilesmith.runtime import Tensor as DeviceTensor
from tilesmith.runtime.pages import pages_of, values_of
from tilesmith.runtime.tensor_spec import TensorSpec


@dataclass(frozen=True)
class HostTensor:
    """Values rounded to a format, in a layout; `padding` is what comes around them in tiles."""

    spec: TensorSpec
    pages: NDArray[np.uint8]
    padding: float = 0

    @staticmethod
    def of_numpy(values: NDArray[Any], spec: TensorSpec, padding: float = 0) -> HostTensor:
        return HostTensor(spec, pages_of(values, spec, padding), padding)

    @staticmethod
    def of_device(tensor: DeviceTensor) -> HostTensor:
        return HostTensor(tensor.spec, tensor.buffer.read())

    def to_numpy(self) -> NDArray[Any]:
        return values_of(self.pages, self.spec)

    def to_device(self, device: Device, spec: TensorSpec) -> DeviceTensor:
        """On a device, as `spec` says: with other shards, or in other memory, than the host's."""
        tensor = DeviceTensor(device._allocate(spec))
        same_pages = (spec.page_shape, spec.padded_shape) == (self.spec.page_shape, self.spec.padded_shape)
        if same_pages and spec.layout is self.spec.layout:
            tensor.buffer.write(self.pages)
        else:
            tensor.copy_from_numpy(self.to_numpy())
        return tensor
