"""Tests of a plan in stages run as they stand: `pytest --ttnn-stages`, `pytest --ttnn-op`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from tilesmith import ttnn
from tilesmith.ttnn.staged import grid_sample_at

pytest_plugins = ["pytester"]


@pytest.fixture(scope="module")
def chip() -> Iterator[Any]:
    with ttnn.manage_device(device_id=0) as device:
        yield device


def tensors(chip: Any) -> tuple[Any, Any]:
    image, grid = torch.arange(18.0).reshape(1, 2, 3, 3), torch.zeros(1, 2, 2, 2)
    there = [
        ttnn.from_torch(one.bfloat16(), device=chip, layout=ttnn.ROW_MAJOR_LAYOUT) for one in (image, grid)
    ]
    return there[0], there[1]


@pytest.mark.parametrize(
    ("stage", "said"),
    [
        (2, "device operation"),
        (3, "device operation"),
        (4, "program factory"),
        (5, "kernel file not found"),
        (6, "stubs"),
    ],
)
def test_next_stage_is_missing(stage: int, said: str, chip: Any) -> None:
    with pytest.raises(RuntimeError, match=said):
        grid_sample_at(stage)(*tensors(chip), mode="nearest")
    # What is taken away comes back, in the operation and in the program cache.
    assert (
        ttnn.to_torch(grid_sample_at(7)(*tensors(chip), mode="nearest")).flatten().tolist()
        == [4.0] * 4 + [13.0] * 4
    )


def test_first_stage_has_the_api_only(chip: Any) -> None:
    with pytest.raises(NotImplementedError, match="nearest mode not yet implemented"):
        grid_sample_at(1)(*tensors(chip), mode="nearest")
    assert {"input", "grid", "mode", "padding_mode"} <= set(inspect.signature(grid_sample_at(1)).parameters)
    assert grid_sample_at(1)(*tensors(chip), mode="bilinear").shape == (1, 2, 2, 2)


TEST = """
import pytest
import ttnn

def test_it():
    device = ttnn.open_device(device_id=0)
    image = ttnn.ones((1, 1, 4, 4), device=device, dtype=ttnn.bfloat16)
    grid = ttnn.ones((1, 2, 2, 2), device=device, dtype=ttnn.bfloat16)
    with pytest.raises(RuntimeError, match="program factory"):
        ttnn.grid_sample(input=image, grid=grid, mode="nearest")
    ttnn.close_device(device)
"""


def test_file_of_a_stage_runs_with_one_option(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_stage4_device_op=TEST)
    pytester.runpytest_subprocess("--ttnn-stages").assert_outcomes(passed=1)


def test_op_is_found_as_ttnn_finds_its_own(pytester: pytest.Pytester) -> None:
    package = pytester.mkpydir("twice")
    (package / "__init__.py").write_text(
        "from tilesmith.ops.framework import register\nregister('ttnn.twice', lambda value: 2 * value)\n"
    )
    pytester.makepyfile("import ttnn\n\ndef test_it():\n    assert ttnn.twice(3) == 6\n")
    pytester.runpytest_subprocess("--ttnn-op", "twice").assert_outcomes(passed=1)
    missing = pytester.runpytest_subprocess("--ttnn-op", "nowhere")
    assert missing.ret == pytest.ExitCode.USAGE_ERROR
    missing.stderr.fnmatch_lines(["*nowhere is no op*"])
