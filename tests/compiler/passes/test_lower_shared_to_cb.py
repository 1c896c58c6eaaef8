"""Roles, circular buffers between them, and where versions end."""

from __future__ import annotations

import pytest
from tests.compiler.passes.conftest import Golden
from tests.compiler.passes.samples import module
from tests.compiler.passes.sketch import Sketch, outline
from xdsl.dialects.builtin import StringAttr

from tilesmith.compiler.dialects import tile
from tilesmith.compiler.dialects.context import compiler_context
from tilesmith.compiler.lowering.lower_shared_to_cb import LowerSharedToCB
from tilesmith.compiler.pipeline import run
from tilesmith.compiler.transforms.attach_tensor_accessor_tt import AttachTensorAccessorTT
from tilesmith.compiler.transforms.grid_to_core_grid import GridToCoreGrid
from tilesmith.compiler.transforms.infer_tt_layout import InferTTLayout
from tilesmith.compiler.transforms.layout_aware_work_partition_tt import LayoutAwareWorkPartitionTT
from tilesmith.compiler.transforms.propagate_tt_layout import PropagateTTLayout


def lowered(s: Sketch) -> list[str]:
    """The outline of a sketch after the pass."""
    run(compiler_context(), s.module, (LowerSharedToCB(),))
    return [line.strip() for line in outline(s.func).splitlines()]


def buffers(s: Sketch) -> list[str]:
    return [line.removeprefix("cb ") for line in lowered(s) if line.startswith("cb ")]


@pytest.mark.parametrize("name", ["add", "gemm", "softmax"])
def test_samples(name: str, golden: Golden) -> None:
    sample = module(name)
    before = (InferTTLayout(), PropagateTTLayout(), AttachTensorAccessorTT(), LayoutAwareWorkPartitionTT())
    run(compiler_context(), sample, (*before, GridToCoreGrid(), LowerSharedToCB()))
    golden(str(sample))


# ---- which circular buffers ----


def test_one_role_writes_and_one_reads() -> None:
    s = Sketch("X", "Y")
    s.load("X")
    s.map(["X"], "Y")
    s.store("Y")
    assert buffers(s) == ["X: reader -> compute", "Y: compute -> writer"]


def test_what_is_loaded_and_stored_never_meets_compute() -> None:
    s = Sketch("X")
    s.load("X")
    s.store("X")
    assert buffers(s) == ["X: reader -> writer"]


def test_what_compute_changes_after_a_load_has_its_home_there() -> None:
    s = Sketch("X")
    s.load("X")
    s.clean("X")
    s.store("X")
    assert lowered(s) == [
        "cb X: compute -> compute",
        "cb X_in: reader -> compute",
        "cb X_out: compute -> writer",
        "load T X_in (reader)",
        "copy X_in X (compute)",
        "release X_in",
        "clean X (compute)",
        "copy X X_out (compute)",
        "release X",
        "store X_out U (writer)",
        "release X_out",
    ]


def test_a_loaded_buffer_for_two_roles_is_copied_by_the_reader() -> None:
    s = Sketch("X", "Y")
    s.load("X")
    s.map(["X"], "Y")
    s.store("Y")
    s.store("X")
    assert lowered(s)[:6] == [
        "cb X: reader -> reader",
        "cb X_out: reader -> compute",
        "cb X_out2: reader -> writer",
        "cb Y: compute -> writer",
        "load T X (reader)",
        "copy X X_out (reader)",
    ]


def test_scalar_code_that_changes_a_part_at_home_in_compute_hands_it_in_again() -> None:
    s = Sketch("X", "Y")
    s.load("Y")
    s.map(["Y"], "X")
    s.scalar(["X"], ["X"])
    s.clean("X")
    s.map(["X"], "X")
    s.store("X")
    assert lowered(s)[:-5] == [
        "cb X: compute -> compute",
        "cb X_out: compute -> reader",
        "cb X_own: reader -> reader",
        "cb X_in: reader -> compute",
        "cb X_2: compute -> writer",
        "cb Y: reader -> compute",
        "load T Y (reader)",
        "map Y X_out (compute)",
        "release Y",
        "copy X_out X_own (reader)",
        "release X_out",
        "scalar X_own X_own (reader)",
        "copy X_own X_in (reader)",
        "release X_own",
        "copy X_in X (compute)",
        "release X_in",
    ]


