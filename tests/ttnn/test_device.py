"""Tensors and errors of a device behind ttnn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tilesmith.errors import DeviceError, FormatError, ProgramError
from tilesmith.formats import DataFormat, TileShape, pack_tiles
from tilesmith.program import CoreCoord, Kernel, Placement, Program, ReaderConfig, SourceType, WriterConfig
from tilesmith.runtime import Device
from tilesmith.runtime.ttnn_library import load_ttnn
from tilesmith.runtime.ttnn_translate import DTYPES

pytestmark = pytest.mark.real


@pytest.mark.parametrize("data_format", DTYPES, ids=lambda one: one.name)
def test_bytes_of_a_tensor_are_those_ttnn_makes(device: Device, data_format: DataFormat) -> None:
    ttnn = load_ttnn()
    values = np.random.default_rng(1).standard_normal((96, 64)).astype(np.float32) * 10
    given = np.abs(values).astype(np.int32) if data_format.is_integer else values
    host = ttnn.Tensor(given, getattr(ttnn, DTYPES[data_format]), None, ttnn.TILE_LAYOUT)
    theirs = np.from_dlpack(host.host_buffer().get_shard(ttnn.MeshCoordinate([0, 0])))
    assert np.array_equal(pack_tiles(given, data_format, TileShape()).reshape(-1), theirs.view(np.uint8))


@pytest.mark.parametrize("shape", [(32, 32), (3, 50, 70), (7,), (0, 32)])
def test_a_tensor_travels_there_and_back(device: Device, shape: Sequence[int]) -> None:
    tensor = device.from_numpy(np.ones(shape, np.float32))
    back: NDArray[Any] = tensor.to_numpy()
    assert back.shape == tuple(shape)
    tensor.deallocate()
    with pytest.raises(DeviceError, match="deallocated"):
        _ = tensor.address


def test_a_format_ttnn_has_not_is_refused(device: Device) -> None:
    with pytest.raises(FormatError, match="ttnn has no type for Float16"):
        device.empty((32, 32), DataFormat.Float16)


def test_memory_cannot_be_viewed(device: Device) -> None:
    with pytest.raises(DeviceError, match="cannot be looked into"):
        device.executor.l1(CoreCoord(0, 0))


def _kernel(config: Any, **more: Any) -> Kernel:
    return Kernel("void kernel_main() {}", CoreCoord(0, 0), config, SourceType.SOURCE_CODE, **more)


def test_a_program_needs_a_tensor(device: Device) -> None:
    with pytest.raises(ProgramError, match="no tensor is on the device"):
        device.run(Program([_kernel(ReaderConfig())]))


def test_what_ttnn_refuses_is_told_in_its_words(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    keep = device.empty((32, 32))
    both = [_kernel(one, common_runtime_args=[keep.address]) for one in (ReaderConfig(), WriterConfig())]
    device.run(Program(both))
    # Our own checks come first: they are left out here, and ttnn meets two kernels on one processor.
    monkeypatch.setattr(device, "_placement", lambda _: Placement((), {}, {}))
    with pytest.raises(ProgramError, match=r"ttnn refused the program: .*Core Overlap"):
        device.run(Program([both[0], both[0]]))
