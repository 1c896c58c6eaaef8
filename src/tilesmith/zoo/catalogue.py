"""Every model of the zoo, one line each."""

from __future__ import annotations

from pathlib import Path

from tilesmith.errors import BadCallError
from tilesmith.zoo import diffusion, efficientnet, language, llama, mlp, resnet, vit
from tilesmith.zoo.sample import Entry, Sample, Size

ENTRIES: tuple[Entry, ...] = (
    Entry("mlp", "a perceptron", mlp.tiny, mlp.full),
    Entry("bert", "MiniLM: sentences as vectors", language.tiny_bert, language.full_bert, "real"),
    Entry("gpt2", "GPT-2: the next token", language.tiny_gpt2, language.full_gpt2),
    Entry("llama", "SmolLM2: grouped-query attention, cache, generation", llama.tiny, llama.full, "real"),
    Entry("vit", "a vision transformer", vit.tiny, vit.full),
    Entry("resnet18", "ResNet-18", resnet.tiny_18, resnet.full_18),
    Entry("resnet50", "ResNet-50", resnet.tiny_50, resnet.full_50),
    Entry("efficientnet", "EfficientNet-Lite0: photos", efficientnet.tiny, efficientnet.full, "real"),
    Entry("sd-text", "Stable Diffusion: the text encoder", diffusion.tiny_text, diffusion.full_text),
    Entry("sd-unet", "Stable Diffusion: the UNet", diffusion.tiny_unet, diffusion.full_unet),
    Entry("sd-vae", "Stable Diffusion: the image decoder", diffusion.tiny_vae, diffusion.full_vae),
    Entry("sd", "Stable Diffusion: an image from a prompt", diffusion.tiny_image, diffusion.full_image),
)


def find(name: str) -> Entry:
    """The entry of a name.

    >>> find("mlp").sentence
    'a perceptron'
    """
    for entry in ENTRIES:
        if entry.name == name:
            return entry
    known = ", ".join(entry.name for entry in ENTRIES)
    raise BadCallError(
        f"there is no model {name!r} in the zoo", where="zoo", remedy=f"choose one of: {known}"
    )


def load(name: str, size: Size = "full", checkpoint: Path | None = None) -> Sample:
    """A model with weights and inputs to try it on.

    >>> load("mlp", "tiny").inputs[0].shape
    torch.Size([32, 64])
    """
    entry = find(name)
    if size == "tiny" and checkpoint is not None:
        raise BadCallError(
            f"the tiny {name} has random weights, and does not read {checkpoint}",
            where="zoo",
            remedy="leave out --tiny, or --weights",
        )
    return entry.tiny() if size == "tiny" else entry.full(checkpoint)
