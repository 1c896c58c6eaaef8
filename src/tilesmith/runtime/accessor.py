"""The words a kernel's TensorAccessor is made from, equal to those ttnn's TensorAccessorArgs gives."""

from __future__ import annotations

from enum import IntFlag

from tilesmith.runtime.tensor import Tensor
from tilesmith.runtime.tensor_spec import TensorSpec

CONTIGUOUS = 1 << 31  # beside the number of banks: neighbouring shards on one bank


class ArgConfig(IntFlag):
    """The first word (the vendor's tensor_accessor::ArgConfig, without the runtime variants)."""

    SHARDED = 1
    IS_DRAM = 2


class TensorAccessorArgs:
    """Compile-time words of a tensor; a kernel reads them with TensorAccessorArgs<index of the first>().

    Interleaved: configuration bits, aligned page size. Sharded, further: rank, number of banks, shapes of the
    tensor and of a shard in pages, and the banks' coordinates, two to a word.

    >>> from tilesmith.runtime import open_device
    >>> with open_device("n150") as device:
    ...     TensorAccessorArgs(device.empty((64, 64))).get_compile_time_args()
    [2, 2048]
    """

    def __init__(self, tensor: Tensor) -> None:
        given = tensor.buffer.accessor_words
        self._words = compile_time_words(tensor) if given is None else given

    def get_compile_time_args(self) -> list[int]:
        return list(self._words)

    def get_common_runtime_args(self) -> list[int]:
        """Always empty: every word is given at compile time."""
        return []


def compile_time_words(tensor: Tensor) -> tuple[int, ...]:
    """The words as the emulator lays tensors out."""
    spec = tensor.spec
    memory = spec.memory_config
    config = (ArgConfig.SHARDED * memory.is_sharded) | (ArgConfig.IS_DRAM * memory.in_dram)
    head = (int(config), tensor.aligned_page_size)
    if not memory.is_sharded:
        return head
    banks = _bank_coordinates(tensor)
    if memory.is_nd_sharded:
        shape, shard = spec.nd.tensor, spec.nd.shard
        count = len(banks) | (CONTIGUOUS if spec.nd.contiguous else 0)
        return (*head, len(shape), count, *shape, *shard, *_packed(banks))
    shape, shard = squeezed_shapes(spec)
    return (*head, len(shape), len(banks), *shape, *shard, *_packed(banks))


def squeezed_shapes(spec: TensorSpec) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Tensor and shard in pages, as one dimension where shards are runs of consecutive pages."""
    (height, width), (rows, cols) = spec.page_grid, spec.shard_grid
    if cols == width or rows == height == 1 or (rows == 1 and width % cols == 0):
        return (height * width,), (rows * cols,)
    return (height, width), (rows, cols)


def _bank_coordinates(tensor: Tensor) -> list[tuple[int, int]]:
    cores = tensor.spec.shard_cores
    if tensor.spec.memory_config.in_dram:
        return [(core.x, 0) for core in cores]
    return [tensor.device.arch.worker_noc_xy(core) for core in cores]


def _packed(coordinates: list[tuple[int, int]]) -> list[int]:
    halves = [x << 8 | y for x, y in coordinates]
    halves += [0] * (len(halves) % 2)
    return [low | high << 16 for low, high in zip(halves[::2], halves[1::2], strict=True)]
