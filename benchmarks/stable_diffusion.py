"""Stable Diffusion 1.5 at its published widths, random weights: predicted at 512x512, computed at 256x256.

`benchmarks/seed_goals.py` runs it; see there for the command line.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
from conformance.published_cases import unet
from torch import nn

STEPS = 20
TEXT, UNET, DECODER = "text encoder", "UNet step", "VAE decoder"
Maker = Callable[[], tuple[nn.Module, tuple[Any, ...]]]


def text_encoder() -> nn.Module:
    """CLIP ViT-L/14's text model: what the config does not say is its default."""
    from transformers import CLIPTextConfig, CLIPTextModel

    config = CLIPTextConfig(
        hidden_size=768, intermediate_size=3072, num_hidden_layers=12, num_attention_heads=12
    )
    make: Callable[..., nn.Module] = CLIPTextModel
    return make(config)


def decoder() -> nn.Module:
    from diffusers import AutoencoderKL

    from tilesmith.zoo.diffusion import Decoder

    blocks = 4
    whole: Any = AutoencoderKL(
        block_out_channels=(128, 256, 512, 512),
        layers_per_block=2,
        latent_channels=4,
        down_block_types=("DownEncoderBlock2D",) * blocks,
        up_block_types=("UpDecoderBlock2D",) * blocks,
    )
    return Decoder(whole)


def models(image_side: int) -> dict[str, Maker]:
    """Each model with inputs for an image of a side; the UNet sees one latent, as without guidance."""
    from tilesmith.zoo.sample import Picked

    side = image_side // 8
    latent, step, text = torch.randn(1, 4, side, side), torch.tensor([500]), torch.randn(1, 77, 768)
    return {
        TEXT: lambda: (Picked(text_encoder(), "last_hidden_state"), (torch.randint(0, 1000, (1, 77)),)),
        UNET: lambda: (Picked(unet(), "sample"), (latent, step, text)),
        DECODER: lambda: (decoder(), (latent,)),
    }


def predicted_rows(targets: tuple[str, ...], only: str, **options: Any) -> Iterator[dict[str, Any]]:
    """Each model on each chip at 512x512, and an image of 20 steps without guidance and with it.

    Guidance calls the UNet twice a step, with the prompt and with an empty one, which is encoded too.
    """
    from benchmarks.predicted_time import predicted

    for target in targets:
        times: dict[str, float] = {}
        for name, make in models(512).items():
            if only not in name:
                continue
            torch.manual_seed(0)
            model, inputs = make()
            begin = time.perf_counter()
            found = predicted(model.eval(), inputs, target, **options)
            times[name] = found["microseconds"]
            took = round(time.perf_counter() - begin)
            yield {"work": f"Stable Diffusion 512x512, {name}", "target": target, **found, "took_s": took}
            del model
        if len(times) == len(models(512)):
            for guidance, calls in (("without guidance", 1), ("with guidance", 2)):
                total = calls * (times[TEXT] + STEPS * times[UNET]) + times[DECODER]
                work = f"Stable Diffusion 512x512, {STEPS} steps {guidance}"
                yield {"work": work, "target": target, "microseconds": total}


def computed_rows(image_side: int, numbers: str, checks: str, only: str) -> Iterator[dict[str, Any]]:
    """The UNet and the decoder computed on the emulator, and their correlation with torch in float32."""
    import tilesmith

    for name, make in models(image_side).items():
        if name == TEXT or only not in name:
            continue
        torch.manual_seed(0)
        model, inputs = make()
        with torch.no_grad():
            wanted = model.eval()(*inputs)
        begin = time.perf_counter()
        compiled: Any = tilesmith.compile(model, optimization_level="O2", checks=checks, numbers=numbers)
        found = compiled(*inputs)
        row: dict[str, Any] = {
            "work": f"Stable Diffusion {image_side}x{image_side} computed, {name}",
            "numbers": numbers,
            "checks": checks,
            "pcc": float(torch.corrcoef(torch.stack([found.flatten(), wanted.flatten()]))[0, 1]),
            "relative_l2": float((found - wanted).norm() / wanted.norm()),
            "kernels": len(compiled.report.kernels),
            "host_operators": len(compiled.report.host),
            "took_s": round(time.perf_counter() - begin),
        }
        yield row
        del compiled, model
