"""Which buffers matter where: straight lines, branches, loops."""

from __future__ import annotations

from tests.compiler.passes.sketch import Sketch

from tilesmith.compiler.analysis.liveness import live_at_head, liveness


def test_a_value_lives_from_its_definition_to_its_last_use() -> None:
    s = Sketch("X")
    first, last = s.fill("X"), s.store("X")
    live = liveness(s.block)
    assert s.names(live.before[first]) == ""
    assert s.names(live.after[first]) == "X"
    assert s.names(live.after[last]) == ""


def test_what_is_overwritten_is_dead_before() -> None:
    s = Sketch("X")
    first, _, last = s.fill("X"), s.fill("X"), s.store("X")
    live = liveness(s.block)
    assert s.names(live.after[first]) == ""
    assert s.names(live.before[last]) == "X"


def test_changing_a_part_needs_the_rest() -> None:
    s = Sketch("X", "Y")
    first, _, part, _ = s.fill("X"), s.fill("Y"), s.copy_row("Y", "X"), s.store("X")
    live = liveness(s.block)
    assert s.names(live.after[first]) == "X"
    assert s.names(live.before[part]) == "X Y"


def test_gemm_needs_what_it_adds_to() -> None:
    s = Sketch("A", "B", "C")
    gemm = s.gemm("A", "B", "C")
    s.store("C")
    assert s.names(liveness(s.block).before[gemm]) == "A B C"


def test_a_value_carried_around_a_loop_is_live_at_its_end() -> None:
    s = Sketch("X")
    s.fill("X")
    with s.loop() as loop:
        update = s.clean("X")
    live = liveness(s.block)
    assert s.names(live.after[update]) == "X"
    assert s.names(live.before[loop]) == "X"
    assert s.names(live.after[loop]) == ""


def test_a_value_made_for_the_next_round_is_live_only_around_the_back_edge() -> None:
    s = Sketch("X")
    s.load("X")
    with s.loop() as loop:
        use, again = s.store("X"), s.load("X")
    live = liveness(s.block)
    assert s.names(live.after[use]) == ""
    assert s.names(live.after[again]) == "X"
    assert s.names(live_at_head(loop, live)) == "X"
    assert s.names(live.after[loop]) == ""


def test_a_loop_may_run_no_round() -> None:
    s = Sketch("X")
    first = s.fill("X")
    with s.loop() as loop:
        s.load("X")
    s.store("X")
    live = liveness(s.block)
    assert s.names(live.after[first]) == "X"
    assert s.names(live.entry[loop.body.block]) == ""


def test_a_value_may_be_dead_in_one_branch() -> None:
    s = Sketch("X")
    s.fill("X")
    with s.branch() as branch:
        s.store("X")
    with s.otherwise(branch):
        other = s.fill("X")
    live = liveness(s.block)
    assert s.names(live.before[branch]) == "X"
    assert s.names(live.before[other]) == ""


def test_a_value_defined_in_one_branch_only_is_live_before() -> None:
    s = Sketch("X")
    with s.branch() as branch:
        s.fill("X")
    s.store("X")
    live = liveness(s.block)
    assert s.names(live.before[branch]) == "X"
    assert s.names(live.entry[branch.true_region.block]) == ""


def test_a_value_defined_in_both_branches_is_not_live_before() -> None:
    s = Sketch("X")
    with s.branch() as branch:
        s.fill("X")
    with s.otherwise(branch):
        s.load("X")
    s.store("X")
    assert s.names(liveness(s.block).before[branch]) == ""


def test_a_while_loop_may_run_no_round_too() -> None:
    s = Sketch("X", "Y")
    s.fill("X")
    with s.while_loop(s.var("going")) as loop:
        s.copy("X", "Y")
        s.store("Y")
        last = s.load("X")
    live = liveness(s.block)
    assert s.names(live.before[loop]) == "X"
    assert s.names(live.after[last]) == "X"
    assert s.names(live_at_head(loop, live)) == "X"


def test_nested_loops_carry_values_outwards() -> None:
    s = Sketch("X", "Y")
    s.fill("X")
    with s.loop() as outer:
        with s.loop() as inner:
            s.map(["X"], "X")
        s.copy("X", "Y")
        last = s.store("Y")
    live = liveness(s.block)
    assert s.names(live.before[inner]) == "X"
    assert s.names(live.after[last]) == "X"
    assert s.names(live.after[outer]) == ""
