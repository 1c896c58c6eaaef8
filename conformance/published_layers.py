"""One layer of each model whose rate the vendor publishes, as wide as in the model."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from conformance.published_cases import (
    Model,
    Picked,
    bert,
    falcon_layer,
    llama_1b_layer,
    mnist_mlp,
)


def layer_of(name: str) -> Model:
    """The layer of the row of that name, which may begin with the name of another row.

    >>> layer, inputs = layer_of("mnist_b128")
    >>> layer(*inputs).shape
    torch.Size([128, 10])
    """
    return next(make for start, make in _LAYERS.items() if name.startswith(start))()


def _bottleneck() -> Model:
    """The second block of ResNet-50's second stage: both kinds of windows, and a stride."""
    from tilesmith.zoo.resnet import Block

    blocks = nn.Sequential(Block(256, 128, 2, 4), Block(512, 128, 1, 4))
    return blocks, (torch.randn(1, 256, 56, 56).relu(),)


def _inverted_residual() -> Model:
    from transformers import MobileNetV2Config
    from transformers.models.mobilenet_v2.modeling_mobilenet_v2 import MobileNetV2InvertedResidual

    config = MobileNetV2Config(tf_padding=False)
    blocks = [MobileNetV2InvertedResidual(config, 24, 32, 2), MobileNetV2InvertedResidual(config, 32, 32, 1)]
    return nn.Sequential(*blocks), (torch.randn(1, 24, 56, 56),)


def _image_transformer() -> Model:
    from transformers import ViTConfig, ViTForImageClassification

    config = ViTConfig(num_labels=1000, num_hidden_layers=1)
    return Picked(ViTForImageClassification(config), "logits"), (torch.randn(1, 3, 224, 224),)


def _unet_blocks() -> Model:
    """A UNet of one width, so two of each of its layers, with a small image."""
    from diffusers import UNet2DConditionModel

    unet = UNet2DConditionModel(
        sample_size=16,
        block_out_channels=(320, 640),
        layers_per_block=1,
        cross_attention_dim=768,
        attention_head_dim=8,
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
    )
    inputs = (torch.randn(2, 4, 16, 16), torch.full((1,), 500), torch.randn(2, 77, 768))
    return Picked(unet, "sample"), inputs


_LAYERS: dict[str, Callable[[], Model]] = {
    "mnist": lambda: mnist_mlp(128),
    "mobilenetv2": _inverted_residual,
    "resnet50": _bottleneck,
    "vit": _image_transformer,
    "bert_large": lambda: bert(1, 1024, 1, 128),
    "sentence_bert": lambda: bert(1, 768, 1, 128),
    "falcon7b_decode": lambda: falcon_layer(32, 1, 128),
    "falcon7b_prefill": lambda: falcon_layer(1, 128),
    "llama1b_decode": lambda: llama_1b_layer(32, 1, 128),
    "sd_unet": _unet_blocks,
}
