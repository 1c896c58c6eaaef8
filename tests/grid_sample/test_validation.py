"""What grid_sample refuses, in the words that ttnn 0.81.1 printed on its mock device."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilesmith.errors import OperationError
from tilesmith.formats import DataFormat
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.grid_sample import grid_sample, prepare_grid_sample_grid
from tilesmith.ops.host import HostTensor
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.tensor import Tensor
from tilesmith.program import CoreRange
from tilesmith.runtime import BufferType, Device, Layout, ShardSpec, TensorMemoryLayout, block_sharded
from tilesmith.runtime import MemoryConfig as Placed
from tilesmith.runtime.tensor_spec import TensorSpec

TEXTS = json.loads(Path(__file__).with_name("texts_of_ttnn.json").read_text(encoding="utf-8"))
ROW_MAJOR, TILE = Layout.ROW_MAJOR, Layout.TILE
BF16, FP32, UINT16 = DataFormat.Float16_b, DataFormat.Float32, DataFormat.UInt16
IMAGE, GRID = (1, 8, 8, 32), (1, 6, 6, 2)
_BLOCKS = block_sharded(CoreRange((0, 0), (1, 1)), (32, 16))

# What is refused: image, grid, arguments. A tensor is a shape, or a shape and what is special about it.
REFUSED: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "image_rank": ((8, 8, 32), GRID, {}),
    "grid_rank": (IMAGE, (6, 6, 2), {}),
    "prepared_bilinear_values": (IMAGE, (1, 6, 6, 4), {"use_precomputed_grid": True}),
    "prepared_nearest_values": (IMAGE, (1, 6, 6, 3), {"use_precomputed_grid": True, "mode": "nearest"}),
    "coordinate_pairs": (IMAGE, (1, 6, 6, 3), {}),
    "batch": ((2, 8, 8, 32), GRID, {}),
    "join_one_set": (IMAGE, GRID, {"batch_output_channels": True}),
    "image_type": ((IMAGE, {"dtype": UINT16}), GRID, {}),
    "grid_type": (IMAGE, (GRID, {"dtype": UINT16}), {}),
    "prepared_type": (IMAGE, ((1, 6, 6, 6), {"dtype": FP32}), {"use_precomputed_grid": True}),
    "image_layout": (((1, 8, 32, 32), {"layout": TILE}), GRID, {}),
    "grid_layout": (IMAGE, ((1, 6, 32, 32), {"layout": TILE}), {}),
    "channels": ((1, 8, 8, 33), GRID, {}),
    "image_memory": ((IMAGE, {"memory_config": _BLOCKS}), GRID, {}),
    "output_memory": (IMAGE, GRID, {"memory_config": MemoryConfig.of(_BLOCKS)}),
}


def _tensor(device: Device, described: Any) -> Tensor:
    shape, more = described if isinstance(described[0], tuple) else (described, {})
    return Tensor.of_device(device.empty(shape, **{"dtype": BF16, "layout": ROW_MAJOR, **more}))


@pytest.mark.parametrize("case", REFUSED)
def test_refuses_in_the_words_of_ttnn(device: Device, case: str) -> None:
    image, grid, arguments = REFUSED[case]
    with pytest.raises(OperationError) as caught:
        grid_sample(_tensor(device, image), _tensor(device, grid), **arguments)
    assert caught.value.what == TEXTS[case]
    assert isinstance(caught.value, RuntimeError)


@pytest.mark.parametrize("name", ["mode", "padding_mode"])
def test_an_unknown_word_is_refused_with_those_there_are(device: Device, name: str) -> None:
    arguments: dict[str, Any] = {name: "bicubic"}
    with pytest.raises(OperationError, match=f"{name} must be one of .*but got 'bicubic'"):
        grid_sample(_tensor(device, IMAGE), _tensor(device, GRID), **arguments)


@pytest.mark.parametrize(
    ("image", "grid"), [((1, 0, 8, 32), GRID), (IMAGE, (1, 6, 0, 2)), (IMAGE, (1, 6, 6, 0))]
)
def test_nothing_to_sample_is_refused(device: Device, image: tuple[int, ...], grid: tuple[int, ...]) -> None:
    with pytest.raises(OperationError, match="tensor must not be empty"):
        grid_sample(_tensor(device, image), _tensor(device, grid))


def test_nearest_cannot_fill_shards_in_dram(device: Device) -> None:
    shards = ShardSpec(CoreRange((0, 0), (3, 0)), (9, 32))
    memory = MemoryConfig(TensorMemoryLayout.HEIGHT_SHARDED, BufferType.DRAM, shards)
    with pytest.raises(OperationError, match="output shards must be in L1"):
        grid_sample(_tensor(device, IMAGE), _tensor(device, GRID), mode="nearest", memory_config=memory)


def test_a_prepared_grid_has_16_bits_for_a_pixel() -> None:
    with pytest.raises(OperationError, match="at most 32768 a side, but got 40000 x 8"):
        prepare_grid_sample_grid(_host((1, 2, 2, 2)), (1, 40000, 8, 32))


def test_arguments_after_the_tensors_are_named(device: Device) -> None:
    with pytest.raises(TypeError):
        grid_sample(_tensor(device, IMAGE), _tensor(device, GRID), "nearest")  # type: ignore[call-arg]


def test_a_host_tensor_is_refused_not_dereferenced(device: Device) -> None:
    with pytest.raises(OperationError, match="Device Operations expect device tensors as inputs"):
        grid_sample(_host((1, 8, 8, 32)), _tensor(device, GRID))


def _host(shape: tuple[int, ...], dtype: DataFormat = FP32, layout: Layout = ROW_MAJOR) -> Tensor:
    spec = TensorSpec(shape, dtype, layout, Placed())
    return Tensor(on_host=HostTensor.of_numpy(np.zeros(shape, np.float32), spec))


# The grid, the image's shape, arguments.
PREPARE_REFUSED: dict[str, tuple[Tensor, tuple[int, ...], dict[str, Any]]] = {
    "prepare_rank": (_host((2, 2, 2)), IMAGE, {}),
    "prepare_pairs": (_host((1, 2, 2, 3)), IMAGE, {}),
    "prepare_shape": (_host((1, 2, 2, 2)), (8, 8, 32), {}),
    "prepare_output_type": (_host((1, 2, 2, 2)), IMAGE, {"output_dtype": DataType.FLOAT32}),
    "prepare_type": (_host((1, 2, 2, 2), BF16), IMAGE, {}),
    "prepare_layout": (_host((1, 2, 32, 32), layout=TILE), IMAGE, {}),
}


@pytest.mark.parametrize("case", PREPARE_REFUSED)
def test_prepare_refuses_in_the_words_of_ttnn(case: str) -> None:
    grid, shape, arguments = PREPARE_REFUSED[case]
    with pytest.raises(OperationError) as caught:
        prepare_grid_sample_grid(grid, shape, **arguments)
    assert caught.value.what == TEXTS[case]


def test_prepare_wants_a_host_tensor(device: Device) -> None:
    with pytest.raises(OperationError, match=TEXTS["prepare_device"]):
        prepare_grid_sample_grid(_tensor(device, (GRID, {"dtype": FP32})), IMAGE)
