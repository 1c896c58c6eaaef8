"""Winograd's convolutions: right for many shapes, how much they round, and when they are faster.

python -m benchmarks.winograd shapes [--numbers chip]   20 shapes in both variants against torch in float64
python -m benchmarks.winograd times [--json]            3x3 layers of ResNet-50 and of Stable Diffusion's UNet
"""

from __future__ import annotations

import argparse
import json
from typing import Any

import torch
from torch import nn

import tilesmith
from benchmarks.predicted_time import predicted

FORMS = ("direct", "winograd2", "winograd4")
SHAPES = [
    (1, 32, 8, 8, 32, 1), (1, 32, 7, 7, 32, 1), (2, 35, 9, 11, 40, 1), (1, 3, 16, 16, 8, 1),
    (1, 64, 5, 6, 64, 0), (3, 8, 4, 4, 8, 1), (1, 1, 3, 3, 1, 1), (1, 1, 3, 3, 1, 0),
    (2, 16, 13, 10, 33, 2), (1, 70, 6, 14, 20, 1), (1, 33, 1, 9, 12, 1), (1, 33, 9, 1, 12, 1),
    (4, 4, 10, 10, 4, 0), (1, 128, 14, 14, 32, 1), (1, 32, 17, 19, 65, 1), (1, 96, 7, 9, 96, 1),
    (2, 64, 12, 12, 16, 2), (1, 20, 23, 5, 31, 1), (1, 256, 4, 6, 8, 1), (5, 12, 6, 6, 12, 1),
]  # fmt: skip
"""Images, channels, height, width, filters, padding."""
BOUNDS = {"bfloat16": {2: 0.012, 4: 0.05}, "float32": {2: 0.002, 4: 0.01}}
"""Relative L2 error by the dtype of what is stored, and by the size of tiles; the direct form has 0.003."""

# Height and width, channels, filters, how often.
RESNET50 = [(56, 64, 64, 3), (28, 128, 128, 3), (14, 256, 256, 5), (7, 512, 512, 2)]
UNET = [
    (64, 4, 320, 1), (64, 320, 320, 13), (64, 640, 320, 2), (64, 960, 320, 1), (64, 640, 640, 1),
    (64, 320, 4, 1), (32, 320, 640, 1), (32, 640, 640, 6), (32, 960, 640, 1), (32, 1280, 640, 1),
    (32, 1920, 640, 1), (32, 1280, 1280, 1), (16, 640, 1280, 1), (16, 1280, 1280, 7), (16, 1920, 1280, 1),
    (16, 2560, 1280, 2), (8, 1280, 1280, 12), (8, 2560, 1280, 3),
]  # fmt: skip
"""Of latents of 64x64, as an image of 512x512 has; those with a stride of 2 have no such form."""


def error(shape: tuple[int, ...], form: str, precision: str, numbers: str) -> float:
    """Relative L2 error against float64."""
    images, channels, height, width, filters, padding = shape
    torch.manual_seed(0)
    model = nn.Conv2d(channels, filters, 3, padding=padding).eval()
    x = torch.randn(images, channels, height, width)
    options = {"optimization_level": "O1", "checks": "off", "numbers": numbers, "precision": precision}
    compiled: Any = tilesmith.compile(model, convolution=form, **options)
    made = compiled(x).double()
    if compiled.report.host or (form != "direct" and len(compiled.report.kernels) != 6):
        raise SystemExit(f"{shape} in the form {form} is not six kernels:\n{compiled.report}")
    with torch.no_grad():
        wanted = model.double()(x.double())
    return float((made - wanted).norm() / wanted.norm())


def shapes(precisions: list[str], numbers: str) -> None:
    wrong = 0
    for precision in precisions:
        worst = dict.fromkeys(FORMS, 0.0)
        for shape in SHAPES:
            for form in FORMS:
                found = error(shape, form, precision, numbers)
                worst[form] = max(worst[form], found)
                bound = BOUNDS[precision][4 if form == "winograd4" else 2]
                wrong += found > bound
                print(precision, shape, form, f"{found:.5f}", "" if found <= bound else "WRONG", flush=True)
        print(precision, "worst", {form: round(value, 5) for form, value in worst.items()}, flush=True)
    print(f"{len(SHAPES)} shapes, 2 variants, {len(precisions)} precisions: {wrong} wrong")
    if wrong:
        raise SystemExit(1)


def times(target: str, only: str) -> list[dict[str, Any]]:
    rows = []
    for network, layers in (("ResNet-50", RESNET50), ("UNet", UNET)):
        for side, channels, filters, count in layers if only in ("", network) else ():
            model = nn.Conv2d(channels, filters, 3, padding=1).eval()
            x = torch.zeros(1, channels, side, side)
            row: dict[str, Any] = {"network": network, "side": side, "channels": channels, "filters": filters}
            row["count"] = count
            for form in FORMS:
                found = predicted(model, (x,), target, optimization_level="O1", convolution=form)
                row[form] = round(found["microseconds"], 1)
            rows.append(row)
            print(json.dumps(row), flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("shapes", "times"))
    parser.add_argument("--numbers", choices=("fast", "chip"), default="fast")
    parser.add_argument("--precision", nargs="*", default=["bfloat16", "float32"])
    parser.add_argument("--target", default="n150")
    parser.add_argument("--only", default="", help="the layers of one network")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.what == "shapes":
        shapes(given.precision, given.numbers)
        return
    rows = times(given.target, given.only)
    if given.json:
        print(json.dumps(rows))


if __name__ == "__main__":
    main()
