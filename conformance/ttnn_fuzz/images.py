"""Convolutions and pools, over images that are drawn here: (1, 1, batch x height x width, channels)."""

from __future__ import annotations

from typing import Any

from torch.nn import functional

from conformance.ttnn_fuzz.draw import Draw, plain
from conformance.ttnn_fuzz.elementwise import described
from conformance.ttnn_fuzz.step import Step
from tilesmith import ttnn


def convolution(draw: Draw, _: ttnn.Tensor) -> Step:
    batch, height, width, image = _image(draw)
    groups = draw.rng.choice((1, 1, 2))
    ins, outs = image.shape[-1], draw.rng.choice((8, 32, 40)) * groups
    kernel = (draw.rng.randint(1, 3), draw.rng.randint(1, 3))
    stride, padding, dilation = draw.rng.choice((1, 2)), draw.rng.choice((0, 1)), draw.rng.choice((1, 1, 2))
    weight = draw.tensor(
        (outs, ins // groups, *kernel), "float32", layout=ttnn.ROW_MAJOR_LAYOUT, interleaved=True
    )
    bias = draw.tensor((1, 1, 1, outs), "float32", layout=ttnn.ROW_MAJOR_LAYOUT, interleaved=True)
    options: dict[str, Any] = {
        "kernel_size": kernel,
        "stride": (stride, stride),
        "padding": (padding, padding),
        "dilation": (dilation, dilation),
        "groups": groups,
    }
    sizes = f"{outs} channels, {batch}x{height}x{width}"
    text = f"ttnn.conv2d({described(image)}, {described(weight)}, {sizes}, {options})"

    def wanted() -> Any:
        pixels = plain(image).reshape(batch, height, width, ins).permute(0, 3, 1, 2)
        weights, biases = (
            plain(ttnn.typecast(weight, ttnn.bfloat16)),
            plain(ttnn.typecast(bias, ttnn.bfloat16)),
        )
        found = functional.conv2d(pixels, weights, biases.flatten(), stride, padding, dilation, groups)
        return found.permute(0, 2, 3, 1).reshape(1, 1, -1, outs)

    def call() -> Any:
        return ttnn.conv2d(
            input_tensor=image,
            weight_tensor=ttnn.from_device(weight),
            bias_tensor=ttnn.from_device(bias),
            device=draw.device,
            in_channels=ins,
            out_channels=outs,
            batch_size=batch,
            input_height=height,
            input_width=width,
            **options,
        )

    return Step("linear", text, call, wanted, ("bfloat16",))


def pool(draw: Draw, _: ttnn.Tensor) -> Step:
    batch, height, width, image = _image(draw)
    kernel = (draw.rng.randint(1, 3), draw.rng.randint(1, 3))
    stride = draw.rng.choice((1, 2))
    padding = draw.rng.choice((0, 1)) if min(kernel) > 1 else 0
    name = draw.rng.choice(("max_pool2d", "avg_pool2d"))
    options: dict[str, Any] = {"kernel_size": list(kernel), "stride": [stride] * 2, "padding": [padding] * 2}
    if name == "max_pool2d":
        options["dilation"] = [1, 1]
    sizes = {"batch_size": batch, "input_h": height, "input_w": width, "channels": image.shape[-1]}

    def wanted() -> Any:
        pixels = plain(image).reshape(batch, height, width, -1).permute(0, 3, 1, 2)
        found = getattr(functional, name)(pixels, kernel, stride, padding)
        return found.permute(0, 2, 3, 1).reshape(1, 1, -1, image.shape[-1])

    return Step(
        name,
        f"ttnn.{name}({described(image)}, {sizes}, {options})",
        lambda: getattr(ttnn, name)(input_tensor=image, **sizes, **options),
        wanted,
        ("bfloat16",),
        exact=name == "max_pool2d",
    )


def _image(draw: Draw) -> tuple[int, int, int, ttnn.Tensor]:
    batch, height, width = draw.rng.randint(1, 2), draw.rng.randint(5, 12), draw.rng.randint(5, 12)
    channels = draw.rng.choice((16, 32, 64))
    shape = (1, 1, batch * height * width, channels)
    image = draw.tensor(shape, "bfloat16", layout=draw.layout("bfloat16"), interleaved=True)
    return batch, height, width, image
