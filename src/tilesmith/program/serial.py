"""Program to JSON and back, exactly. The schema has a version; unknown versions and fields are refused."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tilesmith.arch.cores import CoreCoord, CoreRange, CoreRangeSet
from tilesmith.errors import ProgramError
from tilesmith.formats import DataFormat, TileShape
from tilesmith.program.bindings import KernelBindings, ScratchpadBinding, TensorBinding
from tilesmith.program.circular_buffer import BufferView, CBFormat, CircularBuffer, FaceGeometry
from tilesmith.program.kernel import (
    ComputeConfig,
    DataMovementConfig,
    Kernel,
    KernelConfig,
    MathFidelity,
    Processor,
    SourceType,
)
from tilesmith.program.program import Program, Semaphore

SCHEMA = 1


def program_to_json(program: Program, indent: int | None = None) -> str:
    document = {
        "schema": SCHEMA,
        "kernels": [_kernel_out(kernel) for kernel in program.kernels],
        "cbs": [_cb_out(cb) for cb in program.cbs],
        "semaphores": [_semaphore_out(one) for one in program.semaphores],
    }
    return json.dumps(document, indent=indent)


def program_from_json(text: str) -> Program:
    try:
        document = json.loads(text)
        if document.get("schema") != SCHEMA:
            raise ProgramError(
                f"this JSON has schema {document.get('schema')!r}",
                remedy=f"write it again with Program.to_json(); this version reads schema {SCHEMA}",
            )
        return Program(
            [_kernel_in(item) for item in document["kernels"]],
            [_cb_in(item) for item in document["cbs"]],
            [_semaphore_in(item) for item in document["semaphores"]],
        )
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise ProgramError(
            f"this JSON is not a Program: {type(problem).__name__}: {problem}",
            remedy="write it with Program.to_json()",
        ) from problem


def _kernel_out(kernel: Kernel) -> dict[str, Any]:
    return {
        "kernel_source": kernel.kernel_source,
        "source_type": kernel.source_type.value,
        "core_ranges": _cores_out(kernel.core_ranges),
        "config": _config_out(kernel.config),
        "compile_time_args": [int(value) for value in kernel.compile_time_args],
        "named_compile_time_args": [[name, int(value)] for name, value in kernel.named_compile_time_args],
        "defines": [list(pair) for pair in kernel.defines],
        "runtime_args": [[list(core), [int(v) for v in args]] for core, args in kernel.runtime_args.items()],
        "common_runtime_args": [int(value) for value in kernel.common_runtime_args],
        "compiler_include_paths": list(kernel.compiler_include_paths),
        "bindings": _bindings_out(kernel.bindings),
        "name": kernel.name,
        "declared_at": kernel.declared_at,
    }


def _kernel_in(item: Mapping[str, Any]) -> Kernel:
    fields = dict(item)
    fields["core_ranges"] = _cores_in(item["core_ranges"])
    fields["config"] = _config_in(item["config"])
    fields["source_type"] = SourceType(item["source_type"])
    fields["named_compile_time_args"] = [(name, value) for name, value in item["named_compile_time_args"]]
    fields["defines"] = [(name, value) for name, value in item["defines"]]
    fields["runtime_args"] = {CoreCoord(*core): tuple(args) for core, args in item["runtime_args"]}
    # Programs written before there were named bindings have none.
    fields["bindings"] = _bindings_in(item.get("bindings"))
    return Kernel(**fields)


def _bindings_out(bindings: KernelBindings | None) -> dict[str, Any] | None:
    return None if bindings is None else dict(vars(bindings))


def _bindings_in(item: Mapping[str, Any] | None) -> KernelBindings | None:
    if item is None:
        return None
    fields = dict(item)
    for name in ("runtime_args", "common_runtime_args"):
        fields[name] = tuple(item[name])
    for name in ("dataflow_buffers", "semaphores"):
        fields[name] = tuple((key, value) for key, value in item[name])
    fields["tensors"] = tuple(TensorBinding(*one) for one in item["tensors"])
    fields["tensor_sequences"] = tuple((name, tuple(each)) for name, each in item["tensor_sequences"])
    fields["scratchpads"] = tuple(ScratchpadBinding(*one) for one in item["scratchpads"])
    return KernelBindings(**fields)


def _config_out(config: KernelConfig) -> dict[str, Any]:
    if isinstance(config, DataMovementConfig):
        return {"kind": "data_movement", "processor": config.processor.name, "noc": config.noc}
    fields = dict(vars(config))
    fields["math_fidelity"] = config.math_fidelity.name
    fields["unpack_to_dest_fp32"] = list(config.unpack_to_dest_fp32)
    return {"kind": "compute", **fields}


def _config_in(item: Mapping[str, Any]) -> KernelConfig:
    fields = dict(item)
    config_type = fields.pop("kind")
    if config_type == "data_movement":
        return DataMovementConfig(Processor[fields["processor"]], fields["noc"])
    if config_type != "compute":
        raise ValueError(f"no kernel configuration is of kind {config_type!r}")
    fields["math_fidelity"] = MathFidelity[fields["math_fidelity"]]
    fields["unpack_to_dest_fp32"] = tuple(fields["unpack_to_dest_fp32"])
    return ComputeConfig(**fields)


def _cb_out(cb: CircularBuffer) -> dict[str, Any]:
    return {
        "total_size": cb.total_size,
        "core_ranges": _cores_out(cb.core_ranges),
        "format_descriptors": [_format_out(one) for one in cb.format_descriptors],
        "buffer": _buffer_out(cb.buffer) if cb.buffer is not None else None,
        "address_offset": cb.address_offset,
        "declared_at": cb.declared_at,
    }


def _cb_in(item: Mapping[str, Any]) -> CircularBuffer:
    fields = dict(item)
    fields["core_ranges"] = _cores_in(item["core_ranges"])
    fields["format_descriptors"] = [_format_in(one) for one in item["format_descriptors"]]
    fields["buffer"] = _buffer_in(item["buffer"]) if item["buffer"] is not None else None
    return CircularBuffer(**fields)


def _format_out(cbformat: CBFormat) -> dict[str, Any]:
    tile = [cbformat.tile.rows, cbformat.tile.cols] if cbformat.tile is not None else None
    written: dict[str, Any] = {
        "buffer_index": cbformat.buffer_index,
        "data_format": cbformat.data_format.name,
        "page_size": cbformat.page_size,
        "tile": tile,
    }
    if cbformat.face_geometry is not None:
        written["face_geometry"] = asdict(cbformat.face_geometry)
    return written


def _format_in(item: Mapping[str, Any]) -> CBFormat:
    tile = TileShape(*item["tile"]) if item["tile"] is not None else None
    faces = item.get("face_geometry")
    geometry = FaceGeometry(**faces) if faces is not None else None
    return CBFormat(item["buffer_index"], DataFormat[item["data_format"]], item["page_size"], tile, geometry)


def _buffer_out(buffer: BufferView) -> dict[str, Any]:
    return {
        "address": buffer.address,
        "size_per_bank": buffer.size_per_bank,
        "cores": _cores_out(buffer.cores),
    }


def _buffer_in(item: Mapping[str, Any]) -> BufferView:
    return BufferView(item["address"], item["size_per_bank"], _cores_in(item["cores"]))


def _semaphore_out(semaphore: Semaphore) -> dict[str, Any]:
    return {
        "id": semaphore.id,
        "core_ranges": _cores_out(semaphore.core_ranges),
        "initial_value": semaphore.initial_value,
        "declared_at": semaphore.declared_at,
    }


def _semaphore_in(item: Mapping[str, Any]) -> Semaphore:
    return Semaphore(**{**item, "core_ranges": _cores_in(item["core_ranges"])})


def _cores_out(cores: CoreRangeSet) -> list[list[list[int]]]:
    return [[list(one.start), list(one.end)] for one in cores.ranges]


def _cores_in(items: Sequence[Sequence[Sequence[int]]]) -> CoreRangeSet:
    return CoreRangeSet(CoreRange(CoreCoord(*start), CoreCoord(*end)) for start, end in items)
