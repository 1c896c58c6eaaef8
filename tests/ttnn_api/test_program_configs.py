"""A program config says which cores make a product."""

from __future__ import annotations

import pytest
import torch

from tilesmith import ttnn
from tilesmith.errors import OperationError
from tilesmith.program import Program
from tilesmith.runtime import Device
from tilesmith.runtime.observers import Observer, observing


class _Cores(Observer):
    def __init__(self) -> None:
        self.counts: list[int] = []

    def running(self, device: Device, program: Program) -> None:  # noqa: ARG002 - the interface
        self.counts.append(len(program.kernels[0].runtime_args))


def _config(x: int, y: int) -> ttnn.MatmulMultiCoreReuseProgramConfig:
    return ttnn.MatmulMultiCoreReuseProgramConfig(
        compute_with_storage_grid_size=(x, y),
        in0_block_w=1,
        out_subblock_h=1,
        out_subblock_w=1,
        per_core_M=1,
        per_core_N=4,
    )


def _tensor(device: ttnn.MeshDevice) -> ttnn.Tensor:
    return ttnn.from_torch(torch.eye(128), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


@pytest.mark.parametrize("by_grid", [True, False])
def test_its_grid_decides_the_cores(device: ttnn.MeshDevice, by_grid: bool) -> None:
    x, seen = _tensor(device), _Cores()
    with observing(seen):
        if by_grid:
            found = ttnn.matmul(x, x, core_grid=ttnn.CoreGrid(x=2, y=1))
        else:
            found = ttnn.matmul(x, x, program_config=_config(2, 1))
    assert seen.counts == [2]
    assert torch.equal(ttnn.to_torch(found).float(), torch.eye(128))


def test_a_grid_that_is_not_there_is_refused(device: ttnn.MeshDevice) -> None:
    x = _tensor(device)
    with pytest.raises(OperationError, match="larger than the chip"):
        ttnn.matmul(x, x, program_config=_config(20, 1))


def test_rows_are_dealt_out_to_the_grid_of_a_norm(device: ttnn.MeshDevice) -> None:
    config = ttnn.LayerNormShardedMultiCoreProgramConfig(
        compute_with_storage_grid_size=(1, 2), subblock_w=1, block_h=2, block_w=4, inplace=False
    )
    seen = _Cores()
    with observing(seen):
        ttnn.rms_norm(_tensor(device), program_config=config)
    assert seen.counts == [2]
