"""Compiled kernels run on the device that ttnn drives when they are compiled for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from tests.compiler.passes.samples import module

import tilesmith
from tilesmith.compiler.launch import shared_device
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


SCRIPT = """
import sys
import ml_dtypes, numpy, tilesmith
from tilesmith.compiler.dialects.reading import read_file
kernel = tilesmith.compile(read_file(sys.argv[1]))
shapes = [tuple(map(int, one.shape)) for one in kernel.signature.tensors.values()]
print(kernel(*[numpy.ones(shape, ml_dtypes.bfloat16) for shape in shapes[:-1]]).shape == shapes[-1])
"""


@pytest.mark.parametrize("chip", ["wormhole", "ttnn"])
def test_only_the_name_of_the_chip_changes(mock: dict[str, str], chip: str) -> None:
    kernel = Path(__file__).parents[1] / "compiler" / "passes" / "sample_ir" / "add.mlir"
    command = [sys.executable, "-c", SCRIPT, str(kernel)]
    environment = {**os.environ, **mock, "TILESMITH_ARCH": chip}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1:] == ["True"], done.stderr
