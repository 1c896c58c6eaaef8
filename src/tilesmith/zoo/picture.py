"""Images that a model makes, as files."""

from __future__ import annotations

from pathlib import Path

import torch

from tilesmith.errors import BadCallError
from tilesmith.zoo.weights import need


def check_picture(name: str, paints: bool, path: Path) -> None:
    """Refuse what cannot be written, before the model runs."""
    if not paints:
        raise BadCallError(
            f"{name} makes no image",
            where="zoo run --out",
            remedy="sd and sd-vae do: `zoo run sd --out image.png`",
        )
    need("PIL", "writing images")
    from PIL import Image

    Image.init()
    if Image.EXTENSION.get(path.suffix.lower()) not in Image.SAVE:
        raise BadCallError(
            f"{path.name} has no ending of an image", where="zoo run --out", remedy="name it image.png"
        )


def save_picture(image: torch.Tensor, path: Path) -> None:
    """Write the first image of a batch (image, channel, row, column) whose values go from -1 to 1."""
    from PIL import Image

    pixels = ((image[0].detach().float() / 2 + 0.5).clamp(0, 1) * 255).round().to(torch.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels.permute(1, 2, 0).contiguous().numpy()).save(path)
