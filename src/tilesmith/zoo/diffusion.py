"""Stable Diffusion 1.5: text encoder, UNet, image decoder, and the loop that takes noise away."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import nn

from tilesmith.zoo.sample import Loop, Picked, Sample, noise, seeded, tokens
from tilesmith.zoo.weights import RANDOM, checkpoint, need, pretrained

_WIDTH, _LONG, _VOCABULARY = 64, 32, 128
# Latents of the published autoencoder are larger than the noise they are made of by this factor.
_SCALING = 0.18215


def text_encoder() -> nn.Module:
    need("transformers", "the text encoder of Stable Diffusion")
    from transformers import CLIPTextConfig, CLIPTextModel

    config = CLIPTextConfig(
        hidden_size=_WIDTH,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        vocab_size=_VOCABULARY,
        max_position_embeddings=_LONG,
        bos_token_id=0,
        eos_token_id=_VOCABULARY - 1,
    )
    return seeded(lambda: CLIPTextModel(config))


def unet(channels: tuple[int, ...] = (64, 64, 64, 64), layers: int = 2) -> nn.Module:
    """The blocks of the published model in the published order, with few channels."""
    need("diffusers", "Stable Diffusion")
    from diffusers import UNet2DConditionModel

    down = ("CrossAttnDownBlock2D",) * (len(channels) - 1) + ("DownBlock2D",)
    return seeded(
        lambda: UNet2DConditionModel(
            sample_size=8,
            block_out_channels=channels,
            layers_per_block=layers,
            cross_attention_dim=_WIDTH,
            attention_head_dim=2,
            norm_num_groups=8,
            down_block_types=down,
            up_block_types=("UpBlock2D",) + ("CrossAttnUpBlock2D",) * (len(channels) - 1),
        )
    )


def decoder(channels: tuple[int, ...] = (32, 32)) -> nn.Module:
    need("diffusers", "Stable Diffusion")
    from diffusers import AutoencoderKL

    blocks = len(channels)
    result: Any = seeded(
        lambda: AutoencoderKL(
            block_out_channels=channels,
            latent_channels=4,
            norm_num_groups=8,
            layers_per_block=1,
            down_block_types=("DownEncoderBlock2D",) * blocks,
            up_block_types=("UpDecoderBlock2D",) * blocks,
        )
    )
    return Decoder(result)


class Decoder(nn.Module):
    """The half of the autoencoder that makes an image from a latent."""

    def __init__(self, autoencoder: Any) -> None:
        super().__init__()
        self.decoder = autoencoder.decoder
        self.post_quant_conv = autoencoder.post_quant_conv

    def forward(self, latent: torch.Tensor) -> torch.Tensor:
        image: torch.Tensor = self.decoder(self.post_quant_conv(latent))
        return image


def tiny_text() -> Sample:
    return Sample(Picked(text_encoder(), "last_hidden_state"), (tokens(_VOCABULARY, 1, _LONG),), RANDOM)


def tiny_unet() -> Sample:
    inputs = (noise(1, 4, 8, 8), torch.tensor([500]), noise(1, _LONG, _WIDTH, seed=4))
    return Sample(Picked(unet((32, 64), 1), "sample"), inputs, RANDOM)


def tiny_vae() -> Sample:
    return Sample(decoder(), (noise(1, 4, 8, 8),), RANDOM, paints=True)


def full_text(path: Path | None) -> Sample:
    if path is None:
        return tiny_text()
    from transformers import CLIPTextModel

    model = pretrained(CLIPTextModel.from_pretrained, path)
    return Sample(Picked(model, "last_hidden_state"), (tokens(model.config.vocab_size, 1, 77),), str(path))


def full_unet(path: Path | None) -> Sample:
    """All blocks of the published model, with few channels unless a checkpoint says otherwise."""
    need("diffusers", "Stable Diffusion")
    from diffusers import UNet2DConditionModel

    model = unet() if path is None else pretrained(UNet2DConditionModel.from_pretrained, path)
    config: Any = model.config
    side = config.sample_size
    text = noise(1, _LONG if path is None else 77, config.cross_attention_dim, seed=4)
    inputs = (noise(1, 4, side, side), torch.tensor([500]), text)
    return Sample(Picked(model, "sample"), inputs, str(path or RANDOM))


def full_vae(path: Path | None) -> Sample:
    need("diffusers", "Stable Diffusion")
    from diffusers import AutoencoderKL

    if path is None:
        return Sample(decoder((32, 32, 64, 64)), (noise(1, 4, 8, 8),), RANDOM, paints=True)
    result = pretrained(AutoencoderKL.from_pretrained, path)
    return Sample(Decoder(result), (noise(1, 4, 64, 64),), str(path), paints=True)


def image(
    prompt: torch.Tensor,
    latent: torch.Tensor,
    *,
    encode: Callable[..., torch.Tensor],
    denoise: Callable[..., torch.Tensor],
    decode: Callable[..., torch.Tensor],
    steps: int = 3,
    guidance: float = 1.0,
) -> torch.Tensor:
    """An image of a prompt: noise, some of which is taken away `steps` times, then decoded.

    A prompt of two rows ends with the empty one. With guidance above 1 the image goes further away from it.
    """
    need("diffusers", "Stable Diffusion")
    from diffusers import DDIMScheduler

    scheduler = DDIMScheduler(
        beta_start=0.00085,
        beta_end=0.012,
        beta_schedule="scaled_linear",
        set_alpha_to_one=False,
        steps_offset=1,
    )
    scheduler.set_timesteps(steps)
    texts = [encode(row[None]) for row in prompt]
    for time in scheduler.timesteps:
        guesses = [denoise(latent, time[None], text) for text in texts]
        guess = guesses[-1] + guidance * (guesses[0] - guesses[-1])
        latent = scheduler.step(guess, time, latent).prev_sample
    return decode(latent / _SCALING)


def _painting(denoise: nn.Module, decode: nn.Module, steps: int) -> Sample:
    models = {"encode": tiny_text().network, "denoise": denoise, "decode": decode}
    run = partial(image, steps=steps)
    inputs = (tokens(_VOCABULARY, 1, _LONG), noise(1, 4, 8, 8, seed=5))
    turns = {"encode": 1, "denoise": steps, "decode": 1}
    return Sample(Loop(models, run, turns), inputs, RANDOM, paints=True)


def tiny_image() -> Sample:
    return _painting(tiny_unet().network, decoder(), steps=3)


def full_image(path: Path | None) -> Sample:
    """An image by all blocks of the published networks, with few channels, or by those of a checkpoint."""
    if path is None:
        return _painting(Picked(unet(), "sample"), decoder((32, 32, 64, 64)), steps=2)
    parts = [load(checkpoint(path) / name) for load, name in _FOLDERS]
    models = dict(zip(("encode", "denoise", "decode"), (part.network for part in parts), strict=True))
    latent = parts[1].inputs[0]
    turns = {"encode": 1, "denoise": 2, "decode": 1}
    loop = Loop(models, partial(image, steps=2), turns)
    return Sample(loop, (parts[0].inputs[0], latent), str(path), paints=True)


_FOLDERS = ((full_text, "text_encoder"), (full_unet, "unet"), (full_vae, "vae"))
"""Where a checkpoint of Stable Diffusion has its parts."""
