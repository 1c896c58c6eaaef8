"""Traces run the same programs again on the same memory; what runs on the host is told and replayed too."""

from __future__ import annotations

import pytest
import torch

from tilesmith import ttnn
from tilesmith.errors import OperationError
from tilesmith.ops.device import MeshDevice
from tilesmith.profiling.collect import recording


def _tensor(values: torch.Tensor, device: MeshDevice | None) -> ttnn.Tensor:
    return ttnn.from_torch(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


def test_a_trace_computes_with_what_its_inputs_hold_now(device: MeshDevice) -> None:
    x = _tensor(torch.full((32, 32), 2.0), device)
    trace = ttnn.begin_trace_capture(device, cq_id=0)
    doubled = ttnn.add(x, x)
    index = ttnn.from_torch(torch.zeros(32, 32, dtype=torch.int32), dtype=ttnn.uint32, device=device)
    gathered = ttnn.gather(doubled, 1, index)
    ttnn.end_trace_capture(device, trace, cq_id=0)
    ttnn.copy_host_to_device_tensor(_tensor(torch.full((32, 32), 5.0), None), x)
    ttnn.execute_trace(device, trace, cq_id=0, blocking=True)
    assert (ttnn.to_torch(doubled) == 10).all()
    assert (ttnn.to_torch(gathered) == 10).all()
    ttnn.release_trace(device, trace)
    with pytest.raises(OperationError, match="must exist"):
        ttnn.execute_trace(device, trace)


def test_profiles_name_what_ran_on_the_host(device: MeshDevice) -> None:
    x = _tensor(torch.ones(1, 1, 32, 32), device)
    with recording() as recorder:
        ttnn.add(x, x)
        ttnn.transformer.scaled_dot_product_attention(x, x, x)
    assert recorder.profile.on_host == ("ttnn.transformer.scaled_dot_product_attention",)
    assert "computed on the host: ttnn.transformer.scaled_dot_product_attention" in str(recorder.profile)


def test_sub_devices_and_events_are_kept_in_books(device: MeshDevice) -> None:
    parts = [ttnn.SubDevice([ttnn.CoreRangeSet(ttnn.CoreRange((0, y), (3, y)))]) for y in (0, 1)]
    manager = device.create_sub_device_manager(parts, 3200)
    device.load_sub_device_manager(manager)
    assert device.get_sub_device_ids() == [ttnn.SubDeviceId(0), ttnn.SubDeviceId(1)]
    device.clear_loaded_sub_device_manager()
    device.remove_sub_device_manager(manager)
    with pytest.raises(OperationError, match="intersect"):
        device.create_sub_device_manager([parts[0], parts[0]], 0)
    event = ttnn.record_event(device, 0)
    ttnn.wait_for_event(1, event)
