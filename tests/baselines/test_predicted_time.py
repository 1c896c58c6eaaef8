"""Predicted time of the kernel library and of the zoo's models, held against baselines: slower fails.

    pytest tests/baselines --update-baseline

accepts the times as they are. The clock is deterministic, so a change is never noise.
"""

from __future__ import annotations

import pytest
import torch
from torch import nn

import tilesmith
from tilesmith import zoo


class Attention(nn.Module):
    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return nn.functional.scaled_dot_product_attention(q, k, v)


LAYERS: dict[str, tuple[nn.Module, tuple[torch.Tensor, ...]]] = {
    "linear": (nn.Linear(512, 512), (torch.zeros(256, 512),)),
    "linear_gelu": (nn.Sequential(nn.Linear(256, 512), nn.GELU()), (torch.zeros(128, 256),)),
    "softmax": (nn.Softmax(dim=-1), (torch.zeros(256, 512),)),
    "layer_norm": (nn.LayerNorm(512), (torch.zeros(256, 512),)),
    "rms_norm": (nn.RMSNorm(512), (torch.zeros(256, 512),)),
    "attention": (Attention(), (torch.zeros(2, 4, 128, 64),) * 3),
    "conv3x3": (nn.Conv2d(32, 32, 3, padding=1), (torch.zeros(1, 32, 28, 28),)),
    "embedding": (nn.Embedding(256, 128), (torch.zeros(4, 32, dtype=torch.int64),)),
}


CASES = [*((name, "wormhole") for name in LAYERS), ("linear", "blackhole"), ("softmax", "blackhole")]


@pytest.mark.parametrize(("name", "chip"), CASES)
@pytest.mark.benchmark(threshold="2%")
def test_time(name: str, chip: str) -> None:
    model, inputs = LAYERS[name]
    with torch.no_grad(), tilesmith.settings.using(checks="off", numbers="fast"):
        compiled = tilesmith.compile(model.to(torch.bfloat16), chip)
        compiled(*(x.to(torch.bfloat16) if x.is_floating_point() else x for x in inputs))


@pytest.mark.parametrize("name", ["mlp", "bert", "llama", "resnet18"])
@pytest.mark.benchmark(threshold="2%")
def test_time_of_a_zoo_model(name: str) -> None:
    sample = zoo.load(name, "tiny")
    with torch.no_grad(), tilesmith.settings.using(checks="off", numbers="fast"):
        tilesmith.compile(sample.network)(*sample.inputs)
