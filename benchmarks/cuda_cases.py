"""The models and kernels that `cuda_speed.py` times: bfloat16, on the GPU, random weights and inputs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

Case = tuple[nn.Module, tuple[Tensor, ...]]


# ---- models ----


def _without_masks_of_ones() -> None:
    """Under tracing transformers makes masks that hide nothing; torch's attention is slower with them."""
    from transformers import masking_utils

    never = {"is_torchdynamo_exporting": False, "is_tracing": False, "find_packed_sequence_indices": None}
    always = {"_ignore_causal_mask_sdpa": True, "_ignore_bidirectional_mask_sdpa": True}
    for name, value in (never | always).items():
        if hasattr(masking_utils, name):
            setattr(masking_utils, name, lambda *_, value=value, **__: value)


class First(nn.Module):
    """The first result of a model of transformers."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: Tensor) -> Tensor:
        made: Tensor = self.model(x)[0]
        return made


def _tokens(batch: int, length: int, vocabulary: int = 30_000) -> Tensor:
    return torch.randint(0, vocabulary, (batch, length), device="cuda")


def _pictures(batch: int) -> Tensor:
    return torch.randn(batch, 3, 224, 224, device="cuda", dtype=torch.bfloat16)


def bert(batch: int) -> Case:
    from transformers import BertConfig, BertModel

    _without_masks_of_ones()
    return First(BertModel(BertConfig(), add_pooling_layer=False)), (_tokens(batch, 128),)


def gpt2() -> Case:
    from transformers import GPT2Config, GPT2LMHeadModel

    _without_masks_of_ones()
    return First(GPT2LMHeadModel(GPT2Config(use_cache=False))), (_tokens(1, 512),)


def vit() -> Case:
    from transformers import ViTConfig, ViTForImageClassification

    return First(ViTForImageClassification(ViTConfig(num_labels=1000))), (_pictures(1),)


def resnet50(batch: int) -> Case:
    from tilesmith.zoo.resnet import ResNet

    model = ResNet((3, 4, 6, 3), 4)
    for one in model.modules():
        if isinstance(one, nn.BatchNorm2d) and one.running_var is not None and one.running_mean is not None:
            nn.init.uniform_(one.running_var, 0.5, 1.5)
            nn.init.normal_(one.running_mean, std=0.1)
    return model, (_pictures(batch),)


class LlamaLayer(nn.Module):
    """Attention with rotary embeddings and a gated unit, as Llama has them."""

    def __init__(self, width: int, heads: int, inner: int) -> None:
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.gate, self.up = nn.Linear(width, inner, bias=False), nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)
        self.before, self.after = nn.RMSNorm(width, 1e-5), nn.RMSNorm(width, 1e-5)

    def forward(
        self, x: Tensor, cos: Tensor, sin: Tensor, past: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        batch, length, width = x.shape
        y = self.before(x)
        q, k, v = (
            one(y).view(batch, length, self.heads, -1).transpose(1, 2) for one in (self.q, self.k, self.v)
        )
        q, k = q * cos + _turned(q) * sin, k * cos + _turned(k) * sin
        new_k, new_v = k, v
        if past is not None:
            k, v = torch.cat((past[0], k), 2), torch.cat((past[1], v), 2)
        seen = functional.scaled_dot_product_attention(q, k, v, is_causal=past is None)
        x = x + self.o(seen.transpose(1, 2).reshape(batch, length, width))
        y = self.after(x)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y)), new_k, new_v


def _turned(x: Tensor) -> Tensor:
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), -1)


class Llama(nn.Module):
    """Twelve layers; with a cache of keys and values, the step after it."""

    def __init__(self, first: int, length: int, layers: int = 12, width: int = 768, heads: int = 12) -> None:
        super().__init__()
        self.embedding = nn.Embedding(32_000, width)
        self.layers = nn.ModuleList(LlamaLayer(width, heads, 2048) for _ in range(layers))
        self.norm, self.head = nn.RMSNorm(width, 1e-5), nn.Linear(width, 32_000, bias=False)
        each = width // heads
        angles = torch.arange(first, first + length)[:, None] / 10_000 ** (torch.arange(0, each, 2) / each)
        self.register_buffer("cos", torch.cat((angles, angles), -1).cos())
        self.register_buffer("sin", torch.cat((angles, angles), -1).sin())

    def forward(self, ids: Tensor, cache: Tensor | None = None) -> tuple[Tensor, ...]:
        x = self.embedding(ids)
        new = []
        for number, layer in enumerate(self.layers):
            past = None if cache is None else (cache[number, 0], cache[number, 1])
            x, k, v = layer(x, self.cos, self.sin, past)
            new += [k, v] if past is not None else []
        return (self.head(self.norm(x)), *new)


def llama_decode() -> Case:
    cache = torch.randn(12, 2, 1, 12, 512, 64, device="cuda", dtype=torch.bfloat16)
    return Llama(512, 1), (_tokens(1, 1), cache)


MODELS: dict[str, Callable[[], Case]] = {
    "bert_b1": lambda: bert(1),
    "bert_b16": lambda: bert(16),
    "resnet50_b1": lambda: resnet50(1),
    "resnet50_b16": lambda: resnet50(16),
    "gpt2_s512": gpt2,
    "vit_b1": vit,
    "llama_s512": lambda: (Llama(0, 512), (_tokens(1, 512),)),
    "llama_decode": llama_decode,
}


# ---- kernels ----


class Call(nn.Module):
    """A function as a model."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Tensor) -> Any:
        return self.function(*args)