def test_a_buffer_of_scalar_code_alone_stays_with_the_reader() -> None:
    s = Sketch("X")
    s.load("X")
    s.scalar(["X"], ["X"])
    s.scalar(["X", "U"], ["U"])
    s.load("X", "U")
    s.scalar(["X"], ["U"])
    assert buffers(s) == ["X: reader -> reader"]


def test_a_buffer_used_again_for_something_else_is_two() -> None:
    s = Sketch("X")
    s.load("X")
    s.map(["X"], "X")
    s.store("X")
    assert lowered(s) == [
        "cb X: reader -> compute",
        "cb X_2: compute -> writer",
        "load T X (reader)",
        "map X X_2 (compute)",
        "release X",
        "store X_2 U (writer)",
        "release X_2",
    ]


def test_a_buffer_that_a_loop_carries_around_is_one() -> None:
    s = Sketch("X")
    s.load("X")
    with s.loop():
        s.map(["X"], "X")
    s.store("X")
    assert buffers(s) == ["X: compute -> compute", "X_in: reader -> compute", "X_out: compute -> writer"]


def test_buffers_of_one_name_become_circular_buffers_of_two() -> None:
    s = Sketch("X", "Y")
    owner = s.buffers["Y"].owner
    assert isinstance(owner, tile.AllocOp)
    owner.buffer_name = StringAttr("X")
    s.load("X")
    s.map(["X"], "Y")
    s.store("Y")
    assert buffers(s) == ["X: reader -> compute", "X_2: compute -> writer"]


# ---- roles ----


def test_a_tensor_read_and_written_is_left_to_the_reader() -> None:
    s = Sketch("X")
    s.load("X", "U")
    s.store("X", "U")
    assert lowered(s) == [
        "cb X: reader -> reader",
        "load U X (reader)",
        "store X U (reader)",
        "release X",
    ]


def test_scalar_code_that_only_writes_tensors_is_left_to_the_writer() -> None:
    s = Sketch("X")
    s.load("X")
    s.scalar(["X"], ["U"])
    assert "scalar X U (writer)" in lowered(s)


def test_all_writes_of_a_tensor_are_in_one_role() -> None:
    s = Sketch("X", "Y")
    s.load("X")
    s.scalar(["X"], ["U", "Y"])
    s.store("Y", "U")
    assert lowered(s)[-2] == "store Y U (reader)"


# ---- versions ----


def test_a_branch_that_does_not_use_a_version_releases_it() -> None:
    s = Sketch("X")
    s.load("X")
    with s.branch():
        s.store("X")
    assert lowered(s) == [
        "cb X: reader -> writer",
        "load T X (reader)",
        "if",
        "store X U (writer)",
        "release X",
        "else",
        "release X",
    ]


def test_a_value_for_the_next_round_is_released_after_the_last() -> None:
    s = Sketch("X")
    s.load("X")
    with s.loop():
        s.store("X")
        s.load("X")
    assert lowered(s) == [
        "cb X: reader -> writer",
        "load T X (reader)",
        "for",
        "store X U (writer)",
        "release X",
        "load T X (reader)",
        "release X",
    ]


def test_a_loop_that_redefines_a_version_releases_the_old_one_first() -> None:
    s = Sketch("X")
    s.load("X")
    with s.loop():
        s.load("X")
    s.store("X")
    assert lowered(s)[1:] == [
        "load T X (reader)",
        "for",
        "release X",
        "load T X (reader)",
        "store X U (writer)",
        "release X",
    ]


def test_a_version_defined_in_one_branch_only_exists_before() -> None:
    s = Sketch("X")
    with s.branch():
        s.load("X")
    s.store("X")
    assert lowered(s)[1:] == [
        "undef X",
        "if",
        "release X",
        "load T X (reader)",
        "store X U (writer)",
        "release X",
    ]


def test_a_buffer_put_together_from_parts_starts_as_zeros() -> None:
    s = Sketch("X", "Y")
    s.load("Y")
    s.copy_row("Y", "X")
    s.store("X")
    assert lowered(s)[3:6] == ["fill X (compute)", "load T Y (reader)", "copy Y X (compute)"]


