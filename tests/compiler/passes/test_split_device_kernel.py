"""Three kernels from one: who keeps what."""

from __future__ import annotations

import pytest
from tests.compiler.passes.conftest import Golden
from tests.compiler.passes.samples import module
from tests.compiler.passes.sketch import Sketch, outline
from tests.compiler.passes.steps import after

from tilesmith.compiler.analysis.roles import set_role
from tilesmith.compiler.dialects import tt
from tilesmith.compiler.dialects.context import compiler_context
from tilesmith.compiler.lowering.build_tile_dfg_tt import BuildTileDFGTT
from tilesmith.compiler.lowering.lower_shared_to_cb import LowerSharedToCB
from tilesmith.compiler.lowering.split_device_kernel import SplitDeviceKernel
from tilesmith.compiler.pipeline import run
from tilesmith.errors import InternalFault


def split(s: Sketch) -> dict[str, list[str]]:
    """What each kernel of a sketch does."""
    run(compiler_context(), s.module, (LowerSharedToCB(), SplitDeviceKernel()))
    kernels = [op for op in s.module.ops if isinstance(op, tt.KernelOp)]
    return {
        kernel.role.data: [line.strip() for line in outline(kernel).splitlines() if not line.startswith("cb")]
        for kernel in kernels
    }


@pytest.mark.parametrize("name", ["add", "gemm"])
def test_samples(name: str, golden: Golden) -> None:
    golden(outline(after("split-device-kernel", module(name))), "txt")


@pytest.mark.parametrize("name", ["add", "gemm"])
def test_the_graph_of_samples(name: str, golden: Golden) -> None:
    func = next(iter(after("build-tile-dfg-tt", module(name)).ops))
    golden("\n".join(str(node) for node in func.attributes["dfg"]))


def test_each_kernel_keeps_its_own_steps() -> None:
    s = Sketch("X", "Y")
    s.load("X")
    s.map(["X"], "Y")
    s.store("Y")
    assert split(s) == {
        "reader": ["load T X (reader)"],
        "compute": ["map X Y (compute)", "release X"],
        "writer": ["store Y U (writer)", "release Y"],
    }


def test_a_kernel_with_nothing_to_do_is_empty() -> None:
    s = Sketch("X")
    with s.loop():
        s.load("X")
        s.store("X")
    assert split(s)["compute"] == []


def test_loops_and_branches_stay_where_something_happens_in_them() -> None:
    s = Sketch("X", "Y")
    s.load("X")
    with s.loop(), s.branch():
        s.map(["X"], "X")
    s.map(["X"], "Y")
    s.store("Y")
    kernels = split(s)
    assert kernels["reader"] == ["load T X_in (reader)"]
    assert kernels["compute"][2:5] == ["for", "if", "map X X (compute)"]
    assert kernels["writer"] == ["store Y U (writer)", "release Y"]


def test_variables_stay_where_something_depends_on_them() -> None:
    s = Sketch("X")
    with s.while_loop(s.var("going")):
        s.load("X")
    s.store("X")
    kernels = split(s)
    assert kernels["reader"] == ["undef X", "var_of", "while", "load T X (reader)", "set"]
    assert kernels["writer"] == ["var_of", "while", "release X", "set", "store X U (writer)", "release X"]
    assert kernels["compute"] == []


def test_a_number_from_memory_is_sent_to_the_kernels_that_need_it() -> None:
    s = Sketch("X", "Y")
    with s.loop(s.read_number()):
        s.load("X")
        s.map(["X"], "Y")
        s.store("Y")
    kernels = split(s)
    assert kernels["reader"] == [
        "read T (reader)",
        "send scalar0_compute",
        "send scalar0_writer",
        "for",
        "load T X (reader)",
    ]
    assert kernels["compute"] == ["receive scalar0_compute", "for", "map X Y (compute)", "release X"]
    assert kernels["writer"] == ["receive scalar0_writer", "for", "store Y U (writer)", "release Y"]


def test_a_number_nobody_else_needs_is_not_sent() -> None:
    s = Sketch("X")
    with s.loop(s.read_number()):
        s.load("X")
    s.load("X")
    s.store("X")
    assert "send" not in " ".join(split(s)["reader"])


def test_every_kernel_declares_every_circular_buffer_alike() -> None:
    s = Sketch("X", "Y")
    with s.loop(s.read_number()):
        s.load("X")
        s.map(["X"], "Y")
        s.store("Y")
    split(s)
    declared = [
        [
            (op.cb_name.data, op.index.value.data if op.index is not None else None)
            for op in kernel.body.block.ops
            if isinstance(op, tt.CBOp)
        ]
        for kernel in s.module.ops
        if isinstance(kernel, tt.KernelOp)
    ]
    assert declared[0] == [("X", 0), ("Y", 1), ("scalar0_compute", 2), ("scalar0_writer", 3)]
    assert declared[0] == declared[1] == declared[2]


def test_a_step_of_the_wrong_role_is_an_internal_fault() -> None:
    s = Sketch("X")
    s.load("X")
    store = s.store("X")
    run(compiler_context(), s.module, (LowerSharedToCB(),))
    set_role(store, "compute")
    with pytest.raises(
        InternalFault, match=r"buffer X is drained by the writer, but the compute reads it in tile\.store"
    ):
        run(compiler_context(), s.module, (BuildTileDFGTT(),))


def test_a_step_that_fills_for_another_role_is_an_internal_fault() -> None:
    s = Sketch("X")
    load = s.load("X")
    s.store("X")
    run(compiler_context(), s.module, (LowerSharedToCB(),))
    set_role(load, "writer")
    with pytest.raises(
        InternalFault, match=r"buffer X is filled by the reader, but the writer writes it in tile\.load"
    ):
        run(compiler_context(), s.module, (BuildTileDFGTT(),))
