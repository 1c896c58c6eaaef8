"""Lowered module + tensors + symbols -> Program."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr

from tilesmith.arch import Arch
from tilesmith.compiler.analysis.kernel_signature import (
    ADDRESS,
    COMMON_ARGS,
    CORE_ARGS,
    FIDELITY,
    accessor_name,
    circular_buffers,
    kernels_of,
)
from tilesmith.compiler.analysis.work_partition import CoreArgs, Partition, core_args, extents_of
from tilesmith.compiler.codegen.kernel import line_behind
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.types import TensorType
from tilesmith.compiler.lowering.transfers.multicast import multicast_args, semaphore_names
from tilesmith.errors import BadCallError, InternalFault
from tilesmith.formats import DataFormat
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    ComputeConfig,
    CoreRangeSet,
    Kernel,
    KernelConfig,
    MathFidelity,
    Program,
    ReaderConfig,
    Semaphore,
    SourceType,
    WriterConfig,
)
from tilesmith.program.kernel import FixedArgs
from tilesmith.runtime import Tensor, TensorAccessorArgs

FP32_DEST = "fp32_dest_acc_en"
UNPACK_TO_DEST = "unpack_to_dest_fp32"
_UINT32 = 0xFFFFFFFF


def build_program(
    module: ModuleOp, arch: Arch, tensors: Mapping[str, Tensor], symbols: Mapping[str, int]
) -> Program:
    """The Program of one call.

    Kernels, circular buffers and their sizes come from the module alone; the grid, and with it the cores and
    their arguments, from the symbols; addresses from the tensors.
    """
    kernels = kernels_of(module)
    _check_tensors(kernels[0], tensors)
    cores, per_core = _per_core(module, arch, symbols)
    common = {f"{ADDRESS}{name}": tensor.address for name, tensor in tensors.items()} | dict(symbols)
    return Program(
        kernels=[_kernel(op, cores, per_core, common, tensors) for op in kernels],
        cbs=[_circular_buffer(op, cores) for op in circular_buffers(kernels)],
        semaphores=[
            Semaphore(number, cores, 0, tile.location_of(kernels[0]))
            for number, _ in enumerate(semaphore_names(kernels))
        ],
    )


def _check_tensors(kernel: tt.KernelOp, tensors: Mapping[str, Tensor]) -> None:
    """A tensor that lies otherwise than its kernel was compiled for would be read as something else."""
    for name, value in zip(kernel.arg_names, kernel.body.block.args, strict=False):
        tensor_type, tensor = value.type, tensors.get(name.data)
        if tensor is None or not isinstance(tensor_type, TensorType) or not tensor_type.layout.data:
            continue
        wanted, found = (
            (tensor_type.layout.data, tensor_type.format.data),
            (tensor.layout.name.lower(), tensor.dtype.name),
        )
        if wanted != found:
            raise BadCallError(
                f"{name.data} is {found[0]} {found[1]}; its kernel reads {wanted[0]} {wanted[1]}",
                where=tile.location_of(kernel),
                remedy="put the tensor on the device in the layout and format the kernel's plan names",
            )


def names_in(kernel: tt.KernelOp, attribute: str) -> list[str]:
    """The names an attribute of a kernel lists."""
    listed = kernel.attributes.get(attribute)
    if not isinstance(listed, ArrayAttr):
        return []
    return [name.data for name in listed if isinstance(name, StringAttr)]


def partition_of(module: ModuleOp) -> Partition:
    """How the blocks go to cores."""
    attribute = module.attributes.get("partition")
    if not isinstance(attribute, DictionaryAttr):
        raise InternalFault("the module says nothing about which core does which blocks")
    return Partition.of(attribute)


def _per_core(module: ModuleOp, arch: Arch, symbols: Mapping[str, int]) -> tuple[CoreRangeSet, CoreArgs]:
    partition = partition_of(module)
    cores, args = core_args(partition, extents_of(partition, symbols), arch)
    if partition.strategy == "mesh":
        neighbours = multicast_args(partition, arch)
        args = {core: {**own, **neighbours[core]} for core, own in args.items()}
    return cores, args


def _kernel(
    op: tt.KernelOp,
    cores: CoreRangeSet,
    per_core: CoreArgs,
    common: Mapping[str, int],
    tensors: Mapping[str, Tensor],
) -> Kernel:
    if op.source is None:
        raise InternalFault(f"kernel {op.sym_name.data} has no source yet: codegen-tt has not run")
    core_names = names_in(op, CORE_ARGS)
    words = [
        word
        for accessor in op.body.block.ops
        if isinstance(accessor, tt.AccessorOp)
        for word in TensorAccessorArgs(tensors[accessor_name(accessor)]).get_compile_time_args()
    ]
    return Kernel(
        op.source.data,
        cores,
        _config(op),
        SourceType.SOURCE_CODE,
        compile_time_args=words,
        runtime_args=_runtime_args(core_names, per_core),
        common_runtime_args=[common[name] & _UINT32 for name in names_in(op, COMMON_ARGS)],
        name=op.sym_name.data,
        declared_at=tile.location_of(op),
        written_for=partial(line_behind, op),
    )


def _runtime_args(names: list[str], per_core: CoreArgs) -> FixedArgs:
    """Nobody changes them: what another call has is another program's."""
    if not names:
        return FixedArgs()
    return FixedArgs((core, tuple(args[name] & _UINT32 for name in names)) for core, args in per_core.items())


def _config(op: tt.KernelOp) -> KernelConfig:
    if op.role.data == "reader":
        return ReaderConfig()
    if op.role.data == "writer":
        return WriterConfig()
    fidelity = op.attributes.get(FIDELITY)
    indices = {one.cb_name.data: one.index for one in op.body.block.ops if isinstance(one, tt.CBOp)}
    straight = [indices[name] for name in names_in(op, UNPACK_TO_DEST) if name in indices]
    return ComputeConfig(
        math_fidelity=MathFidelity[fidelity.data] if isinstance(fidelity, StringAttr) else MathFidelity.HiFi4,
        fp32_dest_acc_en=FP32_DEST in op.attributes,
        unpack_to_dest_fp32=tuple(sorted(index.value.data for index in straight if index is not None)),
    )


def _circular_buffer(op: tt.CBOp, cores: CoreRangeSet) -> CircularBuffer:
    assert op.index is not None
    page = op.page_size.value.data
    total = page * op.pages.value.data * op.depth.value.data
    data_format = DataFormat[op.cb.type.buffer.format.data]
    return CircularBuffer(
        total,
        cores,
        CBFormat(op.index.value.data, data_format, page),
        declared_at=tile.location_of(op),
    )
