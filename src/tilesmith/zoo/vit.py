"""Vision transformers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tilesmith.zoo.sample import Picked, Sample, noise, seeded
from tilesmith.zoo.weights import RANDOM, need, pretrained


def vit_config(**changes: Any) -> Any:
    """A vision transformer with two layers, small enough for a test: 16 patches of 8x8 pixels."""
    need("transformers", "ViT")
    from transformers import ViTConfig

    small = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 128}
    return ViTConfig(**{**small, "image_size": 32, "patch_size": 8, "num_labels": 10, **changes})


def tiny() -> Sample:
    from transformers import ViTForImageClassification

    model = seeded(lambda: ViTForImageClassification(vit_config()))
    return Sample(Picked(model, "logits"), (noise(1, 3, 32, 32),), RANDOM, classifies=True)


def full(path: Path | None) -> Sample:
    """The shape of ViT-B/16 with two layers, or a checkpoint of any depth."""
    need("transformers", "ViT")
    from transformers import ViTConfig, ViTForImageClassification

    if path is not None:
        model = pretrained(ViTForImageClassification.from_pretrained, path)
    else:
        model = seeded(lambda: ViTForImageClassification(ViTConfig(num_hidden_layers=2, num_labels=1000)))
    size = model.config.image_size
    return Sample(Picked(model, "logits"), (noise(1, 3, size, size),), str(path or RANDOM), classifies=True)
