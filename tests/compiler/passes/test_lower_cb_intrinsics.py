"""Calls on circular buffers around the steps, and no more of them than needed."""

from __future__ import annotations

import pytest
from tests.compiler.passes.conftest import Golden
from tests.compiler.passes.samples import module
from tests.compiler.passes.sketch import Sketch, outline
from tests.compiler.passes.steps import after

from tilesmith.compiler.dialects import tt
from tilesmith.compiler.dialects.context import compiler_context
from tilesmith.compiler.lowering.lower_cb_intrinsics import LowerCBIntrinsics
from tilesmith.compiler.lowering.lower_shared_to_cb import LowerSharedToCB
from tilesmith.compiler.lowering.lower_tt_tile_intrinsics import LowerTTTileIntrinsics
from tilesmith.compiler.lowering.split_device_kernel import SplitDeviceKernel
from tilesmith.compiler.pipeline import run
from tilesmith.compiler.transforms.attach_tensor_accessor_tt import AttachTensorAccessorTT

PASSES = (
    AttachTensorAccessorTT(),
    LowerSharedToCB(),
    LowerTTTileIntrinsics(),
    SplitDeviceKernel(),
    LowerCBIntrinsics(),
)


def calls(s: Sketch, role: str) -> list[str]:
    """The calls on circular buffers, and control flow, of one kernel of a sketch."""
    run(compiler_context(), s.module, PASSES)
    kernel = next(op for op in s.module.ops if isinstance(op, tt.KernelOp) and op.role.data == role)
    lines = (line.strip() for line in outline(kernel).splitlines())
    return [line.removeprefix("cb_") for line in lines if line.startswith(("cb_", "for", "if", "else"))]


@pytest.mark.parametrize("name", ["add", "gemm"])
def test_samples(name: str, golden: Golden) -> None:
    """The stages and calls of every kernel; what the stages do inside is tested elsewhere."""
    lines = outline(after("lower-cb-intrinsics", module(name))).splitlines()
    words = (f"{name}_", "stage", "cb_")
    golden("\n".join(line for line in lines if line.lstrip().startswith(words)), "txt")


def test_who_fills_reserves_and_pushes() -> None:
    s = Sketch("X")
    s.load("X")
    s.store("X")
    assert [line for line in calls(s, "reader") if "X" in line] == ["reserve_back X", "push_back X"]


def test_who_drains_waits_and_pops() -> None:
    s = Sketch("X")
    s.load("X")
    s.store("X")
    assert [line for line in calls(s, "writer") if "X" in line] == ["wait_front X", "pop_front X"]


def test_a_second_use_does_not_wait_again() -> None:
    s = Sketch("X")
    s.load("X")
    s.store("X")
    s.store("X")
    assert [line for line in calls(s, "writer") if "X" in line] == ["wait_front X", "pop_front X"]


def test_a_version_nobody_used_on_this_way_is_waited_for_and_popped() -> None:
    s = Sketch("X")
    s.load("X")
    with s.branch():
        s.store("X")
    writer = [line for line in calls(s, "writer") if "X" in line or line == "else"]
    assert writer == ["wait_front X", "pop_front X", "else", "wait_front X", "pop_front X"]


def test_a_loop_does_not_wait_for_what_was_waited_for_before_it() -> None:
    s = Sketch("X")
    s.load("X")
    s.store("X")
    with s.loop():
        s.store("X")
    assert [line for line in calls(s, "writer") if "X" in line] == ["wait_front X", "pop_front X"]


def test_a_loop_waits_for_what_its_rounds_replace() -> None:
    s = Sketch("X")
    s.load("X")
    s.store("X")
    with s.loop():
        s.store("X")
        s.load("X")
    writer = [line for line in calls(s, "writer") if "X" in line]
    assert writer == ["wait_front X", "wait_front X", "pop_front X", "wait_front X", "pop_front X"]


def test_what_one_branch_waited_for_is_waited_for_after_both() -> None:
    s = Sketch("X")
    s.load("X")
    with s.branch():
        s.store("X")
    s.store("X")
    assert [line for line in calls(s, "writer") if "X" in line] == [
        "wait_front X",
        "wait_front X",
        "pop_front X",
    ]


def test_a_version_that_must_exist_is_pushed_unwritten() -> None:
    s = Sketch("X")
    with s.branch():
        s.load("X")
    s.store("X")
    reader = [line for line in calls(s, "reader") if "X" in line]
    assert reader == ["reserve_back X", "push_back X", "reserve_back X", "push_back X"]


def test_a_number_read_from_a_buffer_is_waited_for() -> None:
    s = Sketch("X", "Y")
    s.load("X")
    with s.loop(s.read_number("X")):
        s.load("Y")
        s.store("Y")
    reader = [line for line in calls(s, "reader") if "X" in line]
    assert reader == ["reserve_back X", "push_back X", "wait_front X", "pop_front X"]
