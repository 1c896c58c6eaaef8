"""The models whose rates the vendor publishes for hand-tuned code, with random weights and inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from tilesmith.models.backends.resident import Resident
from tilesmith.models.backends.tenstorrent import TenstorrentBackend, TenstorrentExecutable
from tilesmith.models.capture.fx import export
from tilesmith.models.generation.state import mark_residents
from tilesmith.models.options import ModelOptions
from tilesmith.models.planning.specialize import copied, specialise

Model = tuple[nn.Module, tuple[Tensor, ...]]
Formats = dict[str, str]

BLOCK_FLOAT: Formats = {"weights": "bfloat8_b", "activations": "bfloat8_b", "approximate": "safe"}
LOFI: Formats = {**BLOCK_FLOAT, "fidelity": "LoFi"}
HIFI2: Formats = {**BLOCK_FLOAT, "fidelity": "HiFi2"}
NARROW_WEIGHTS: Formats = {"weights": "bfloat8_b", "fidelity": "HiFi2", "approximate": "safe"}


@dataclass(frozen=True)
class Case:
    """A model and its published rate, in samples a second; a sample is what `samples` counts in one call."""

    name: str
    target: str
    make: Callable[[], Model]
    samples: int
    rate: float
    formats: Formats
    """The formats, fidelity and approximations of the published figure, as options of `compile`."""
    layers: int = 1
    """Of so many equal layers one is compiled; the published time is divided by them."""
    state: tuple[int, ...] = ()
    """Inputs that stay on the device from call to call, and are written in place, as a cache."""
    metric: Literal["kernel", "end to end"] = "kernel"

    @property
    def published_us(self) -> float:
        return self.samples / self.rate / self.layers * 1e6


class Picked(nn.Module):
    """One result of a model of transformers or diffusers."""

    def __init__(self, model: nn.Module, name: str) -> None:
        super().__init__()
        self.model, self.name = model, name

    def forward(self, *args: Tensor) -> Tensor:
        result: Tensor = getattr(self.model(*args), self.name)
        return result


# ---- images ----


def pictures(batch: int) -> tuple[Tensor]:
    return (torch.randn(batch, 3, 224, 224),)


def resnet50(batch: int) -> Model:
    from tilesmith.zoo.resnet import ResNet

    return ResNet((3, 4, 6, 3), 4), pictures(batch)


def mobilenet_v2(batch: int) -> Model:
    from transformers import MobileNetV2Config, MobileNetV2ForImageClassification

    config = MobileNetV2Config(num_labels=1000, tf_padding=False)
    return Picked(MobileNetV2ForImageClassification(config), "logits"), pictures(batch)


def vit(batch: int) -> Model:
    from transformers import ViTConfig, ViTForImageClassification

    return Picked(ViTForImageClassification(ViTConfig(num_labels=1000)), "logits"), pictures(batch)


def mnist_mlp(batch: int) -> Model:
    layers = (nn.Linear(784, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))
    return nn.Sequential(*layers), (torch.randn(batch, 784),)


def unet() -> nn.Module:
    """860 million weights."""
    from diffusers import UNet2DConditionModel

    result: nn.Module = UNet2DConditionModel(
        sample_size=64,
        block_out_channels=(320, 640, 1280, 1280),
        layers_per_block=2,
        cross_attention_dim=768,
        attention_head_dim=8,
        down_block_types=("CrossAttnDownBlock2D",) * 3 + ("DownBlock2D",),
        up_block_types=("UpBlock2D",) + ("CrossAttnUpBlock2D",) * 3,
    )
    return result


def unet_step() -> Model:
    """One step of Stable Diffusion 1.4 with guidance, so two latents."""
    inputs = (torch.randn(2, 4, 64, 64), torch.full((1,), 500), torch.randn(2, 77, 768))
    return Picked(unet(), "sample"), inputs


# ---- language ----


def bert(layers: int, width: int, batch: int, length: int) -> Model:
    from transformers import BertConfig, BertModel

    config = BertConfig(
        num_hidden_layers=layers,
        hidden_size=width,
        num_attention_heads=width // 64,
        intermediate_size=4 * width,
    )
    make: Callable[..., nn.Module] = BertModel
    return Picked(make(config, add_pooling_layer=False), "last_hidden_state"), (
        torch.randint(0, 1000, (batch, length)),
    )


class DecoderLayer(nn.Module):
    """A layer of Llama, or of Falcon: one norm for attention and a plain unit beside it.

    With keys and values it makes one token, and writes its own to their place in that cache.
    """

    def __init__(self, width: int, heads: int, shared: int, inner: int, is_falcon: bool) -> None:
        super().__init__()
        self.heads, self.shared, self.each = heads, shared, width // heads
        self.is_falcon = is_falcon
        self.qkv = nn.Linear(width, (heads + 2 * shared) * self.each, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.up, self.down = nn.Linear(width, inner, bias=False), nn.Linear(inner, width, bias=False)
        self.before: nn.Module = nn.LayerNorm(width) if is_falcon else nn.RMSNorm(width, 1e-5)
        if not is_falcon:
            self.gate, self.after = nn.Linear(width, inner, bias=False), nn.RMSNorm(width, 1e-5)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, *cache: Tensor) -> Tensor:
        y = self.before(x)
        seen = self._attention(y, cos, sin, *cache)
        made: Tensor
        if self.is_falcon:
            made = x + seen + self.down(functional.gelu(self.up(y)))
        else:
            x = x + seen
            y = self.after(x)
            made = x + self.down(functional.silu(self.gate(y)) * self.up(y))
        return made

    def _attention(
        self,
        y: Tensor,
        cos: Tensor,
        sin: Tensor,
        keys: Tensor | None = None,
        values: Tensor | None = None,
        place: Tensor | None = None,
        mask: Tensor | None = None,
    ) -> Tensor:
        batch, length, width = y.shape
        parts = self.qkv(y).split((width, self.shared * self.each, self.shared * self.each), -1)
        q, k, v = (one.view(batch, length, -1, self.each).transpose(1, 2) for one in parts)
        q, k = q * cos + _turned(q) * sin, k * cos + _turned(k) * sin
        if keys is not None and values is not None and place is not None:
            k, v = keys.index_copy_(2, place, k), values.index_copy_(2, place, v)
        seen = functional.scaled_dot_product_attention(
            q, k, v, mask, is_causal=mask is None, enable_gqa=self.heads != self.shared
        )
        made: Tensor = self.out(seen.transpose(1, 2).reshape(batch, length, width))
        return made


def _turned(x: Tensor) -> Tensor:
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), -1)


def falcon_layer(batch: int, length: int, past: int = 0) -> Model:
    return _decoder((4544, 71, 1, 4 * 4544, True), batch, length, past)


def llama_1b_layer(batch: int, length: int, past: int = 0) -> Model:
    return _decoder((2048, 32, 8, 8192, False), batch, length, past)


def _decoder(sizes: tuple[int, int, int, int, bool], batch: int, length: int, past: int) -> Model:
    width, heads, shared, *_ = sizes
    angles = torch.randn(2, length, width // heads)
    inputs: tuple[Tensor, ...] = (torch.randn(batch, length, width), angles[0], angles[1])
    if past:
        held = past + 32
        keys, values = (torch.randn(batch, shared, held, width // heads) for _ in range(2))
        inputs = (*inputs, keys, values, torch.tensor([past]), torch.arange(held)[None, None, None] <= past)
    return DecoderLayer(*sizes), inputs


CACHE = (3, 4)
"""The keys and values among the inputs of a layer that decodes."""


CASES = (
    Case("resnet50_b16", "n150", lambda: resnet50(16), 16, 6335, LOFI),
    Case("mobilenetv2_b10", "n150", lambda: mobilenet_v2(10), 10, 3730, LOFI),
    Case("vit_b8", "n150", lambda: vit(8), 8, 1560, HIFI2),
    Case("bert_large_b8", "n150", lambda: bert(24, 1024, 8, 384), 8, 371, HIFI2),
    Case("sentence_bert_b8", "n150", lambda: bert(12, 768, 8, 384), 8, 460, HIFI2),
    Case("mnist_b128", "n150", lambda: mnist_mlp(128), 128, 1_235_000, {}),
    Case(
        "falcon7b_decode_b32", "n150", lambda: falcon_layer(32, 1, 128), 32, 647, NARROW_WEIGHTS, 32,
        CACHE,
    ),
    Case("falcon7b_prefill_1024", "n150", lambda: falcon_layer(1, 1024), 1024, 3120, NARROW_WEIGHTS, 32),
    Case(
        "llama1b_decode_b32", "n150", lambda: llama_1b_layer(32, 1, 128), 1, 80.5, NARROW_WEIGHTS, 16,
        CACHE, "end to end",
    ),
    Case("sd_unet_step", "n150", unet_step, 1, 13.5, LOFI),
    Case("resnet50_b16_p150", "p150", lambda: resnet50(16), 16, 11_864, LOFI),
    Case("resnet50_b32_p150", "p150", lambda: resnet50(32), 32, 14_958, LOFI),
    Case("sentence_bert_b8_p150", "p150", lambda: bert(12, 768, 8, 384), 8, 1015, HIFI2),
    Case("vit_b10_p150", "p150", lambda: vit(10), 10, 4500, HIFI2),
)  # fmt: skip
"""Rates that are published for one chip of an n300 are taken for an n150, which has the same chip."""


def compiled(
    model: nn.Module, inputs: tuple[torch.Tensor, ...], state: tuple[int, ...], options: ModelOptions
) -> TenstorrentExecutable:
    """A model as it is compiled for a call, or for a step of generation whose cache stays on the device."""
    captured = export(model, inputs)
    given = [Resident(one) if number in state else one for number, one in enumerate(inputs)]
    module = specialise(copied(captured.module), given)
    mark_residents(module, captured, given, in_place=True)
    executable = TenstorrentBackend(options).compile(module, given)
    assert isinstance(executable, TenstorrentExecutable)
    return executable
