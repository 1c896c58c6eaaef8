"""GEMM, convolution, attention, BERT and Stable Diffusion: predicted on the chips, beside torch eager here.

    python -m benchmarks.seed_goals --json           n150 and p150 by the clock, torch on this CPU, and a GPU
    python benchmarks/seed_goals.py --torch-only     torch alone, where tilesmith's packages are not
    python -m benchmarks.seed_goals --skip sd        without Stable Diffusion, which takes an hour or more
    python -m benchmarks.seed_goals --only UNet      the rows whose name has this in it

Predictions are of kernels and their launches, with weights on the device. Torch's are the best of some calls.
Stable Diffusion 1.5 has its published widths and random weights: 20 steps at 512x512 are predicted, a step of
the UNet and the decoder are computed at 256x256 and compared with torch.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import nn

TARGETS = ("n150", "p150")


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


def stable_diffusion(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    from benchmarks.stable_diffusion import computed_rows, predicted_rows

    if "predict" not in given.skip:
        options = {"optimization_level": "O2", "convolution": given.convolution}
        yield from predicted_rows(tuple(given.target), given.only, **options)
    if "compute" not in given.skip:
        yield from computed_rows(given.side, given.numbers, given.checks, given.only)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--json", action="store_true", help="all rows as one list at the end")
    parser.add_argument("--torch-only", action="store_true")
    parser.add_argument("--only", default="", help="rows whose name has this in it")
    parser.add_argument("--skip", nargs="*", default=[], choices=("work", "sd", "predict", "compute"))
    parser.add_argument("--target", nargs="*", default=TARGETS)
    parser.add_argument("--convolution", default="direct", help="of what is predicted for Stable Diffusion")
    parser.add_argument("--side", type=int, default=256, help="of the image that is computed")
    parser.add_argument("--numbers", default="chip", choices=("chip", "fast"), help="of what is computed")
    parser.add_argument("--checks", default="on", choices=("on", "off"), help="of what is computed")
    given = parser.parse_args()
    rows = [] if "work" in given.skip else table(given.torch_only, given.only)
    if not given.torch_only and "sd" not in given.skip:
        for row in stable_diffusion(given):
            rows.append(row)
            print(json.dumps(row), flush=True)
    if given.json:
        print(json.dumps(rows))


if __name__ == "__main__":
    main()
