"""Operations without a kernel: computed on the host with torch, stored as the chip would have them.

Profiles list them as computed on the host. A trace replays them like programs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tilesmith.ops.creation.host import as_integers, from_values
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.memory import DRAM_MEMORY_CONFIG, MemoryConfig
from tilesmith.ops.tensor import Tensor
from tilesmith.ops.traces import captured
from tilesmith.runtime import Layout
from tilesmith.runtime.observers import observers
from tilesmith.runtime.torch_bridge import numpy_from_torch

if TYPE_CHECKING:
    import torch

Compute = Callable[..., Any]


def on_host(
    name: str,
    compute: Compute,
    inputs: Sequence[Tensor | None],
    *,
    like: Tensor | None = None,
    dtype: DataType | Sequence[DataType] | None = None,
    layout: Layout | Sequence[Layout] | None = None,
    memory_config: MemoryConfig | None = None,
    output: Tensor | Sequence[Tensor | None] | None = None,
) -> list[Tensor]:
    """Call `compute` with the inputs as torch tensors (float32, or integers; None stays None).

    Its result, or each of several, becomes a tensor like the first input unless told, or goes into `output`.
    """
    model = like if like is not None else next(one for one in inputs if one is not None)
    started = time.perf_counter()
    found = _computed(compute, inputs)
    rooms = _rooms(output)
    results: list[Tensor] = []
    for number, values in enumerate(found):
        room = rooms[number] if number < len(rooms) else None
        if room is not None:
            write(room, values)
            results.append(room)
            continue
        results.append(stored(values, model, _pick(dtype, number), _pick(layout, number), memory_config))
    device = model.on_device.device if model.on_device is not None else None
    for observer in observers():
        observer.ran_on_host(device, name, time.perf_counter() - started)
    if device is not None:
        captured(device, lambda: _again(compute, inputs, results))
    return results


def _rooms(output: Tensor | Sequence[Tensor | None] | None) -> Sequence[Tensor | None]:
    return [output] if output is None or isinstance(output, Tensor) else output


def _pick(given: Any, number: int) -> Any:
    return given[number] if isinstance(given, (list, tuple)) else given


def _computed(compute: Compute, inputs: Sequence[Tensor | None]) -> list[torch.Tensor]:
    result = compute(*[None if one is None else values_of(one) for one in inputs])
    return list(result) if isinstance(result, (list, tuple)) else [result]


def _again(compute: Compute, inputs: Sequence[Tensor | None], outputs: Sequence[Tensor]) -> None:
    for tensor, values in zip(outputs, _computed(compute, inputs), strict=True):
        write(tensor, values)


def values_of(tensor: Tensor) -> torch.Tensor:
    """A tensor's elements: float32, or int64 for integers (int32 keeps its type).

    >>> values_of(Tensor([1, 2], [2], DataType.BFLOAT16, Layout.ROW_MAJOR)).dtype
    torch.float32
    """
    import torch

    values = tensor.to_torch()
    return values.float() if values.is_floating_point() else values.to(torch.int64)


def stored(
    values: torch.Tensor,
    like: Tensor,
    dtype: DataType | None = None,
    layout: Layout | None = None,
    memory_config: MemoryConfig | None = None,
) -> Tensor:
    """Values as a tensor where `like` is: its type, layout and memory unless told."""
    from tilesmith.ops.shards import fitting_memory

    target = dtype or like.dtype
    chosen = layout or (Layout.TILE if target.is_block_float else like.layout)
    shape = tuple(values.shape)
    wanted = memory_config or (like.memory_config() if like.on_device is not None else DRAM_MEMORY_CONFIG)
    memory = fitting_memory(wanted, shape, like, chosen)
    array = as_integers(numpy_from_torch(values.contiguous()), target)
    return from_values(array, target, chosen, like.device(), memory)


def write(tensor: Tensor, values: torch.Tensor) -> None:
    """Put values into a tensor that exists."""
    room = tensor.on_device
    array = as_integers(numpy_from_torch(values.contiguous()), tensor.dtype)
    if room is not None:
        room.copy_from_numpy(array.reshape(room.spec.shape))
        return
    from tilesmith.ops.host import HostTensor

    tensor._on_host = HostTensor.of_numpy(array.reshape(tensor.spec.shape), tensor.spec)
