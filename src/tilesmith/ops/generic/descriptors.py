"""ttnn's descriptor classes, filled in freely, as ttnn's are; `translate` makes a Program of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import ClassVar

from tilesmith.formats import DataFormat, TileShape
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.generic.runtime_args import RuntimeArgs
from tilesmith.program import CoreCoord, CoreRangeSet, MathFidelity, Processor
from tilesmith.program.circular_buffer import L1Shards


class KernelSource(Enum):
    """KernelDescriptor.SourceType."""

    FILE_PATH = "file_path"
    SOURCE_CODE = "source_code"


class CoreType(Enum):
    WORKER = "worker"


class NOC(IntEnum):
    """NoC 0 is the readers', NoC 1 the writers'."""

    NOC_0 = 0
    NOC_1 = 1
    RISCV_0_default = 0
    RISCV_1_default = 1


class UnpackToDestMode(Enum):
    Default = "default"
    UnpackToDestFp32 = "fp32"


@dataclass
class ReaderConfigDescriptor:
    """Where readers run."""


@dataclass
class WriterConfigDescriptor:
    """Where writers run."""


@dataclass
class DataMovementConfigDescriptor:
    processor: Processor = Processor.RISCV_0
    noc: int = NOC.RISCV_0_default
    noc_mode: object = None


@dataclass
class ComputeConfigDescriptor:
    math_fidelity: MathFidelity = MathFidelity.HiFi4
    math_approx_mode: bool = False
    fp32_dest_acc_en: bool = False
    dst_full_sync_en: bool = False
    bfp8_pack_precise: bool = False
    unpack_to_dest_mode: Sequence[UnpackToDestMode] = ()
    enable_trisc2_rvv: bool = False


ConfigDescriptor = (
    ReaderConfigDescriptor | WriterConfigDescriptor | DataMovementConfigDescriptor | ComputeConfigDescriptor
)
CoreArguments = RuntimeArgs | Iterable[tuple[CoreCoord, Sequence[int]]]


@dataclass
class KernelDescriptor:
    """One kernel: its source, cores, arguments and place."""

    SourceType: ClassVar[type[KernelSource]] = KernelSource

    kernel_source: str = ""
    source_type: KernelSource = KernelSource.FILE_PATH
    core_ranges: CoreRangeSet = field(default_factory=CoreRangeSet)
    compile_time_args: Sequence[int] = ()
    named_compile_time_args: Sequence[tuple[str, int]] = ()
    defines: Sequence[tuple[str, str]] = ()
    runtime_args: CoreArguments = ()
    common_runtime_args: Sequence[int] = ()
    opt_level: object = None
    config: ConfigDescriptor = field(default_factory=ReaderConfigDescriptor)
    compiler_include_paths: Sequence[str] = ()


@dataclass
class TileDescriptor:
    """A tile's size in elements.

    >>> TileDescriptor(16, 32).shape
    TileShape(rows=16, cols=32)
    """

    height: int = 32
    width: int = 32
    transpose: bool = False

    @property
    def shape(self) -> TileShape:
        return TileShape(self.height, self.width)


@dataclass
class CBFormatDescriptor:
    buffer_index: int = 0
    data_format: DataType | DataFormat = DataFormat.Float16_b
    page_size: int = 0
    tile: TileDescriptor | TileShape | None = None


@dataclass
class CBDescriptor:
    """With `shards` it stands on a tensor's: see cb_descriptor_from_sharded_tensor."""

    total_size: int = 0
    core_ranges: CoreRangeSet = field(default_factory=CoreRangeSet)
    format_descriptors: Sequence[CBFormatDescriptor] = ()
    address_offset: int = 0
    shards: L1Shards | None = None

    def has_buffer(self) -> bool:
        return self.shards is not None


@dataclass
class SemaphoreDescriptor:
    id: int = 0
    core_type: CoreType = CoreType.WORKER
    core_ranges: CoreRangeSet = field(default_factory=CoreRangeSet)
    initial_value: int = 0


@dataclass
class ProgramDescriptor:
    kernels: list[KernelDescriptor] = field(default_factory=list)
    semaphores: list[SemaphoreDescriptor] = field(default_factory=list)
    cbs: list[CBDescriptor] = field(default_factory=list)
    custom_program_hash: int | None = None


def merge_program_descriptors(descriptors: Iterable[ProgramDescriptor]) -> ProgramDescriptor:
    """Several programs as one, for cores that do not overlap."""
    listed = list(descriptors)
    return ProgramDescriptor(
        [kernel for one in listed for kernel in one.kernels],
        [semaphore for one in listed for semaphore in one.semaphores],
        [cb for one in listed for cb in one.cbs],
    )
