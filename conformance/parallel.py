"""Models in tensor parallel through parallelize_module, against the same models on one chip.

    tilesmith run --nproc-per-node 4 conformance/parallel.py llama bert
    torchrun --nproc-per-node 4 conformance/parallel.py llama bert

The first is one process that drives a mesh, the second a process for each chip. Both print the same bits.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conformance.parallel_models import CASES, TOKENS, VOCABULARY

# Of the largest value: several roundings to bfloat16, each of 2^-9.
TOLERANCE = 2**-6


def compiled(model: nn.Module, tokens: Tensor, output: str) -> Tensor:
    torch.compiler.reset()
    with torch.no_grad():
        result: Any = torch.compile(model, backend="tilesmith")(tokens)
    found: Tensor = getattr(result, output) if output else result
    return found


def built(build: Callable[[], nn.Module]) -> nn.Module:
    torch.manual_seed(0)
    return build().eval()


def compare(name: str, mesh: DeviceMesh, alone: Tensor) -> str:
    """A line about one model; what differs by more than rounding raises."""
    case, tokens = CASES[name], torch.arange(TOKENS).mul(7).remainder(VOCABULARY).unsqueeze(0)
    model = built(case.build)
    case.spread(model, mesh)
    shared = compiled(model, tokens, case.output)
    off = float((shared - alone).abs().max() / alone.abs().max())
    assert off < TOLERANCE, f"{name} on {mesh.size()} chips is off by {off}"
    bits = blake2b(shared.contiguous().numpy().tobytes(), digest_size=8).hexdigest()
    return f"{name} on {mesh.size()} chips: off by {off:.2e} of the largest value, bits {bits}"


def on_one_chip(name: str) -> Tensor:
    """What the first rank's chip makes of the whole model, for all."""
    case, tokens = CASES[name], torch.arange(TOKENS).mul(7).remainder(VOCABULARY).unsqueeze(0)
    found: list[Any] = [None]
    if dist.get_rank() == 0:
        found = [compiled(built(case.alone or case.build), tokens, case.output)]
    dist.broadcast_object_list(found, src=0)
    result: Tensor = found[0]
    return result


def main(names: list[str]) -> None:
    dist.init_process_group("gloo")
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    for name in names or list(CASES):
        line = compare(name, mesh, on_one_chip(name))
        if dist.get_rank() == 0:
            print(line, flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1:])
