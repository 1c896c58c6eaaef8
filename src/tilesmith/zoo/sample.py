"""What an entry of the zoo gives: a model in evaluation mode with weights, and inputs to try it on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from torch import nn

Size = Literal["tiny", "full"]
Judge = Callable[[torch.Tensor, torch.Tensor], tuple[str, bool]]


@dataclass(frozen=True)
class Loop:
    """A program around several models: `run` gets them by name, and the inputs.

    The program itself runs on the host. `turns` says how often it calls each model.
    """

    models: Mapping[str, nn.Module]
    run: Callable[..., torch.Tensor]
    turns: Mapping[str, int]

    def __call__(self, *inputs: Any) -> torch.Tensor:
        return self.run(*inputs, **self.models)


@dataclass(frozen=True)
class Sample:
    """`weights` says where the weights come from; `classifies` that the largest output is an answer.

    `judge` says what a result and the wanted one have in common, and whether that is enough. `precision` is
    what values are kept in between kernels. `paints` says that the result is an image of values from -1 to 1.
    """

    model: nn.Module | Loop
    inputs: tuple[Any, ...]
    weights: str
    classifies: bool = False
    judge: Judge | None = None
    precision: str = "bfloat16"
    paints: bool = False

    @property
    def network(self) -> nn.Module:
        """The model, where it is one and not several in a loop."""
        assert isinstance(self.model, nn.Module)
        return self.model


@dataclass(frozen=True)
class Entry:
    """`full` has the published shape and takes a checkpoint of the user's; `tiny` runs in seconds.

    `weights` says where those of `full` come from.
    """

    name: str
    sentence: str
    tiny: Callable[[], Sample]
    full: Callable[[Path | None], Sample]
    weights: str = "random"


class Picked(nn.Module):
    """A model that returns one tensor of what another returns by name."""

    def __init__(self, model: nn.Module, field: str) -> None:
        super().__init__()
        self.model = model
        self.field = field

    def forward(self, *args: Any) -> torch.Tensor:
        value: torch.Tensor = getattr(self.model(*args), self.field)
        return value


def seeded(make: Callable[[], nn.Module], seed: int = 0) -> nn.Module:
    """A model with random weights that are the same every time.

    >>> bool((seeded(lambda: nn.Linear(2, 2)).weight == seeded(lambda: nn.Linear(2, 2)).weight).all())
    True
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return make().eval()


def settled(model: nn.Module, seed: int = 1) -> nn.Module:
    """Give every batch norm statistics and scales other than 0 and 1, as training would."""
    generator = torch.Generator().manual_seed(seed)
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            assert module.running_mean is not None
            assert module.running_var is not None
            module.running_mean.copy_(torch.randn(module.num_features, generator=generator) * 0.1)
            module.running_var.copy_(0.5 + torch.rand(module.num_features, generator=generator))
    return model


def noise(*shape: int, seed: int = 2) -> torch.Tensor:
    """Normal noise that is the same every time.

    >>> tuple(noise(2, 3).shape)
    (2, 3)
    """
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def tokens(vocabulary: int, *shape: int, seed: int = 3) -> torch.Tensor:
    """Random token numbers that are the same every time.

    >>> int(tokens(10, 4).max()) < 10
    True
    """
    return torch.randint(0, vocabulary, shape, generator=torch.Generator().manual_seed(seed))
