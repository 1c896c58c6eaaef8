"""Compiled kernels run on the device that ttnn drives when they are compiled for it."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from tests.passes.samples import module

import tilesmith
from tilesmith.launch import shared_device
from tilesmith.runtime import Device
from tilesmith.runtime.ttnn_executor import TtnnDevice

pytestmark = pytest.mark.real


@pytest.mark.parametrize("target", ["arch", "name"])
def test_a_compiled_kernel_is_accepted(device: Device, target: str) -> None:
    kernel = tilesmith.compile(module("add"), target=device.arch if target == "arch" else "ttnn")
    shapes = [tuple(map(int, one.shape)) for one in kernel.signature.tensors.values()]
    arguments = [np.ones(shape, ml_dtypes.bfloat16) for shape in shapes]
    result = kernel(*arguments)
    assert result.shape == shapes[-1]
    with shared_device(device.arch) as shared:
        assert isinstance(shared, TtnnDevice)
