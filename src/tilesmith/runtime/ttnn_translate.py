"""Program -> ttnn.ProgramDescriptor, field by field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tilesmith.errors import DeviceError, FormatError
from tilesmith.formats import DataFormat
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    ComputeConfig,
    CoreCoord,
    CoreRangeSet,
    Kernel,
    KernelConfig,
    Program,
    ReaderConfig,
    Semaphore,
    SourceType,
    WriterConfig,
)
from tilesmith.program.sources import kernel_path
from tilesmith.runtime.ttnn_releases import older_names

# ttnn takes its tensor types for circular buffers too, and shows no others to Python.
DTYPES: Mapping[DataFormat, str] = {
    DataFormat.Float16_b: "bfloat16",
    DataFormat.Float32: "float32",
    DataFormat.Bfp8_b: "bfloat8_b",
    DataFormat.Bfp4_b: "bfloat4_b",
    DataFormat.Int32: "int32",
    DataFormat.UInt32: "uint32",
    DataFormat.UInt16: "uint16",
    DataFormat.UInt8: "uint8",
}


class Translator:
    """Makes descriptors of one device's programs. `tensor_at` finds the ttnn tensor at an L1 address."""

    def __init__(self, ttnn: Any, num_circular_buffers: int, tensor_at: Callable[[int], Any]) -> None:
        self._ttnn = ttnn
        self._older_names = list(older_names(Path(ttnn.__file__).parent))
        self._num_circular_buffers = num_circular_buffers
        self._tensor_at = tensor_at

    def program(self, program: Program) -> Any:
        descriptor = self._ttnn.ProgramDescriptor(
            kernels=[self._kernel(kernel) for kernel in program.kernels],
            cbs=[self._circular_buffer(cb) for cb in program.cbs],
            semaphores=[self._semaphore(one) for one in program.semaphores],
        )
        if hasattr(descriptor, "custom_program_hash"):
            descriptor.custom_program_hash = _cache_key(program)
        return descriptor

    def _kernel(self, kernel: Kernel) -> Any:
        if kernel.bindings is not None:
            raise DeviceError(
                f"kernel {kernel.label} has named bindings, which ttnn's KernelDescriptor cannot carry",
                where=kernel.declared_at,
                remedy="run it on the emulator, or give its arguments by position",
            )
        types = self._ttnn.KernelDescriptor.SourceType
        path = kernel_path(kernel)
        is_file = kernel.source_type is SourceType.FILE_PATH
        return self._ttnn.KernelDescriptor(
            kernel_source=kernel.kernel_source if path is None else str(path.resolve()),
            source_type=types.FILE_PATH if is_file else types.SOURCE_CODE,
            core_ranges=core_range_set(self._ttnn, kernel.core_ranges),
            compile_time_args=list(kernel.compile_time_args),
            named_compile_time_args=list(kernel.named_compile_time_args),
            defines=self._defines(kernel),
            runtime_args=[
                (self._core(core), [word & 0xFFFFFFFF for word in words])
                for core, words in kernel.runtime_args.items()
            ],
            common_runtime_args=[word & 0xFFFFFFFF for word in kernel.common_runtime_args],
            config=self._config(kernel.config),
            compiler_include_paths=list(kernel.compiler_include_paths),
        )

    def _defines(self, kernel: Kernel) -> list[tuple[str, str]]:
        known = self._older_names if isinstance(kernel.config, ComputeConfig) else []
        return [*kernel.defines, *known]

    def _config(self, config: KernelConfig) -> Any:
        if isinstance(config, ComputeConfig):
            return self._compute_config(config)
        if config == ReaderConfig():
            return self._ttnn.ReaderConfigDescriptor()
        if config == WriterConfig():
            return self._ttnn.WriterConfigDescriptor()
        return self._ttnn.DataMovementConfigDescriptor(
            processor=self._ttnn.DataMovementProcessor(int(config.processor)),
            noc=self._ttnn.NOC(config.noc),
        )

    def _compute_config(self, config: ComputeConfig) -> Any:
        result = self._ttnn.ComputeConfigDescriptor(
            math_fidelity=getattr(self._ttnn.MathFidelity, config.math_fidelity.name),
            math_approx_mode=config.math_approx_mode,
            fp32_dest_acc_en=config.fp32_dest_acc_en,
            dst_full_sync_en=config.dst_full_sync_en,
            bfp8_pack_precise=config.bfp8_pack_precise,
        )
        if config.unpack_to_dest_fp32:
            modes = self._ttnn.UnpackToDestMode
            chosen = [modes.Default] * self._num_circular_buffers
            for index in config.unpack_to_dest_fp32:
                chosen[index] = modes.UnpackToDestFp32
            result.unpack_to_dest_mode = self._ttnn._ttnn.program_descriptor.VectorUnpackToDestMode(chosen)
        return result

    def _circular_buffer(self, cb: CircularBuffer) -> Any:
        if cb.buffer is None:
            return self._ttnn.CBDescriptor(
                total_size=cb.total_size,
                core_ranges=core_range_set(self._ttnn, cb.core_ranges),
                format_descriptors=[self._format(one) for one in cb.format_descriptors],
            )
        tensor = self._tensor_at(cb.buffer.address)
        if tensor is None:
            raise DeviceError(
                f"no tensor of this device lies at L1 address {cb.buffer.address:#x}",
                where=cb.declared_at,
                remedy="keep the tensor beneath a circular buffer while programs that use it run",
            )
        result = self._ttnn.cb_descriptor_from_sharded_tensor(
            cb.indices[0],
            tensor,
            cb.address_offset,
            cb.total_size,
            core_range_set(self._ttnn, cb.core_ranges),
        )
        result.format_descriptors = [self._format(one) for one in cb.format_descriptors]
        return result

    def _format(self, form: CBFormat) -> Any:
        tile = form.tile and self._ttnn.TileDescriptor(form.tile.rows, form.tile.cols)
        result = self._ttnn.CBFormatDescriptor(
            form.buffer_index, dtype_of(self._ttnn, form.data_format), form.page_size, tile
        )
        if form.face_geometry is not None:
            faces = form.face_geometry
            result.face_geometry = self._ttnn.FaceGeometry(faces.face_r_dim, faces.num_faces)
        return result

    def _semaphore(self, semaphore: Semaphore) -> Any:
        return self._ttnn.SemaphoreDescriptor(
            id=semaphore.id,
            core_ranges=core_range_set(self._ttnn, semaphore.core_ranges),
            initial_value=semaphore.initial_value,
        )

    def _core(self, core: CoreCoord) -> Any:
        return self._ttnn.CoreCoord(core.x, core.y)


