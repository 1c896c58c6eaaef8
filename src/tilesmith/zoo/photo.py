"""A photo to classify: one of those that scikit-learn carries."""

from __future__ import annotations

import torch

from tilesmith.zoo.weights import need, wheel_file


def photo(size: int, mean: float, deviation: float, name: str = "flower.jpg") -> torch.Tensor:
    """The middle of a photo, as a batch of one image with values around 0."""
    need("PIL", "the sample photo")
    import numpy as np
    from PIL import Image

    path = wheel_file("sklearn", f"datasets/images/{name}", "scikit-learn")
    with Image.open(path) as image:
        side = round(size * 256 / 224)
        scale = side / min(image.size)
        wide, high = (round(one * scale) for one in image.size)
        small = image.convert("RGB").resize((wide, high), Image.Resampling.BICUBIC)
        left, top = (wide - size) // 2, (high - size) // 2
        pixels = np.asarray(small.crop((left, top, left + size, top + size)), dtype=np.float32) / 255
    return torch.from_numpy((pixels - mean) / deviation).permute(2, 0, 1)[None].contiguous()
