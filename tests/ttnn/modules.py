"""Small modules and models of PyTorch that between them use every template of the kernel library."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - its name everywhere

from tilesmith.models.compiled_model import compile_model
from tilesmith.models.torch_backend import tilesmith_backend
from tilesmith.zoo import catalogue
from tilesmith.zoo.training import TRAINED

MODELS = ("bert", "resnet18", "efficientnet")


class _Of(nn.Module):
    """A function as a module."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self._function = function

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self._function(*inputs)
        return result


def calls() -> dict[str, Callable[[], object]]:
    """What to run, by the name of what it shows."""
    samples = {name: catalogue.load(name, "tiny") for name in MODELS}
    models = {name: (sample.network, sample.inputs) for name, sample in samples.items()}
    forward = {title: partial(_forward, *one) for title, one in (modules() | models).items()}
    return {**forward, "bert training": _train_bert}


def _forward(module: nn.Module, inputs: tuple[Any, ...]) -> None:
    with torch.no_grad():
        compile_model(module)(*inputs)


def _train_bert() -> None:
    sample = TRAINED["bert"]()
    made = torch.compile(sample.network.train(), backend=tilesmith_backend)(*sample.inputs)
    made.backward(torch.ones_like(made))


def modules() -> dict[str, tuple[nn.Module, tuple[torch.Tensor, ...]]]:
    """By the name of what they show, with inputs."""
    torch.manual_seed(0)
    rows, wide = torch.randn(64, 64), torch.randn(2, 32, 64)
    image, words = torch.randn(1, 8, 16, 16), torch.randint(0, 50, (2, 32))
    heads = torch.randn(1, 2, 64, 32)
    return {
        "linear": (nn.Sequential(nn.Linear(64, 96), nn.GELU()), (rows,)),
        "matmul": (_Of(torch.matmul), (rows, torch.randn(64, 32))),
        "vectors": (_Of(lambda a, b: a * b + 1.0), (torch.randn(300), torch.randn(300))),
        "elementwise": (_Of(lambda a, b: F.silu(a) * b + 1.0), (rows, torch.randn(64, 64))),
        "softmax": (nn.Softmax(-1), (rows,)),
        "layer_norm": (nn.LayerNorm(64), (wide,)),
        "rms_norm": (nn.RMSNorm(64), (wide,)),
        "group_norm": (nn.GroupNorm(2, 8), (image,)),
        "attention": (_Of(lambda q: F.scaled_dot_product_attention(q, q, q)), (heads,)),
        "convolution": (nn.Conv2d(8, 16, 3, padding=1), (image,)),
        "pooling": (nn.Sequential(nn.ReLU(), nn.MaxPool2d(2)), (image,)),
        "embedding": (nn.Embedding(50, 64), (words,)),
        "reduction": (_Of(lambda a: a.sum(-1)), (rows,)),
        "movement": (_Of(lambda a, b: torch.cat([a, b], 0).transpose(0, 1).contiguous()), (rows, rows)),
    }
