"""generic_op, and the helpers that build its descriptors."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from tilesmith.ops.checks import fatal
from tilesmith.ops.framework import operation_cache, registered
from tilesmith.ops.framework.cache import CachedProgram
from tilesmith.ops.generic.descriptors import CBDescriptor, CBFormatDescriptor, ProgramDescriptor
from tilesmith.ops.generic.translate import program_of
from tilesmith.ops.tensor import Tensor
from tilesmith.program import CoreCoord, CoreRange, CoreRangeSet
from tilesmith.program import split_work_to_cores as split
from tilesmith.runtime import Layout
from tilesmith.runtime import Tensor as DeviceTensor
from tilesmith.runtime import TensorAccessorArgs as AccessorArgs
from tilesmith.runtime.observers import labelled


@registered("ttnn.generic_op")
def generic_op(io_tensors: Sequence[Tensor], program_descriptor: ProgramDescriptor) -> Tensor:
    """Run a program on tensors that are all there already; the last is the output, and is returned."""
    fatal(
        len(io_tensors) >= 2,
        "io_tensors must contain at least one input tensor and one output tensor,"
        f" got {len(io_tensors)} tensors.",
    )
    tensors = [_on_device(tensor) for tensor in io_tensors]
    device = tensors[0].device
    program = program_of(program_descriptor)
    cache = operation_cache(device)
    key: Hashable = ("ttnn.generic_op", program_descriptor.custom_program_hash or program.structure)
    if cache.peek(key) is None:
        cache.missed()
        cache.add(key, CachedProgram(program, None, ()))
    else:
        cache.hit()
    with labelled("ttnn.generic_op"):
        device.run(program)
    return io_tensors[-1]


def _on_device(tensor: Tensor) -> DeviceTensor:
    fatal(tensor.on_device is not None, "Device Operations expect device tensors as inputs")
    assert tensor.on_device is not None
    return tensor.on_device


class TensorAccessorArgs:
    """The compile-time words a kernel's TensorAccessor is made of."""

    def __init__(self, tensor: Tensor) -> None:
        self._args = AccessorArgs(_on_device(tensor))

    def get_compile_time_args(self) -> list[int]:
        return self._args.get_compile_time_args()

    def get_common_runtime_args(self) -> list[int]:
        return self._args.get_common_runtime_args()


def cb_descriptor_from_sharded_tensor(
    cb_index: int,
    tensor: Tensor,
    address_offset: int = 0,
    total_size: int = 0,
    core_ranges: CoreRangeSet | None = None,
) -> CBDescriptor:
    """A circular buffer that stands on a tensor's shards."""
    placed = _on_device(tensor)
    tile = placed.spec.tile if placed.layout is Layout.TILE else None
    form = CBFormatDescriptor(cb_index, placed.dtype, placed.aligned_page_size, tile)
    cores = placed.cores if core_ranges is None else core_ranges
    size = total_size or placed.size_per_bank - address_offset
    return CBDescriptor(size, cores, [form], address_offset, placed.buffer)


class SplitWork(NamedTuple):
    """What ttnn.split_work_to_cores gives."""

    num_cores: int
    all_cores: CoreRangeSet
    core_group_1: CoreRangeSet
    core_group_2: CoreRangeSet
    units_per_core_group_1: int
    units_per_core_group_2: int


def split_work_to_cores(grid: CoreCoord | CoreRangeSet, units: int, row_wise: bool = False) -> SplitWork:
    """Units of work dealt out to cores, as evenly as they go.

    >>> split_work_to_cores(CoreCoord(8, 8), 100).num_cores
    64
    """
    return SplitWork(*split(grid, units, row_wise))


def grid_to_cores(
    num_cores: int | CoreCoord,
    grid_size_x: int | CoreCoord,
    grid_size_y: int | None = None,
    row_wise: bool = False,
) -> list[CoreCoord]:
    """The first cores of a grid; or all cores from one to another.

    >>> grid_to_cores(2, 8, 8, row_wise=True)
    [CoreCoord(x=0, y=0), CoreCoord(x=1, y=0)]
    """
    if isinstance(num_cores, CoreCoord) or isinstance(grid_size_x, CoreCoord) or grid_size_y is None:
        if not (isinstance(num_cores, CoreCoord) and isinstance(grid_size_x, CoreCoord)):
            raise TypeError("grid_to_cores() takes a number and the sizes of a grid, or two CoreCoord")
        return list(CoreRange(num_cores, grid_size_x).cores(row_wise))
    fatal(
        num_cores <= grid_size_x * grid_size_y,
        f"Number of cores {num_cores} exceeds grid size {grid_size_x}x{grid_size_y}",
    )
    if row_wise:
        return [CoreCoord(i % grid_size_x, i // grid_size_x) for i in range(num_cores)]
    return [CoreCoord(i // grid_size_y, i % grid_size_y) for i in range(num_cores)]
