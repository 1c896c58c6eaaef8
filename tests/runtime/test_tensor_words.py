"""Pages, padding, addresses and accessor words equal those of ttnn 0.81.1, recorded in ttnn_tensors.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.runtime.fake_executor import FakeExecutor

import tilesmith as ts
from tilesmith.errors import DeviceError
from tilesmith.program import CoreRange, CoreRangeSet
from tilesmith.runtime import (
    BufferType,
    Layout,
    MemoryConfig,
    ShardOrientation,
    ShardSpec,
    Tensor,
    TensorAccessorArgs,
    TensorMemoryLayout,
    open_device,
)

CASES = json.loads(Path(__file__).with_name("ttnn_tensors.json").read_text())


def _memory_config(memory: dict[str, Any]) -> MemoryConfig:
    spec = None
    if "shard" in memory:
        grid = CoreRangeSet(CoreRange(tuple(start), tuple(end)) for start, end in memory["grid"])
        spec = ShardSpec(grid, memory["shard"], ShardOrientation[memory["orientation"]])
    return MemoryConfig(TensorMemoryLayout[memory["memory_layout"]], BufferType[memory["buffer_type"]], spec)


def _tensor(case: dict[str, Any], product: str) -> Tensor:
    device = open_device(product, executor=FakeExecutor)
    dtype = getattr(ts, case["dtype"])
    return device.empty(case["shape"], dtype, Layout[case["layout"]], _memory_config(case["memory"]))


@pytest.mark.parametrize("product", ["n150", "p150"])
@pytest.mark.parametrize(
    "case", [case for case in CASES if "refused" not in case], ids=lambda case: case["case"]
)
def test_equal_to_ttnn(case: dict[str, Any], product: str) -> None:
    tensor = _tensor(case, product)
    got = {
        "address": tensor.address,
        "page_size": tensor.page_size,
        "aligned_page_size": tensor.aligned_page_size,
        "num_pages": tensor.num_pages,
        "padded_shape": list(tensor.padded_shape),
        "words": TensorAccessorArgs(tensor).get_compile_time_args(),
    }
    assert got == case[product]
    assert TensorAccessorArgs(tensor).get_common_runtime_args() == []


@pytest.mark.parametrize("case", [case for case in CASES if "refused" in case], ids=lambda case: case["case"])
def test_what_ttnn_refuses_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(DeviceError, match="a shard of") as raised:
        _tensor(case, "n150")
    assert raised.value.remedy
