"""The same memory seen in another shape, where the pages stay what they are."""

from __future__ import annotations

from dataclasses import replace

from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Buffer, Layout
from tilesmith.runtime import Tensor as DeviceTensor
from tilesmith.runtime.tensor_spec import TensorSpec


class ViewBuffer(Buffer):
    """Another tensor's memory under another shape. It keeps the other alive and frees nothing itself."""

    def __init__(self, whole: Buffer, spec: TensorSpec) -> None:
        super().__init__(whole.device, spec, whole._allocation)
        self.whole = whole

    @property
    def is_allocated(self) -> bool:
        return self.whole.is_allocated

    def deallocate(self) -> None:
        """A view has no memory of its own."""

    def _check_usable(self) -> None:
        self.whole._check_usable()


def viewed(tensor: Tensor, shape: tuple[int, ...]) -> Tensor | None:
    """The tensor in another shape without a copy; None where elements would have to move."""
    if tensor.spec.memory_config.is_sharded or not _same_pages(tensor.spec, shape):
        return None
    return _over(tensor, shape)


def with_padding(tensor: Tensor) -> Tensor | None:
    """The tensor with the padding of its tiles as elements; None where its memory is not ours to describe."""
    return _over(tensor, tuple(tensor.spec.padded_shape))


def _over(tensor: Tensor, shape: tuple[int, ...]) -> Tensor | None:
    """The pages of a tensor under another shape. Memory of other executors is theirs to describe."""
    on_device = tensor.on_device
    if (
        on_device is None
        or not isinstance(on_device.buffer, Buffer)
        or on_device.buffer.accessor_words is not None
    ):
        return None
    return Tensor.of_device(DeviceTensor(ViewBuffer(on_device.buffer, replace(tensor.spec, shape=shape))))


def _same_pages(spec: TensorSpec, shape: tuple[int, ...]) -> bool:
    (height, width), (rows, cols) = ((1, 1, *one)[-2:] for one in (spec.shape, shape))
    if width != cols:
        return False
    return spec.layout is Layout.ROW_MAJOR or height == rows or height % 32 == rows % 32 == 0
