"""Random calls of ttnn: a few of them here, as many as you like by `conformance/random_ttnn_calls.py`."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
import torch
from conformance.random_ttnn_calls import summarise
from conformance.ttnn_fuzz import elementwise, movement, rows
from conformance.ttnn_fuzz.draw import Draw
from conformance.ttnn_fuzz.judge import problem
from conformance.ttnn_fuzz.run import FAMILIES, run_program

from tilesmith import ttnn


@pytest.fixture(scope="module")
def device() -> ttnn.MeshDevice:
    return ttnn.open_device(device_id=0)


@pytest.mark.parametrize("number", range(4))
def test_random_calls_are_right(device: ttnn.MeshDevice, number: int) -> None:
    outcome = run_program(1, number, device)
    assert outcome["kind"] == "right", outcome


def test_the_same_seed_gives_the_same_calls(device: ttnn.MeshDevice) -> None:
    first, again, other = (run_program(2, number, device)["calls"] for number in (5, 5, 6))
    assert first == again
    assert first != other


def test_a_result_that_is_one_unit_off_is_seen(device: ttnn.MeshDevice) -> None:
    draw = Draw(Random(0), device)
    x = draw.tensor((3, 40), "bfloat16", layout=ttnn.TILE_LAYOUT, interleaved=True)
    step = elementwise.binary(draw, x)
    while step is None or step.operation != "add":
        step = elementwise.binary(draw, x)
    got = step.call()
    assert problem(step, got) == ""
    plain = ttnn.to_torch(got)
    off = (plain.view(torch.int16) + 1).view(torch.bfloat16)
    wrong = ttnn.from_torch(off, layout=ttnn.TILE_LAYOUT, device=device)
    assert "elements differ" in problem(step, wrong)


def test_a_softmax_with_eleven_bits_is_seen(device: ttnn.MeshDevice) -> None:
    draw = Draw(Random(0), device)
    x = draw.tensor((3, 40), "float32", layout=ttnn.TILE_LAYOUT, interleaved=True)
    step = rows.softmax(draw, x)
    assert step is not None
    assert problem(step, step.call()) == ""
    wanted = step.wanted()
    assert isinstance(wanted, torch.Tensor)
    off = replace(step, wanted=lambda: wanted * (1 - 2**-11))
    assert problem(off, step.call()) != ""


def test_moved_data_may_not_change(device: ttnn.MeshDevice) -> None:
    draw = Draw(Random(0), device)
    x = draw.tensor((5, 7), "int32", layout=ttnn.ROW_MAJOR_LAYOUT, interleaved=True)
    step = movement.clone(draw, x)
    assert problem(step, x) == ""
    assert "elements differ" in problem(step, ttnn.add(x, 1))
    assert "shape" in problem(step, ttnn.reshape(x, (7, 5)))


def test_every_family_is_drawn(device: ttnn.MeshDevice) -> None:
    """None refuses every tensor there is."""
    draw = Draw(Random(3), device)
    tensors = [draw.tensor(draw.shape(), draw.dtype()) for _ in range(40)]
    tensors += [draw.tensor((5, 16), "bfloat16", layout=ttnn.ROW_MAJOR_LAYOUT)]
    for family, _ in FAMILIES:
        assert any(family(draw, x) is not None for x in tensors), family


def test_refusals_are_counted_by_their_text() -> None:
    outcomes = [
        {"seed": 0, "number": 0, "kind": "right", "text": "", "calls": ["a"]},
        {"seed": 0, "number": 1, "kind": "refused", "text": "no width of 7", "calls": ["a", "b"]},
        {"seed": 0, "number": 2, "kind": "refused", "text": "no width of 9", "calls": ["a"]},
        {"seed": 0, "number": 3, "kind": "KernelFindings", "text": "x", "calls": ["a"]},
    ]
    told = summarise(outcomes)
    assert (told["programs"], told["calls"], told["refusals"]) == (4, 5, {"no width of #": 2})
    assert told["failures"] == {"0:3": "KernelFindings"}
