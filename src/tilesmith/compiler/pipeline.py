"""The whole lowering: one line per pass."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tilesmith.compiler.choices import Choices
from tilesmith.compiler.codegen.codegen_tt import CodegenTT
from tilesmith.compiler.dialects.context import compiler_context
from tilesmith.compiler.lowering.build_tile_dfg_tt import BuildTileDFGTT
from tilesmith.compiler.lowering.configure_tensor_accessor_tt import ConfigureTensorAccessorTT
from tilesmith.compiler.lowering.finalize_persistent_signature_tt import FinalizePersistentSignatureTT
from tilesmith.compiler.lowering.fit_circular_buffers import FitCircularBuffers
from tilesmith.compiler.lowering.gather_row_major import GatherRowMajor
from tilesmith.compiler.lowering.insert_compute_init_tt import InsertComputeInitTT
from tilesmith.compiler.lowering.insert_dst_management_tt import InsertDSTManagementTT
from tilesmith.compiler.lowering.lower_cb_intrinsics import LowerCBIntrinsics
from tilesmith.compiler.lowering.lower_shared_to_cb import LowerSharedToCB
from tilesmith.compiler.lowering.lower_tt_tile_intrinsics import LowerTTTileIntrinsics
from tilesmith.compiler.lowering.pipeline_stores import PipelineStores
from tilesmith.compiler.lowering.share_circular_buffers import ShareCircularBuffers
from tilesmith.compiler.lowering.simplify_scalars import SimplifyScalars
from tilesmith.compiler.lowering.split_device_kernel import SplitDeviceKernel
from tilesmith.compiler.lowering.validate_split_kernels import ValidateSplitKernels
from tilesmith.compiler.lowering.verify_ttir import VerifyTTIR
from tilesmith.compiler.pass_group import PassGroup
from tilesmith.compiler.transforms.attach_tensor_accessor_tt import AttachTensorAccessorTT
from tilesmith.compiler.transforms.grid_to_core_grid import GridToCoreGrid
from tilesmith.compiler.transforms.infer_tt_layout import InferTTLayout
from tilesmith.compiler.transforms.layout_aware_work_partition_tt import LayoutAwareWorkPartitionTT
from tilesmith.compiler.transforms.propagate_tt_layout import PropagateTTLayout
from tilesmith.settings import current

__all__ = ["Choices", "Observer", "lower", "pipeline", "run"]

Observer = Callable[[str, ModuleOp], None]


def pipeline(choices: Choices) -> tuple[ModulePass, ...]:
    """Every pass, in order."""
    return (
        InferTTLayout(
            formats=choices.formats,
            arch="" if choices.keeps_blocks else choices.arch,
            fidelity=choices.fidelity,
        ),
        GatherRowMajor(),
        PropagateTTLayout(arch=choices.arch),
        AttachTensorAccessorTT(),
        LayoutAwareWorkPartitionTT(arch=choices.arch),
        GridToCoreGrid(),
        LowerSharedToCB(),
        LowerTTTileIntrinsics(approximate=choices.approximate, fidelity=choices.fidelity),
        ShareCircularBuffers(arch=choices.arch),
        BuildTileDFGTT(),
        SplitDeviceKernel(),
        ConfigureTensorAccessorTT(),
        LowerCBIntrinsics(arch=choices.arch),
        SimplifyScalars(),
        InsertComputeInitTT(),
        InsertDSTManagementTT(),
        ValidateSplitKernels(),
        PipelineStores(),
        FinalizePersistentSignatureTT(fidelity=choices.fidelity),
        FitCircularBuffers(arch=choices.arch),
        VerifyTTIR(arch=choices.arch),
        CodegenTT(),
    )


def lower(
    module: ModuleOp,
    choices: Choices = Choices(),  # noqa: B008 - frozen
    observe: Observer | None = None,
) -> None:
    """Run every pass on the module, in place; `observe` sees each name, and the module after that pass."""
    verifies_result = current().verify_ir != "start"
    run(compiler_context(), module, pipeline(choices), observe, verifies_result)


def run(
    context: Context,
    module: ModuleOp,
    passes: tuple[ModulePass, ...],
    observe: Observer | None = None,
    verifies_result: bool = True,
) -> None:
    """Run the passes given. The verifier runs before, after unless told not to, and on request after each."""
    each = current().verify_ir == "each"
    module.verify()
    for step in passes:
        _apply(context, module, step, observe)
        if each or (verifies_result and step is passes[-1]):
            module.verify()


def _apply(context: Context, module: ModuleOp, step: ModulePass, observe: Observer | None) -> None:
    """One pass, or those of a group one by one; the group's name is told after the last of them."""
    if isinstance(step, PassGroup):
        for inner in step.passes:
            _apply(context, module, inner, observe)
    else:
        step.apply(context, module)
    if observe is not None:
        observe(step.name, module)
