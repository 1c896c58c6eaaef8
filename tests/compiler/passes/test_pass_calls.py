"""Passes called on kernels: `SplitDeviceKernel()(kernel)`."""

from __future__ import annotations

from functools import cache

import pytest
from tests.compiler import kernels
from tests.compiler.passes.samples import module, names
from tests.compiler.passes.steps import after
from xdsl.dialects.builtin import ModuleOp

import tilesmith
from tilesmith import settings
from tilesmith.compiler.codegen.codegen_tt import CodegenTT
from tilesmith.compiler.dialects.context import compiler_context
from tilesmith.compiler.lowering.build_tile_dfg_tt import BuildTileDFGTT
from tilesmith.compiler.lowering.fit_circular_buffers import FitCircularBuffers
from tilesmith.compiler.lowering.insert_compute_init_tt import InsertComputeInitTT
from tilesmith.compiler.lowering.insert_dst_management_tt import InsertDSTManagementTT
from tilesmith.compiler.lowering.lower_cb_intrinsics import LowerCBIntrinsics
from tilesmith.compiler.lowering.split_device_kernel import SplitDeviceKernel
from tilesmith.compiler.lowering.verify_ttir import VerifyTTIR
from tilesmith.compiler.pass_calls import apply_pipeline
from tilesmith.compiler.pass_group import Pass, leaves, tree
from tilesmith.compiler.pipeline import Choices, pipeline, run
from tilesmith.compiler.transforms.assign_layouts import AssignLayouts
from tilesmith.compiler.transforms.infer_tt_layout import InferTTLayout
from tilesmith.errors import BadCallError, PassOrderError

ROLES = ["reader", "compute", "writer"]
PASSES = [step for step, _ in tree(pipeline(Choices())) if isinstance(step, Pass)]
LEAVES = list(leaves(pipeline(Choices())))


@cache
def finished(name: str) -> ModuleOp:
    return after("codegen-tt", module(name))


def test_a_prim_func_is_split_into_three() -> None:
    split = SplitDeviceKernel()(kernels.scaled(40, 70))
    assert len(split) == 3
    assert [kernel.role for kernel in split.kernels] == ROLES
    assert split[0].attrs["tt.kernel_role"] == "reader"
    assert split.reader.name == "scaled_kernel_reader"


def test_the_dataflow_graph_can_be_read() -> None:
    graph = BuildTileDFGTT()(kernels.scaled(40, 70))[0].attrs["dfg"]
    assert [step["role"] for step in graph] == ["reader", "compute", "writer"]
    assert graph[0]["writes"] == graph[1]["reads"]


def test_a_module_at_the_stage_is_taken_and_left_as_it_is() -> None:
    ready = after("build-tile-dfg-tt", module("gemm"))
    text = str(ready)
    assert [kernel.role for kernel in SplitDeviceKernel()(ready)] == ROLES
    assert str(ready) == text


def test_a_compiled_kernel_keeps_its_choices() -> None:
    compiled = tilesmith.compile(kernels.scaled(40, 70), target="p150", fidelity="LoFi")
    split = SplitDeviceKernel()(compiled)
    assert split.choices.arch == "p150"
    result = CodegenTT()(split)
    assert {kernel.name: kernel.source for kernel in result} == compiled.sources()
    with pytest.raises(BadCallError, match="is for arch 'n300', the kernel was lowered for 'p150'"):
        VerifyTTIR(arch="n300")(split)


def test_a_pass_says_which_chip_it_is_for() -> None:
    assert FitCircularBuffers(arch="p150")(kernels.scaled(40, 70)).choices.arch == "p150"
    with settings.using(arch="blackhole"):
        assert SplitDeviceKernel()(kernels.scaled(40, 70)).choices.arch == "blackhole"


def test_one_kernel_goes_on_alone() -> None:
    split = SplitDeviceKernel()(kernels.scaled(40, 70))
    reader = LowerCBIntrinsics()(split.reader)
    compute = InsertDSTManagementTT()(split.compute)
    assert [kernel.role for kernel in (*reader, *compute)] == ["reader", "compute"]
    assert "tt.cb_push_back" in str(reader)
    assert "tt_compute.acquire" in str(compute)


def test_passes_run_in_the_order_of_the_pipeline() -> None:
    chosen = [SplitDeviceKernel(), LowerCBIntrinsics(), InsertDSTManagementTT(), InsertComputeInitTT()]
    result = apply_pipeline(kernels.scaled(40, 70), chosen)
    assert "tt_dataflow.read_barrier" in str(result.reader)
    assert "tt_compute.acquire" in str(result.compute)
    whole = apply_pipeline(kernels.scaled(40, 70), [step for step in PASSES if isinstance(step, CodegenTT)])
    assert all("kernel_main" in kernel.source for kernel in whole)


@pytest.mark.parametrize("name", names())
def test_every_pass_takes_a_module_at_its_stage(name: str) -> None:
    """A pass that is called gives what it gives in the pipeline, groups too; the verifier takes each."""
    now, called = module(name), {}
    for leaf in LEAVES:
        for step in PASSES:
            if next(leaves((step,))).name == leaf.name:
                called[step.name] = str(step(now).module)
        run(compiler_context(), now, (leaf,))
        for step in PASSES:
            if list(leaves((step,)))[-1].name == leaf.name:
                assert called.pop(step.name) == str(now), step.name
    assert not called


@pytest.mark.parametrize("step", PASSES, ids=lambda step: step.name)
def test_every_pass_takes_a_prim_func(step: Pass) -> None:
    assert len(step(kernels.scaled(40, 70))) in (1, 3)


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("step", PASSES, ids=lambda step: step.name)
def test_a_module_past_the_pass_is_refused(step: Pass, name: str) -> None:
    with pytest.raises(PassOrderError, match=f"^{step.name} cannot run on this module: .* already has"):
        step(finished(name))


@pytest.mark.parametrize("step", PASSES, ids=lambda step: step.name)
def test_a_module_that_is_not_ready_is_refused(step: Pass) -> None:
    if next(leaves((step,))) in LEAVES[: LEAVES.index(AssignLayouts()) + 1]:
        assert step(module("add"))
        return
    with pytest.raises(PassOrderError, match=f"^{step.name} cannot run .*: assign-layouts has not"):
        step(module("add"))


def test_a_result_past_a_pass_is_refused() -> None:
    split = SplitDeviceKernel()(kernels.scaled(40, 70))
    with pytest.raises(PassOrderError, match=r"infer-tt-layout .*: split-device-kernel already has"):
        InferTTLayout()(split)


def test_there_is_no_role_before_the_split() -> None:
    whole = BuildTileDFGTT()(kernels.scaled(40, 70))
    assert [kernel.role for kernel in whole] == [""]
    with pytest.raises(BadCallError, match="no reader kernel after build-tile-dfg-tt"):
        assert whole.reader
