"""Models to train: their gradients through `torch.compile(backend="tilesmith")` beside those of torch."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from tilesmith.models import torch_backend
from tilesmith.models.executable_cache import collect_reports
from tilesmith.models.report import Report
from tilesmith.zoo import language, llama, resnet, vit
from tilesmith.zoo.running import pcc, relative_l2
from tilesmith.zoo.sample import Picked, Sample, noise, seeded, tokens
from tilesmith.zoo.weights import RANDOM, need

# Gradients smaller than this part of the largest are rounding: those of a bias of keys are zero, for example,
# since softmax does not see what is added to all scores.
_VANISHING = 1e-5


@dataclass(frozen=True)
class Gradient:
    """The gradient of one parameter; `vanishes` if the true one is zero but for rounding."""

    parameter: str
    pcc: float
    relative_l2: float
    vanishes: bool
    of_largest: float

    @property
    def ok(self) -> bool:
        """A gradient that is zero must be small; any other must agree."""
        return self.of_largest < 0.01 if self.vanishes else self.pcc >= 0.99 and self.relative_l2 < 0.1


@dataclass(frozen=True)
class Trained:
    """One step forward and backward: the result, every gradient, and the reports of both graphs."""

    pcc: float
    gradients: tuple[Gradient, ...]
    reports: tuple[Report, ...]

    @property
    def ok(self) -> bool:
        return self.pcc >= 0.99 and all(one.ok for one in self.gradients)

    @property
    def worst(self) -> float:
        """The smallest correlation among the gradients that do not vanish."""
        return min(one.pcc for one in self.gradients if not one.vanishes)


def train_step(sample: Sample, **options: Any) -> Trained:
    """Forward and backward through tilesmith, and the same through torch."""
    model, twin = sample.network.train(), deepcopy(sample.network).train()
    compiled = torch.compile(model, backend=torch_backend.tilesmith_backend, options=options)
    with collect_reports() as reports:
        result, wanted = compiled(*sample.inputs), twin(*sample.inputs)
        slope = noise(*wanted.shape, seed=9)
        result.backward(slope)
        wanted.backward(slope)
    return Trained(pcc(result, wanted), _compared(model, twin), tuple(reports))


def _compared(model: nn.Module, twin: nn.Module) -> tuple[Gradient, ...]:
    pairs = [
        (name, ours.grad, theirs.grad)
        for (name, ours), theirs in zip(model.named_parameters(), twin.parameters(), strict=True)
        if theirs.grad is not None
    ]
    largest = max(float(theirs.abs().max()) for _, _, theirs in pairs)
    return tuple(
        Gradient(
            name,
            pcc(ours, theirs),
            relative_l2(ours, theirs),
            float(theirs.abs().max()) < _VANISHING * largest,
            float(ours.abs().max()) / largest,
        )
        for name, ours, theirs in pairs
        if ours is not None
    )


def _mlp() -> Sample:
    layers = (nn.Linear(32, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 32))
    return Sample(seeded(lambda: nn.Sequential(*layers)), (noise(32, 32),), RANDOM)


def _hidden(make: Callable[[], nn.Module], *inputs: torch.Tensor) -> Sample:
    return Sample(Picked(seeded(make), "last_hidden_state"), inputs, RANDOM)


def _bert() -> Sample:
    need("transformers", "BERT")
    from transformers import BertModel

    config = language.bert_config(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    return _hidden(lambda: BertModel(config, add_pooling_layer=False), tokens(128, 1, 32))


def _gpt2() -> Sample:
    need("transformers", "GPT-2")
    from transformers import GPT2Model

    config = language.gpt2_config(resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, use_cache=False)
    return _hidden(lambda: GPT2Model(config), tokens(128, 1, 32))


def _llama() -> Sample:
    need("transformers", "Llama")
    from transformers import LlamaModel

    return _hidden(lambda: LlamaModel(llama.llama_config(use_cache=False)), tokens(128, 1, 32))


def _vit() -> Sample:
    need("transformers", "ViT")
    from transformers import ViTModel

    return _hidden(lambda: ViTModel(vit.vit_config(), add_pooling_layer=False), noise(1, 3, 32, 32))


def _resnet() -> Sample:
    return Sample(seeded(lambda: resnet.resnet18(width=32, labels=10)), (noise(4, 3, 64, 64),), RANDOM)


TRAINED: dict[str, Callable[[], Sample]] = {
    "mlp": _mlp,
    "bert": _bert,
    "gpt2": _gpt2,
    "llama": _llama,
    "vit": _vit,
    "resnet18": _resnet,
}
"""Models of two layers, and ResNet-18 with fewer channels, without dropout."""
