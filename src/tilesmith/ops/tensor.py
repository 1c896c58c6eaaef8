"""Tensor as ttnn shows it: on the host or on a device, with operators that call operations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from math import isfinite
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from tilesmith.formats import TileShape
from tilesmith.ops.checks import fatal
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.host import HostTensor
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.shape import Shape
from tilesmith.runtime import Layout
from tilesmith.runtime import Tensor as DeviceTensor
from tilesmith.runtime.tensor_spec import TensorSpec
from tilesmith.runtime.torch_bridge import torch_from_numpy

if TYPE_CHECKING:
    import torch

    from tilesmith.ops.device import MeshDevice


class StorageType(Enum):
    HOST = "host"
    DEVICE = "device"


class Tensor:
    """Data in a shape, a type and a layout. Made by `from_torch`, creation functions, and operations."""

    __slots__ = ("__weakref__", "_on_device", "_on_host")

    def __init__(
        self,
        *values: Any,
        on_host: HostTensor | None = None,
        on_device: DeviceTensor | None = None,
        **options: Any,
    ) -> None:
        """From what `from_values` takes; operations here give the storage itself."""
        if values or options:
            tensor = _from_values(*values, **options)
            on_host, on_device = tensor.on_host, tensor.on_device
        self._on_host: HostTensor | None = on_host
        self._on_device: DeviceTensor | None = on_device

    @staticmethod
    def of_device(tensor: DeviceTensor) -> Tensor:
        """A runtime tensor under ttnn's API."""
        return Tensor(on_device=tensor)

    @property
    def on_device(self) -> DeviceTensor | None:
        """The runtime's tensor; None for a tensor on the host."""
        return self._on_device

    @property
    def on_host(self) -> HostTensor | None:
        return self._on_host

    @property
    def spec(self) -> TensorSpec:
        return self._on_device.spec if self._on_device is not None else self._host.spec

    @property
    def shape(self) -> Shape:
        return Shape(self.spec.shape)

    @property
    def padded_shape(self) -> Shape:
        return Shape(self.spec.padded_shape)

    @property
    def dtype(self) -> DataType:
        return DataType.of(self.spec.dtype)

    @property
    def layout(self) -> Layout:
        return self.spec.layout

    @property
    def tile(self) -> TileShape:
        return self.spec.tile

    def get_dtype(self) -> DataType:
        return self.dtype

    def get_layout(self) -> Layout:
        return self.layout

    def memory_config(self) -> MemoryConfig:
        return MemoryConfig.of(self.spec.memory_config)

    def storage_type(self) -> StorageType:
        return StorageType.HOST if self._on_device is None else StorageType.DEVICE

    def device(self) -> MeshDevice | None:
        from tilesmith.ops.device import MeshDevice

        return None if self._on_device is None else MeshDevice.of(self._on_device.device)

    def is_sharded(self) -> bool:
        return self._on_device is not None and self.spec.memory_config.is_sharded

    def is_allocated(self) -> bool:
        return self._on_device is None or self._on_device.is_allocated

    def volume(self) -> int:
        """Elements, padding included."""
        return self.spec.volume

    def logical_volume(self) -> int:
        volume = 1
        for size in self.spec.shape:
            volume *= size
        return volume

    def element_size(self) -> int:
        return self.spec.dtype.datum_bytes

    def buffer_address(self) -> int:
        return self._placed.address

    def buffer_page_size(self) -> int:
        return self._placed.page_size

    def buffer_aligned_page_size(self) -> int:
        return self._placed.aligned_page_size

    def buffer_num_pages(self) -> int:
        return self._placed.num_pages

    def deallocate(self, force: bool = True) -> None:
        """Give the device memory back now."""
        if self._on_device is not None and force:
            self._on_device.deallocate()

    # ---- values ----

    def to_numpy(self) -> NDArray[Any]:
        """A copy: float32 for floating-point types, the matching integer type for the others."""
        return self._placed.to_numpy() if self._on_device is not None else self._host.to_numpy()

    def to_torch(self) -> torch.Tensor:
        return torch_from_numpy(self.to_numpy(), self.spec.dtype)

    def to_torch_with_padded_shape(self) -> torch.Tensor:
        """All that is stored, padding included, with the padded shape."""
        host = self.cpu()._host
        spec = replace(host.spec, shape=host.spec.padded_shape)
        return torch_from_numpy(HostTensor(spec, host.pages).to_numpy(), spec.dtype)

    def to_list(self) -> Any:
        return self.to_numpy().tolist()

    def item(self) -> float | int:
        fatal(self.logical_volume() == 1, "tensor.item() requires a tensor with a single element")
        value: float | int = self.to_numpy().reshape(-1)[0].item()
        return value

    def cpu(self, blocking: bool = True, cq_id: int | None = None) -> Tensor:
        """A copy on the host; programs here have always ended."""
        return self if self._on_device is None else Tensor(on_host=HostTensor.of_device(self._on_device))

    def __repr__(self) -> str:
        from tilesmith.ops.printing import text_of

        return text_of(self)

    # ---- operations; ttnn has no others on tensors ----

    def to(self, *what: Any, **options: Any) -> Tensor:
        """To a layout, or to a device."""
        from tilesmith.ops.framework.registry import call

        target = what[0] if what else options.pop("device", None) or options.pop("layout")
        name = "ttnn.to_layout" if isinstance(target, Layout) else "ttnn.to_device"
        result: Tensor = call(name, self, target, *what[1:], **options)
        return result

    def pad(
        self, output_tensor_shape: Sequence[int], input_tensor_start: Sequence[int], pad_value: float
    ) -> Tensor:
        """The same elements with room around them: as in ttnn the shape stays, and what is stored grows."""
        host = self._on_host_only("pad")
        fatal(
            not any(input_tensor_start) and len(output_tensor_shape) == len(host.spec.shape),
            "tilesmith: Tensor.pad adds at the end of axes only",
            remedy="use ttnn.pad, which makes a larger tensor",
        )
        return self.pad_to_tile(pad_value)

    def pad_to_tile(self, pad_value: float) -> Tensor:
        """A host tensor that has this value around its elements when it is brought into tiles."""
        host = self._on_host_only("pad_to_tile")
        if host.spec.layout is Layout.TILE:
            return self
        is_real = not host.spec.dtype.is_integer
        padding = pad_value if is_real else int(pad_value) if isfinite(pad_value) else 0
        return Tensor(on_host=replace(host, padding=padding))

    def unpad(self, output_tensor_start: Sequence[int], output_tensor_end: Sequence[int]) -> Tensor:
        """A box of a host tensor."""
        box = tuple(slice(a, b) for a, b in zip(output_tensor_start, output_tensor_end, strict=True))
        return self._with_values(self._on_host_only("unpad").to_numpy()[box])

    def unpad_from_tile(self, output_tensor_shape: Sequence[int]) -> Tensor:
        """Without what `pad_to_tile` added."""
        return self.unpad([0] * len(output_tensor_shape), output_tensor_shape)

    def _on_host_only(self, name: str) -> HostTensor:
        fatal(self._on_host is not None, f"Tensor.{name} takes a tensor on the host; call ttnn.from_device")
        return self._host

    def _with_values(self, values: NDArray[Any]) -> Tensor:
        import numpy as np

        spec = replace(self.spec, shape=tuple(values.shape))
        return Tensor(on_host=HostTensor.of_numpy(np.ascontiguousarray(values), spec))

    def reshape(self, *shape: Any) -> Tensor:
        return self._apply(
            "reshape", shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        )

    def __getitem__(self, index: Any) -> Tensor:
        from tilesmith.ops.rearrange.slicing import indexed

        return indexed(self, index)

    def _apply(self, name: str, *others: Any) -> Tensor:
        from tilesmith.ops.framework.registry import call

        result: Tensor = call(f"ttnn.{name}", self, *others)
        return result

    def _applied(self, name: str, other: Any) -> Tensor:
        """With the operands the other way round."""
        from tilesmith.ops.framework.registry import call

        result: Tensor = call(f"ttnn.{name}", other, self)
        return result

    def __add__(self, other: Any) -> Tensor:
        return self._apply("add", other)

    def __radd__(self, other: Any) -> Tensor:
        return self._applied("add", other)

    def __sub__(self, other: Any) -> Tensor:
        return self._apply("subtract", other)

    def __rsub__(self, other: Any) -> Tensor:
        return self._applied("subtract", other)

    def __mul__(self, other: Any) -> Tensor:
        return self._apply("multiply", other)

    def __rmul__(self, other: Any) -> Tensor:
        return self._applied("multiply", other)

    def __truediv__(self, other: Any) -> Tensor:
        return self._apply("div", other)

    def __rtruediv__(self, other: Any) -> Tensor:
        return self._applied("div", other)

    def __matmul__(self, other: Tensor) -> Tensor:
        return self._apply("matmul", other)

    def __eq__(self, other: Any) -> Tensor:  # type: ignore[override]  # element by element, as in ttnn
        return self._apply("eq", other)

    def __ne__(self, other: Any) -> Tensor:  # type: ignore[override]
        return self._apply("ne", other)

    def __lt__(self, other: Any) -> Tensor:
        return self._apply("lt", other)

    def __gt__(self, other: Any) -> Tensor:
        return self._apply("gt", other)

    def __le__(self, other: Any) -> Tensor:
        return self._apply("le", other)

    def __ge__(self, other: Any) -> Tensor:
        return self._apply("ge", other)

    __hash__ = object.__hash__

    @property
    def _host(self) -> HostTensor:
        assert self._on_host is not None
        return self._on_host

    @property
    def _placed(self) -> DeviceTensor:
        fatal(self._on_device is not None, "Tensor is not on device!")
        assert self._on_device is not None
        return self._on_device