def _cache_key(program: Program) -> int:
    """For ttnn's cache of programs, whose own key lacks how many arguments each core has: a program that is
    found there and has more would write them past the end.
    """
    counts = tuple(
        tuple((core, len(words)) for core, words in kernel.runtime_args.items()) for kernel in program.kernels
    )
    return hash((program.structure, counts)) & (2**63 - 1)


def dtype_of(ttnn: Any, data_format: DataFormat) -> Any:
    """The ttnn type of a format."""
    return getattr(ttnn, dtype_name(data_format))


def dtype_name(data_format: DataFormat) -> str:
    """What ttnn calls a format; some formats of the chip have no name there.

    >>> dtype_name(DataFormat.Float16_b)
    'bfloat16'
    """
    if data_format not in DTYPES:
        known = ", ".join(one.name for one in DTYPES)
        raise FormatError(f"ttnn has no type for {data_format.name}", remedy=f"choose one of: {known}")
    return DTYPES[data_format]


def core_range_set(ttnn: Any, cores: CoreRangeSet) -> Any:
    return ttnn.CoreRangeSet(
        [
            ttnn.CoreRange(
                ttnn.CoreCoord(core_range.start.x, core_range.start.y),
                ttnn.CoreCoord(core_range.end.x, core_range.end.y),
            )
            for core_range in cores.ranges
        ]
    )
