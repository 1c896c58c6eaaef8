"""plan.json: what runs where, on which buffers, with which arguments. Its schema is plan.schema.json."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from tilesmith.arch import Arch
from tilesmith.compiler.analysis.kernel_signature import COMMON_ARGS, CORE_ARGS, circular_buffers, kernels_of
from tilesmith.compiler.codegen.program import names_in, partition_of
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.tt_dataflow import MulticastSendOp
from tilesmith.compiler.dialects.types import TensorType
from tilesmith.compiler.dialects.walk import operations_of
from tilesmith.compiler.lowering.transfers.multicast import SEMAPHORES, semaphore_names
from tilesmith.program import ComputeConfig, CoreRangeSet, Kernel, Program

VERSION = 1
Plan = dict[str, Any]


def plan_of(module: ModuleOp, arch: Arch, program: Program) -> Plan:
    """The plan of a lowered module and the Program made of it, ready for `json.dumps`."""
    kernels = kernels_of(module)
    return {
        "version": VERSION,
        "chip": {"name": arch.name, "product": arch.product, "grid": list(arch.grid)},
        "partition": _partition(module),
        "cores": _ranges(program.kernels[0].core_ranges),
        "tensors": _tensors(kernels),
        "circular_buffers": [_circular_buffer(op) for op in circular_buffers(kernels)],
        "kernels": [_kernel(op, made) for op, made in zip(kernels, program.kernels, strict=True)],
        "semaphores": [
            {"id": number, "name": name, "initial_value": 0}
            for number, name in enumerate(semaphore_names(kernels))
        ],
        "multicast": [_multicast(op) for op in operations_of(module, MulticastSendOp)],
    }


@cache
def schema() -> Plan:
    """The JSON schema that every plan follows."""
    text = Path(__file__).with_name("plan.schema.json").read_text(encoding="utf-8")
    loaded: Plan = json.loads(text)
    return loaded


def _partition(module: ModuleOp) -> Plan:
    partition = partition_of(module)
    mesh = {"columns": partition.columns, "rows": partition.rows} if partition.strategy == "mesh" else {}
    return {"kind": partition.strategy, "extents": list(partition.extents), **mesh}


def _ranges(cores: CoreRangeSet) -> list[Plan]:
    return [{"start": list(one.start), "end": list(one.end)} for one in cores.ranges]


def _tensors(kernels: list[tt.KernelOp]) -> list[Plan]:
    """Parameters by name; the layout and format of one no kernel touches are null."""
    first = kernels[0]
    return [
        {
            "name": name.data,
            "shape": list(tensor_type.dims),
            "element_type": str(tensor_type.element_type),
            "layout": tensor_type.layout.data or None,
            "format": tensor_type.format.data or None,
        }
        for name, value in zip(first.arg_names, first.body.block.args, strict=False)
        if isinstance(tensor_type := value.type, TensorType)
    ]


def _circular_buffer(op: tt.CBOp) -> Plan:
    assert op.index is not None
    buffer_type = op.cb.type.buffer
    page, pages, depth = op.page_size.value.data, op.pages.value.data, op.depth.value.data
    return {
        "index": op.index.value.data,
        "name": op.cb_name.data,
        "shape": list(buffer_type.dims),
        "layout": buffer_type.layout.data,
        "format": buffer_type.format.data,
        "page_size": page,
        "pages": pages,
        "depth": depth,
        "bytes": page * pages * depth,
        "producer": op.producer.data,
        "consumer": op.consumer.data,
        "declared_at": tile.location_of(op),
    }


def _kernel(op: tt.KernelOp, kernel: Kernel) -> Plan:
    config = kernel.config
    compute = (
        {
            "math_fidelity": config.math_fidelity.name,
            "fp32_dest_acc_en": config.fp32_dest_acc_en,
            "unpack_to_dest_fp32": list(config.unpack_to_dest_fp32),
        }
        if isinstance(config, ComputeConfig)
        else {}
    )
    return {
        "name": op.sym_name.data,
        "role": op.role.data,
        "processor": config.risc,
        "compile_time_args": list(kernel.compile_time_args),
        "common_args": names_in(op, COMMON_ARGS),
        "core_args": names_in(op, CORE_ARGS),
        "semaphores": names_in(op, SEMAPHORES),
        **compute,
    }


def _multicast(op: MulticastSendOp) -> Plan:
    declared = op.cb.owner
    assert isinstance(declared, tt.CBOp)
    return {
        "buffer": declared.cb_name.data,
        "along": op.along.data,
        "receivers": op.receivers.value.data,
    }
