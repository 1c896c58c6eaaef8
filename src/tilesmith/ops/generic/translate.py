"""Descriptors -> Program."""

from __future__ import annotations

from pathlib import Path

from tilesmith.formats import DataFormat, TileShape
from tilesmith.ops.checks import fatal
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.generic.descriptors import (
    CBDescriptor,
    CBFormatDescriptor,
    ComputeConfigDescriptor,
    ConfigDescriptor,
    DataMovementConfigDescriptor,
    KernelDescriptor,
    KernelSource,
    ProgramDescriptor,
    ReaderConfigDescriptor,
    UnpackToDestMode,
)
from tilesmith.ops.generic.runtime_args import as_mapping
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    ComputeConfig,
    DataMovementConfig,
    Kernel,
    KernelConfig,
    Program,
    ReaderConfig,
    Semaphore,
    WriterConfig,
)
from tilesmith.program import SourceType as Source


def program_of(descriptor: ProgramDescriptor) -> Program:
    """The same program in plain data; what ttnn's host checks is checked with its words."""
    return Program(
        [_kernel(one) for one in descriptor.kernels],
        [_circular_buffer(one) for one in descriptor.cbs],
        [Semaphore(one.id, one.core_ranges, one.initial_value) for one in descriptor.semaphores],
    )


def _kernel(one: KernelDescriptor) -> Kernel:
    is_file = one.source_type is KernelSource.FILE_PATH
    if is_file:
        there = Path(one.kernel_source).is_file()
        fatal(there, f"Kernel file {one.kernel_source} doesn't exist in any of the searched paths!")
    return Kernel(
        one.kernel_source,
        one.core_ranges,
        _config(one.config),
        Source.FILE_PATH if is_file else Source.SOURCE_CODE,
        one.compile_time_args,
        one.named_compile_time_args,
        one.defines,
        as_mapping(one.runtime_args),
        one.common_runtime_args,
        one.compiler_include_paths,
    )


def _config(config: ConfigDescriptor) -> KernelConfig:
    if isinstance(config, ComputeConfigDescriptor):
        straight = [
            cb
            for cb, mode in enumerate(config.unpack_to_dest_mode)
            if mode is UnpackToDestMode.UnpackToDestFp32
        ]
        return ComputeConfig(
            config.math_fidelity,
            config.math_approx_mode,
            config.fp32_dest_acc_en,
            config.dst_full_sync_en,
            config.bfp8_pack_precise,
            tuple(straight),
        )
    if isinstance(config, DataMovementConfigDescriptor):
        return DataMovementConfig(config.processor, int(config.noc))
    return ReaderConfig() if isinstance(config, ReaderConfigDescriptor) else WriterConfig()


def _circular_buffer(one: CBDescriptor) -> CircularBuffer:
    for form in one.format_descriptors:
        fatal(
            form.page_size > 0 and one.total_size % form.page_size == 0,
            f"Total circular buffer size {one.total_size} B must be divisible by page size"
            f" {form.page_size} B",
        )
    return CircularBuffer(
        one.total_size,
        one.core_ranges,
        [_format(form) for form in one.format_descriptors],
        buffer=one.shards,
        address_offset=one.address_offset,
    )


def _format(one: CBFormatDescriptor) -> CBFormat:
    stored = one.data_format.format if isinstance(one.data_format, DataType) else DataFormat(one.data_format)
    tile = one.tile if one.tile is None or isinstance(one.tile, TileShape) else one.tile.shape
    return CBFormat(one.buffer_index, stored, one.page_size, tile)
