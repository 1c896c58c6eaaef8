"""Training runs with DDP and FSDP2, against the same runs on one chip.

    tilesmith run --nproc-per-node 4 conformance/parallel_training.py ddp
    tilesmith run --nproc-per-node 2 conformance/parallel_training.py ddp fsdp
    torchrun --nproc-per-node 4 conformance/parallel_training.py ddp

Each rank has its part of the batch; the mean of their losses is the loss of the whole batch.
"""

from __future__ import annotations

import sys
from hashlib import blake2b
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor
from torch.nn.parallel import DistributedDataParallel

import tilesmith.models.distributed  # noqa: F401 - the backend "tilesmith"

BATCH, STEPS = 64, 4
# Of a loss: gradients are rounded to bfloat16 for each part of the batch.
TOLERANCE = 2**-9


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up, self.norm, self.down = nn.Linear(64, 128), nn.LayerNorm(128), nn.Linear(128, 32)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.down(self.norm(nn.functional.gelu(self.up(x))))
        return result


def trained(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    """The losses of a few steps."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses)


def bits(model: nn.Module) -> str:
    """A digest of all parameters, whole on every rank."""
    digest = blake2b(digest_size=8)
    for parameter in model.parameters():
        whole: Any = parameter.full_tensor() if isinstance(parameter, DTensor) else parameter
        digest.update(whole.detach().contiguous().numpy().tobytes())
    return digest.hexdigest()


def built() -> Net:
    torch.manual_seed(0)
    return Net()


def shared(how: str) -> nn.Module:
    """The network as DDP or FSDP2 spreads it, compiled."""
    model = built()
    if how == "ddp":
        compiled: Any = torch.compile(model, backend="tilesmith")
        return DistributedDataParallel(compiled)
    model.compile(backend="tilesmith")
    fully_shard(model, mesh=init_device_mesh("cpu", (dist.get_world_size(),)))
    return model


def compare(how: str) -> str:
    """A line about the losses of all ranks and of one chip, which the first rank finds out."""
    rank, size = dist.get_rank(), dist.get_world_size()
    torch.compiler.reset()
    torch.manual_seed(1)
    x, y = torch.randn(BATCH, 64), torch.randn(BATCH, 32)
    spread = shared(how)
    losses = trained(spread, x.chunk(size)[rank], y.chunk(size)[rank])
    parameters = bits(spread)
    dist.all_reduce(losses, dist.ReduceOp.AVG)
    if rank > 0:
        return ""
    torch.compiler.reset()
    model: Any = torch.compile(built(), backend="tilesmith")
    alone = trained(model, x, y)
    off = float(((losses - alone) / alone).abs().max())
    assert off < TOLERANCE, f"{how} over {size} chips: {losses.tolist()}, and on one {alone.tolist()}"
    found = f"{how} over {size} chips: losses {losses.tolist()}, off by {off:.1e}"
    return f"{found}, bits of the parameters {parameters}"


def main(ways: list[str]) -> None:
    dist.init_process_group("tilesmith")
    for how in ways:
        if line := compare(how):
            print(line, flush=True)
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1:])