def _from_values(
    tensor: Any,
    data_type: Any = None,
    *more: Any,
    device: MeshDevice | None = None,
    layout: Layout | None = None,
    mem_config: MemoryConfig | None = None,
    tile: TileShape | None = None,
    pad_value: float | None = None,
    **others: Any,
) -> Tensor:
    """ttnn.Tensor(torch tensor, type, device, layout, memory), or (values, shape, type, layout, device)."""
    import numpy as np
    import torch

    from tilesmith.ops.framework.registry import call

    if isinstance(tensor, Tensor):
        return tensor
    positional = list(more)
    if isinstance(tensor, (list, tuple)):
        tensor = torch.tensor(tensor).reshape(tuple(data_type))
        data_type = positional.pop(0) if positional else others.pop("dtype")
        layout = positional.pop(0) if positional else layout
        device = positional.pop(0) if positional else device
    else:
        device = positional.pop(0) if positional else device
        layout = positional.pop(0) if positional else layout
    memory = positional.pop(0) if positional else others.pop("memory_config", mem_config)
    values = torch.from_numpy(tensor) if isinstance(tensor, np.ndarray) else tensor
    result: Tensor = call(
        "ttnn.from_torch",
        values,
        data_type,
        layout=layout,
        device=device,
        memory_config=memory,
        tile=tile,
        pad_value=pad_value,
        **others,
    )
    return result
