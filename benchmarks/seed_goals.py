"""GEMM, convolution, attention, BERT and Stable Diffusion: predicted on the chips, beside torch eager here.

    python -m benchmarks.seed_goals --json           n150 and p150 by the clock, torch on this CPU, and a GPU
    python benchmarks/seed_goals.py --torch-only     torch alone, where tilesmith's packages are not
    python -m benchmarks.seed_goals --sd predict     Stable Diffusion 1.5, random weights, 512x512, 20 steps
    python -m benchmarks.seed_goals --sd compute     one step of the UNet and the decoder, at 256x256

Predictions are of kernels and their launches, with weights on the device. Torch's are the best of some calls.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

TARGETS = ("n150", "p150")
STEPS = 20


class Product(nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(size, size) / size**0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x @ self.weight


class Attention(nn.Module):
    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return nn.functional.scaled_dot_product_attention(q, k, v)


def bert() -> tuple[nn.Module, tuple[Any, ...]]:
    from transformers import BertConfig, BertModel

    make: Callable[..., nn.Module] = BertModel
    return make(BertConfig(), add_pooling_layer=False), (torch.randint(0, 1000, (1, 128)),)


WORK: dict[str, Callable[[], tuple[nn.Module, tuple[Any, ...]]]] = {
    "GEMM 1024": lambda: (Product(1024), (torch.randn(1024, 1024),)),
    "conv 3x3, 64 channels, 56x56": lambda: (nn.Conv2d(64, 64, 3, padding=1), (torch.randn(1, 64, 56, 56),)),
    "attention 12 heads, 512 tokens": lambda: (Attention(), tuple(torch.randn(3, 1, 12, 512, 64))),
    "BERT-base, 128 tokens": bert,
}


def made(name: str) -> tuple[nn.Module, tuple[Any, ...]]:
    torch.manual_seed(0)
    model, inputs = WORK[name]()
    return model.eval(), inputs


def eager_us(model: nn.Module, inputs: tuple[Any, ...], device: str, dtype: torch.dtype) -> float:
    """The best of some calls on a device."""
    model = model.to(device, dtype)
    given = [one.to(device, dtype if one.is_floating_point() else one.dtype) for one in inputs]
    best = float("inf")
    with torch.no_grad():
        for _ in range(12):
            _wait(device)
            begin = time.perf_counter()
            model(*given)
            _wait(device)
            best = min(best, time.perf_counter() - begin)
    return best * 1e6


def _wait(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def torch_columns(name: str) -> dict[str, float]:
    columns = {"cpu float32": eager_us(*made(name), "cpu", torch.float32)}
    if torch.cuda.is_available():
        gpu = torch.cuda.get_device_name()
        for dtype in (torch.float32, torch.bfloat16):
            columns[f"{gpu} {str(dtype).removeprefix('torch.')}"] = eager_us(*made(name), "cuda", dtype)
    return columns


def table(torch_only: bool, only: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for name in (one for one in WORK if only in one):
        row: dict[str, Any] = {"work": name, **torch_columns(name)}
        if not torch_only:
            from benchmarks.predicted_time import predicted

            for target in TARGETS:
                row[target] = predicted(*made(name), target, optimization_level="O2")["microseconds"]
        rows.append(
            {key: round(value, 1) if isinstance(value, float) else value for key, value in row.items()}
        )
        print(json.dumps(rows[-1]), flush=True)
    return rows


# ---- Stable Diffusion 1.5 at its published widths ----


def sd_text() -> nn.Module:
    from transformers import CLIPTextConfig, CLIPTextModel

    config = CLIPTextConfig(
        hidden_size=768, intermediate_size=3072, num_hidden_layers=12, num_attention_heads=12
    )
    make: Callable[..., nn.Module] = CLIPTextModel
    return make(config)


def sd_unet() -> nn.Module:
    from diffusers import UNet2DConditionModel

    down = ("CrossAttnDownBlock2D",) * 3 + ("DownBlock2D",)
    up = ("UpBlock2D",) + ("CrossAttnUpBlock2D",) * 3
    made: nn.Module = UNet2DConditionModel(
        sample_size=64,
        block_out_channels=(320, 640, 1280, 1280),
        layers_per_block=2,
        cross_attention_dim=768,
        attention_head_dim=8,
        down_block_types=down,
        up_block_types=up,
    )
    return made


def sd_decoder() -> nn.Module:
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


def sd_parts(side: int) -> dict[str, Callable[[], tuple[nn.Module, tuple[Any, ...]]]]:
    """Each part with inputs for latents of a side; the UNet sees one latent, as without guidance."""
    from tilesmith.zoo.sample import Picked

    latent, step, text = torch.randn(1, 4, side, side), torch.tensor([500]), torch.randn(1, 77, 768)
    return {
        "text encoder": lambda: (Picked(sd_text(), "last_hidden_state"), (torch.randint(0, 1000, (1, 77)),)),
        "UNet step": lambda: (Picked(sd_unet(), "sample"), (latent, step, text)),
        "VAE decoder": lambda: (sd_decoder(), (latent,)),
    }


def sd_predicted(targets: tuple[str, ...], level: str, only: str) -> list[dict[str, Any]]:
    """Each part on each chip, and all of an image: text, a call of the UNet for each step, decoder."""
    from benchmarks.predicted_time import predicted

    rows: list[dict[str, Any]] = []
    for target in targets:
        total = 0.0
        for name, make in sd_parts(64).items():
            if only not in name:
                continue
            torch.manual_seed(0)
            model, inputs = make()
            begin = time.perf_counter()
            found = predicted(model.eval(), inputs, target, optimization_level=level)
            total += found["microseconds"] * (STEPS if name == "UNet step" else 1)
            row = {"target": target, "part": name, **found, "took_s": round(time.perf_counter() - begin)}
            rows.append(row)
            print(json.dumps(row), flush=True)
        rows.append({"target": target, "part": f"image of {STEPS} steps", "microseconds": total})
        print(json.dumps(rows[-1]), flush=True)
    return rows


def sd_computed(side: int, only: str) -> list[dict[str, Any]]:
    """The UNet and the decoder computed on the emulator in float32, and their correlation with torch."""
    import tilesmith

    rows: list[dict[str, Any]] = []
    for name, make in sd_parts(side).items():
        if name == "text encoder" or only not in name:
            continue
        torch.manual_seed(0)
        model, inputs = make()
        with torch.no_grad():
            wanted = model.eval()(*inputs)
        begin = time.perf_counter()
        compiled: Any = tilesmith.compile(model, optimization_level="O1", checks="off", numbers="fast")
        found = compiled(*inputs)
        pcc = float(torch.corrcoef(torch.stack([found.flatten(), wanted.flatten()]))[0, 1])
        took = round(time.perf_counter() - begin)
        rows.append(
            {"part": name, "side": 8 * side, "pcc": pcc, "host": len(compiled.report.host), "took_s": took}
        )
        print(json.dumps(rows[-1]), flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--json", action="store_true", help="all rows as one list at the end")
    parser.add_argument("--torch-only", action="store_true")
    parser.add_argument("--sd", choices=("predict", "compute"))
    parser.add_argument("--side", type=int, default=256, help="of the image that is computed")
    parser.add_argument("--level", default="O1", help="of what is predicted for Stable Diffusion")
    parser.add_argument("--target", nargs="*", default=TARGETS)
    parser.add_argument("--only", default="", help="rows or parts whose name has this in it")
    given = parser.parse_args()
    if given.sd == "predict":
        rows = sd_predicted(tuple(given.target), given.level, given.only)
    elif given.sd == "compute":
        rows = sd_computed(given.side // 8, given.only)
    else:
        rows = table(given.torch_only, given.only)
    if given.json:
        print(json.dumps(rows))


if __name__ == "__main__":
    main()
