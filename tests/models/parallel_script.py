"""Run by torchrun in test_parallel.py: a model and collectives over gloo, each process with its chip."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from torch import nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module


class Mlp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(32, 64), nn.Linear(64, 32)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.down(torch.relu(self.up(x)))
        return result


def tensor_parallel(mesh: DeviceMesh) -> None:
    model, x = Mlp(), torch.randn(32, 32)
    with torch.no_grad():
        alone = torch.compile(model, backend="tilesmith")(x)
        torch.compiler.reset()
        parallelize_module(model, mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
        shared = torch.compile(model, backend="tilesmith")(x)
    torch.testing.assert_close(shared, alone, rtol=2**-7, atol=2**-7)


def collectives(mesh: DeviceMesh) -> None:
    size, rank = dist.get_world_size(), dist.get_rank()
    x = torch.arange(64.0).reshape(8, 8) + rank
    wanted: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
        "all_reduce": lambda y: funcol.all_reduce(y, "sum", mesh),
        "all_gather": lambda y: funcol.all_gather_tensor(y, 0, mesh),
        "reduce_scatter": lambda y: funcol.reduce_scatter_tensor(y, "sum", 0, mesh),
        "all_to_all": lambda y: funcol.all_to_all_single(y, [8 // size] * size, [8 // size] * size, mesh),
        "broadcast": lambda y: funcol.broadcast(y, 0, mesh),
    }
    for name, collective in wanted.items():

        def step(
            y: torch.Tensor, collective: Callable[[torch.Tensor], torch.Tensor] = collective
        ) -> torch.Tensor:
            return collective(y * 2) + 1

        torch.compiler.reset()
        found = torch.compile(step, backend="tilesmith")(x)
        torch.testing.assert_close(found, step(x), msg=f"{name}: {found}")


def dead_peer(mesh: DeviceMesh) -> None:
    x = torch.ones(32, 32)
    step = torch.compile(lambda y: funcol.all_reduce(y * 2, "sum", mesh) + 1, backend="tilesmith")
    step(x)
    if dist.get_rank() == 1:
        sys.exit(0)
    step(x)


def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(seconds=60))
    torch.manual_seed(0)
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    for part in (tensor_parallel, collectives, dead_peer):
        part(mesh)
        print(f"{part.__name__} is right on {dist.get_rank()}", flush=True)


if __name__ == "__main__":
    main()
