"""The seven stages in which nearest sampling was to be built, each asked of the finished operation.

Where a stage's own test waited for the next stage to be missing, the next stage is taken away here. Tensors
are (N, C, H, W): the import of `nchw` is what turns the channels around.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from tilesmith import ttnn as nhwc
from tilesmith.errors import KernelSourceMissingError, OperationError
from tilesmith.ops.framework import FunctionFactory, registered_operations
from tilesmith.ops.grid_sample import nearest, operation
from tilesmith.program import Program
from tilesmith.ttnn import nchw as ttnn

ROW_MAJOR = ttnn.ROW_MAJOR_LAYOUT


@pytest.fixture(scope="module")
def chip() -> Iterator[Any]:
    device = ttnn.open_device(device_id=0)
    yield device
    ttnn.close_device(device)


@pytest.fixture(autouse=True)
def no_programs_of_earlier_tests(chip: Any) -> None:
    chip.clear_program_cache()


def upload(values: torch.Tensor, chip: Any) -> Any:
    return ttnn.from_torch(values.bfloat16(), device=chip, layout=ROW_MAJOR)


def sampled(image: torch.Tensor, grid: torch.Tensor, chip: Any, **more: Any) -> torch.Tensor:
    result = ttnn.grid_sample(upload(image, chip), upload(grid, chip), mode="nearest", **more)
    values: torch.Tensor = ttnn.to_torch(result)
    return values.float()


def by_torch(image: torch.Tensor, grid: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.grid_sample(image, grid, mode="nearest", align_corners=False)


def corner_grid(height: int, width: int) -> torch.Tensor:
    """From corner to corner, both ends on the border: every first and last place is half-way."""
    y, x = torch.linspace(-1, 1, height), torch.linspace(-1, 1, width)
    return torch.stack(torch.meshgrid(x, y, indexing="xy"), dim=-1)[None]


# ---- 1: the API is there ----


def test_the_mode_is_taken(chip: Any) -> None:
    image, grid = torch.ones(1, 1, 2, 2), torch.tensor([[[[-1.0, -1.0], [1.0, 1.0]]]])
    assert sampled(image, grid, chip).shape == (1, 1, 1, 2)


# ---- 2: parameters are validated ----


def test_an_image_must_have_four_dimensions(chip: Any) -> None:
    with pytest.raises(RuntimeError, match="must be 4D"):
        sampled(torch.ones(1, 1, 2), torch.ones(1, 2, 2, 2), chip)


def test_a_point_must_have_two_coordinates(chip: Any) -> None:
    with pytest.raises(RuntimeError, match="last dimension must be 2"):
        sampled(torch.ones(1, 1, 2, 2), torch.ones(1, 2, 2, 3), chip)


def test_what_is_valid_passes(chip: Any) -> None:
    assert sampled(torch.ones(1, 1, 4, 4), torch.zeros(1, 2, 2, 2), chip).tolist() == [
        [[[1.0, 1.0], [1.0, 1.0]]]
    ]


# ---- 3: it is registered ----


def test_the_signature_has_its_parameters() -> None:
    names = inspect.signature(ttnn.grid_sample).parameters
    assert list(names)[:5] == ["input", "grid", "mode", "padding_mode", "align_corners"]


def test_it_is_among_the_operations() -> None:
    assert "ttnn.grid_sample" in registered_operations()
    assert ttnn.get_golden_function(registered_operations()["ttnn.grid_sample"]) is not None


# ---- 4: the device operation ----


def test_a_valid_call_reaches_the_program_factory(chip: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(attrs: object, inputs: Sequence[object], outputs: Sequence[Any]) -> Program:
        shapes = [tuple(one.shape) for one in outputs]
        raise OperationError(f"no program factory for {shapes}")

    monkeypatch.setattr(operation, "NEAREST", FunctionFactory(missing))
    with pytest.raises(RuntimeError, match=r"no program factory for \[\(1, 4, 4, 32\)\]"):
        sampled(torch.ones(1, 2, 8, 8), torch.ones(1, 4, 4, 2), chip)


def test_image_and_grid_must_be_as_many(chip: Any) -> None:
    with pytest.raises(RuntimeError, match=r"(?i)batch size"):
        sampled(torch.ones(2, 2, 8, 8), torch.ones(1, 4, 4, 2), chip)


# ---- 5: the program factory ----


@pytest.mark.parametrize("images", [1, 2])
def test_only_the_kernel_files_are_missing(images: int, chip: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "KERNELS", Path("no such folder"))
    with pytest.raises(KernelSourceMissingError) as caught:
        sampled(torch.ones(images, 4, 32, 32), torch.ones(images, 16, 16, 2), chip)
    assert "kernel" in str(caught.value).lower()
    assert "circular buffer" not in str(caught.value).lower()


def test_work_is_dealt_out_to_all_cores(chip: Any) -> None:
    image = nhwc.from_torch(torch.ones(2, 64, 64, 32).bfloat16(), device=chip, layout=ROW_MAJOR)
    result = nhwc.grid_sample(image, upload(torch.zeros(2, 32, 32, 2), chip), mode="nearest")
    shards = result.memory_config().shard_spec
    assert shards is not None
    assert shards.grid.num_cores == 64
    assert shards.shape == (32, 32)


# ---- 6: kernels compile ----


def test_empty_kernels_compile_and_end(chip: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "nearest.cpp").write_text('#include "api/dataflow/dataflow_api.h"\nvoid kernel_main() {}\n')
    monkeypatch.setattr(nearest, "KERNELS", tmp_path)
    image = nhwc.from_torch(torch.ones(1, 32, 32, 32).bfloat16(), device=chip, layout=ROW_MAJOR)
    result = nhwc.grid_sample(image, upload(torch.zeros(1, 8, 8, 2), chip), mode="nearest")
    assert result.shape == (1, 8, 8, 32)


def test_a_sharded_image_compiles_and_is_right(chip: Any) -> None:
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
    shards = ttnn.ShardSpec(cores, [32, 32], ttnn.ShardOrientation.ROW_MAJOR)
    memory = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, shards)
    image = torch.randn(1, 1, 32, 32).bfloat16()
    there = ttnn.from_torch(image, device=chip, layout=ROW_MAJOR, memory_config=memory)
    grid = corner_grid(8, 8)
    result = ttnn.to_torch(ttnn.grid_sample(there, upload(grid, chip), mode="nearest")).float()
    assert torch.equal(result, by_torch(image.float(), grid.bfloat16().float()))


# ---- 7: kernels are correct ----


@pytest.mark.parametrize("size", [4, 8], ids=["identity", "downsampling"])
def test_from_corner_to_corner(size: int, chip: Any) -> None:
    image, grid = torch.arange(float(size * size)).reshape(1, 1, size, size), corner_grid(4, 4)
    assert torch.equal(
        sampled(image, grid, chip, padding_mode="zeros", align_corners=False), by_torch(image, grid)
    )


def test_outside_is_zero(chip: Any) -> None:
    image = torch.ones(1, 1, 4, 4)
    grid = torch.tensor([[[[-2.0, -2.0], [2.0, 2.0]], [[0.0, 0.0], [1.0, 1.0]]]])
    assert torch.equal(sampled(image, grid, chip, padding_mode="zeros"), by_torch(image, grid))


def test_several_channels_and_images(chip: Any) -> None:
    """torch gets the coordinates the device gets: rounding them to bf16 moves some to another pixel."""
    generator = torch.Generator().manual_seed(0)
    image = torch.randn((2, 3, 32, 32), generator=generator)
    grid = torch.randn((2, 16, 16, 2), generator=generator) * 0.8
    result = sampled(image, grid, chip)
    wanted = by_torch(image.bfloat16().float(), grid.bfloat16().float())
    assert torch.equal(result, wanted)
    pcc = torch.corrcoef(torch.stack([result.flatten(), by_torch(image, grid.bfloat16().float()).flatten()]))
    assert pcc[0, 1] > 0.99
