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


def _kernel(descriptor: KernelDescriptor) -> Kernel:
    is_file = descriptor.source_type is KernelSource.FILE_PATH
    if is_file:
        there = Path(descriptor.kernel_source).is_file()
        fatal(there, f"Kernel file {descriptor.kernel_source} doesn't exist in any of the searched paths!")
    return Kernel(
        descriptor.kernel_source,
        descriptor.core_ranges,
        _config(descriptor.config),
        Source.FILE_PATH if is_file else Source.SOURCE_CODE,
        descriptor.compile_time_args,
        descriptor.named_compile_time_args,
        descriptor.defines,
        as_mapping(descriptor.runtime_args),
        descriptor.common_runtime_args,
        descriptor.compiler_include_paths,
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


def _circular_buffer(descriptor: CBDescriptor) -> CircularBuffer:
    for form in descriptor.format_descriptors:
        fatal(
            form.page_size > 0 and descriptor.total_size % form.page_size == 0,
            f"Total circular buffer size {descriptor.total_size} B must be divisible by page size"
            f" {form.page_size} B",
        )
    return CircularBuffer(
        descriptor.total_size,
        descriptor.core_ranges,
        [_format(form) for form in descriptor.format_descriptors],
        buffer=descriptor.shards,
        address_offset=descriptor.address_offset,
    )


def _format(descriptor: CBFormatDescriptor) -> CBFormat:
    stored = (
        descriptor.data_format.format
        if isinstance(descriptor.data_format, DataType)
        else DataFormat(descriptor.data_format)
    )
    tile = (
        descriptor.tile
        if descriptor.tile is None or isinstance(descriptor.tile, TileShape)
        else descriptor.tile.shape
    )
    return CBFormat(descriptor.buffer_index, stored, descriptor.page_size, tile)