def test_a_while_loop_keeps_what_its_next_round_needs() -> None:
    s = Sketch("X")
    s.load("X")
    with s.while_loop(s.var("going")):
        s.store("X")
        s.load("X")
    assert lowered(s)[-5:] == ["store X U (writer)", "release X", "load T X (reader)", "set", "release X"]


# ---- what is left out ----


def test_writes_nobody_reads_are_dropped() -> None:
    s = Sketch("X", "Y")
    s.load("X")
    s.map(["X"], "Y")
    s.load("X")
    s.store("X")
    assert lowered(s) == ["cb X: reader -> writer", "load T X (reader)", "store X U (writer)", "release X"]


def test_a_result_that_two_need_is_not_written_elsewhere() -> None:
    s = Sketch("X", "Y", "Z")
    s.load("X")
    s.map(["X"], "Y")
    s.copy("Y", "Z")
    s.clean("Z")
    s.store("Y")
    s.store("Z")
    assert "map X Z (compute)" not in lowered(s)


def test_a_result_is_written_where_it_leaves() -> None:
    s = Sketch("X")
    s.load("X")
    with s.loop():
        s.map(["X"], "X")
    s.map(["X"], "X")
    s.store("X")
    assert "map X X_2 (compute)" in lowered(s)


def test_a_buffer_and_its_copy_are_one() -> None:
    s = Sketch("X", "Y", "Z")
    s.load("X")
    s.copy("X", "Y")
    s.map(["Y"], "Z")
    s.store("Z")
    assert lowered(s) == [
        "cb X: reader -> compute",
        "cb Z: compute -> writer",
        "load T X (reader)",
        "map X Z (compute)",
        "release X",
        "store Z U (writer)",
        "release Z",
    ]


def test_a_copy_there_and_back_is_none() -> None:
    s = Sketch("X", "Y", "Z")
    s.load("Z")
    s.map(["Z"], "X")
    s.copy("X", "Y")
    s.map(["Y", "Z"], "Z")
    s.copy("Y", "X")
    s.map(["X", "Z"], "Z")
    s.store("Z")
    assert not [line for line in lowered(s) if line.startswith(("copy X", "copy Y"))]


def test_a_copy_that_outlives_its_source_stays() -> None:
    s = Sketch("X", "Y", "Z")
    s.load("X")
    s.copy("X", "Y")
    s.load("X")
    s.map(["X", "Y"], "Z")
    s.store("Z")
    assert "copy X Y (compute)" in lowered(s)


def test_a_copy_that_rounds_stays() -> None:
    s = Sketch("X", "Y", wide=["X"])
    s.fill("X")
    s.clean("X")
    s.copy("X", "Y")
    s.map(["Y"], "Y")
    s.store("Y")
    assert "copy X Y (compute)" in lowered(s)


def test_a_result_used_again_is_copied() -> None:
    s = Sketch("X", "Y", "Z")
    s.load("X")
    s.map(["X"], "Y")
    s.copy("Y", "Z")
    s.store("Z")
    s.map(["Y"], "Z")
    s.store("Z")
    assert "copy Y Z (compute)" in lowered(s)


def test_a_sum_is_copied_because_it_needs_what_it_adds_to() -> None:
    s = Sketch("A", "B", "C")
    s.load("A")
    s.load("B")
    s.fill("C")
    s.gemm("A", "B", "C")
    s.store("C")
    assert "copy C C_out (compute)" in lowered(s)


def test_a_copy_that_widens_what_nobody_changes_is_left_out() -> None:
    s = Sketch("X", "Y", "Z", wide=["Y"])
    s.load("X")
    s.copy("X", "Y")
    s.map(["Y"], "Z")
    s.store("Z")
    assert buffers(s) == ["X: reader -> compute", "Z: compute -> writer"]


def test_a_copy_that_widens_what_is_changed_stays() -> None:
    s = Sketch("X", "Y", "Z", wide=["Y"])
    s.load("X")
    s.copy("X", "Y")
    with s.loop():
        s.map(["Y"], "Y")
    s.map(["Y"], "Z")
    s.store("Z")
    assert "copy X Y (compute)" in lowered(s)