def _noise(*shape: int) -> Tensor:
    return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)


def product(rows: int, outputs: int, inner: int, gelu: bool = False) -> Case:
    linear = nn.Linear(inner, outputs)
    return nn.Sequential(linear, nn.GELU()) if gelu else linear, (_noise(rows, inner),)


def attention(length: int, width: int, causal: bool) -> Case:
    batch, heads = max(1, 8192 // length), 1024 // width

    def run(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return functional.scaled_dot_product_attention(q, k, v, is_causal=causal)

    return Call(run), tuple(_noise(batch, heads, length, width) for _ in range(3))


def rows_of(columns: int) -> tuple[Tensor]:
    return (_noise((1 << 26) // columns // 32 * 32, columns),)


def softmax(columns: int) -> Case:
    return nn.Softmax(-1), rows_of(columns)


def layer_norm(columns: int) -> Case:
    return nn.LayerNorm(columns), rows_of(columns)


def rms_norm(columns: int) -> Case:
    return nn.RMSNorm(columns, 1e-5), rows_of(columns)


def convolution(inputs: int, outputs: int, size: int, window: int) -> Case:
    images = _noise(16, inputs, size, size).contiguous(memory_format=torch.channels_last)
    model = nn.Conv2d(inputs, outputs, window, padding=window // 2, bias=False)
    model.weight.data = model.weight.data.contiguous(memory_format=torch.channels_last)
    return model, (images,)


def rotary() -> Case:
    def run(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        return x * cos + _turned(x) * sin

    return Call(run), (_noise(1, 32, 4096, 128), _noise(4096, 128), _noise(4096, 128))


_SKINNY = (
    (128, 768, 768),
    (128, 2304, 768),
    (128, 3072, 768),
    (128, 768, 3072),
    (2048, 3072, 768),
    (2048, 768, 3072),
)
_CONVOLUTIONS = (
    *((64, 64, 56, 3), (128, 128, 28, 3), (256, 256, 14, 3), (512, 512, 7, 3)),
    *((256, 64, 56, 1), (64, 256, 56, 1), (512, 128, 28, 1), (1024, 256, 14, 1), (2048, 512, 7, 1)),
)

KERNELS: dict[str, Callable[[], Case]] = {
    **{f"gemm_{size}": partial(product, size, size, size) for size in (1024, 2048, 4096, 8192)},
    **{f"gemm_gelu_{size}": partial(product, size, size, size, True) for size in (1024, 4096)},
    **{f"gemm_{m}x{n}x{k}": partial(product, m, n, k) for m, n, k in _SKINNY},
    **{f"gemm_gelu_{m}x{n}x{k}": partial(product, m, n, k, True) for m, n, k in _SKINNY[2::2]},
    **{
        f"attention_s{length}_d{width}{'_causal' if causal else ''}": partial(
            attention, length, width, causal
        )
        for width in (64, 128)
        for length in (512, 1024, 2048, 4096, 8192)
        for causal in (False, True)
    },
    **{f"softmax_{size}": partial(softmax, size) for size in (768, 4096, 8192, 32768)},
    **{f"layer_norm_{size}": partial(layer_norm, size) for size in (768, 4096, 8192, 32768)},
    **{f"rms_norm_{size}": partial(rms_norm, size) for size in (768, 4096)},
    **{
        f"conv{window}x{window}_{inputs}_{outputs}_{size}": partial(
            convolution, inputs, outputs, size, window
        )
        for inputs, outputs, size, window in _CONVOLUTIONS
    },
    "rotary": rotary,
}
