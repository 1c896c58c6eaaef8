"""Run by torchrun in test_dead_peers.py: ranks that end, are killed, or are too few."""

from __future__ import annotations

import os
import signal
import sys
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional
from torch.distributed.device_mesh import init_device_mesh


def main(how: str, seconds: int) -> None:
    if how == "world":
        dist.init_process_group("gloo", rank=0, world_size=2, timeout=timedelta(seconds=seconds))
    dist.init_process_group("gloo", timeout=timedelta(seconds=seconds))
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    step = torch.compile(lambda x: functional.all_reduce(x, "sum", mesh), backend="tilesmith")
    x = torch.ones(32, 32)
    step(x)
    if dist.get_rank() == 1:
        if how == "ends":
            sys.exit(0)
        if how == "sleeps":
            signal.pause()
        os.kill(os.getpid(), signal.SIGKILL)
    step(x)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
