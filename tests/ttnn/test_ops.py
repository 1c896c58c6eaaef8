"""Operations under ttnn's names run on the device that the real ttnn drives: only the chip's name changes."""

from __future__ import annotations

import pytest

from tilesmith import settings
from tilesmith.runtime import Device
from tilesmith.runtime.ttnn_executor import TtnnDevice

pytestmark = pytest.mark.real


def test_operations_are_accepted_and_cached(cluster: Device) -> None:
    from tilesmith import ttnn

    with settings.using(arch="ttnn"), ttnn.manage_device(device_id=0) as device:
        assert isinstance(device.device, TtnnDevice)
        a, b = (
            ttnn.ones([64, 64], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device) for _ in range(2)
        )
        results = [ttnn.add(a, b), ttnn.matmul(a, b), ttnn.softmax(a, -1)]
        assert [list(one.shape) for one in results] == [[64, 64]] * 3
        assert device.num_program_cache_entries() == 3
        ttnn.add(results[0], b)
        assert device.num_program_cache_entries() == 3
        shapes = [spec.shape for spec, _ in device.device.tensors()]
        assert shapes.count((64, 64)) >= 5
