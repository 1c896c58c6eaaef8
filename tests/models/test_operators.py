"""Operators in all their forms, as models of one line: as torch computes them, and nothing on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from tests.models.planning.capturing import Applied
from torch import Tensor
from torch.nn import functional

import tilesmith
from tilesmith.zoo.planning import planned
from tilesmith.zoo.running import relative_l2
from tilesmith.zoo.sample import noise

FAST: dict[str, Any] = {"checks": "off", "numbers": "fast"}
NUMBERS = torch.tensor([[3, 1, 7, 0, 0], [2, 9, 4, 4, 8]])
TAPS = noise(6, 4, 4)

CASES: dict[str, tuple[Callable[..., Any], tuple[Tensor, ...]]] = {
    "softmax along rows": (lambda x: x.softmax(1), (noise(2, 5, 40),)),
    "softmax along a batch": (lambda x: x.softmax(0), (noise(3, 5, 8),)),
    "sum in the middle": (lambda x: x.sum(1), (noise(2, 5, 40),)),
    "sum of first and last": (lambda x: x.sum((0, 2)), (noise(2, 5, 40),)),
    "mean of an expression in the middle": (lambda x: (x * x).mean((1, 2)), (noise(2, 5, 6, 8),)),
    "vectors times one number": (
        lambda x, y: (x.sum(-1, keepdim=True) * y.tanh()).sigmoid(),
        (noise(2, 5, 40), noise(1, 1, 1)),
    ),
    "largest of all": (lambda x: x.amax(), (noise(2, 5, 40),)),
    "running sum": (lambda x: x.cumsum(1), (noise(4, 37),)),
    "variance": (lambda x: (x.var(-1), x.std(0)), (noise(6, 40),)),
    "norm over two dimensions": (lambda x: functional.layer_norm(x, (5, 8)), (noise(3, 5, 8),)),
    "instance norm": (lambda x: functional.instance_norm(x), (noise(2, 4, 9, 9),)),
    "flipped": (lambda x: x.flip(0, 2) + x, (noise(2, 5, 40),)),
    "windows": (lambda x: (x * 2).unfold(1, 4, 2).sum(-1), (noise(2, 10),)),
    "columns by number": (lambda x: x[:, [2, 0, 1]] + x[:, -3:], (noise(4, 16),)),
    "two dimensions by number": (lambda x, n: x[:, n[0], n[1]], (noise(2, 8, 10), NUMBERS)),
    "gather": (lambda x, n: x.gather(1, n), (noise(2, 16), NUMBERS)),
    "scatter": (lambda x, n: x.scatter(1, n[:, :3], 5.0), (noise(2, 16), NUMBERS)),
    "scatter and add": (lambda x, n: torch.zeros(2, 10).scatter_add(1, n, x), (noise(2, 5), NUMBERS)),
    "rows put": (lambda x, y, n: x.index_put((n[1, :2],), y), (noise(10, 40), noise(2, 40), NUMBERS)),
    "columns of images put": (
        lambda x, y, n: torch.ops.aten.index_put(x, [None, None, n[:, :1], n], y, True),
        (noise(2, 3, 10, 12), noise(2, 3, 2, 5), NUMBERS),
    ),
    "one row where a mask is true": (
        lambda x, y, n: x.index_put((n > 3,), y),
        (noise(2, 5, 40), noise(40), NUMBERS),
    ),
    "elements in turn where a mask is true": (
        lambda x, y, n: x.masked_scatter(n > 3, y),
        (noise(2, 5), noise(8), NUMBERS),
    ),
    "rows in turn where a mask is true": (
        lambda x, y, n: x.masked_scatter((n > 3)[..., None].expand(2, 5, 40), y),
        (noise(2, 5, 40), noise(6, 40), NUMBERS),
    ),
    "folded": (lambda x: functional.fold(x, (4, 4), 2, stride=2), (noise(1, 12, 4),)),
    "the only one": (lambda x: torch.topk(x, 1), (noise(4, 1),)),
    "the first three": (lambda x: torch.topk(x, 3), (noise(4, 37),)),
    "in order": (lambda x: x.sort(0, descending=True), (noise(12, 3),)),
    "largest and where": (lambda x: (x.argmax(-1), x.max(1)), (noise(4, 37),)),
    "bilinear": (lambda x: functional.interpolate(x, (9, 7), mode="bilinear"), (noise(1, 3, 5, 5),)),
    "pool of uneven windows": (lambda x: functional.adaptive_avg_pool2d(x, (2, 3)), (noise(1, 3, 5, 7),)),
    "pool without its border": (
        lambda x: functional.avg_pool2d(x, 3, 2, 1, True, False),
        (noise(2, 3, 6, 8),),
    ),
    "norm of many channels": (lambda x: functional.group_norm(x, 2), (noise(2, 800, 2, 3),)),
    "line made longer": (
        lambda x: functional.conv_transpose1d(x, TAPS, stride=2, padding=1),
        (noise(2, 6, 9),),
    ),
    "line made longer by a given weight": (
        lambda x, w: functional.conv_transpose1d(x, w, None, 3, 1, 2, 2, 2),
        (noise(2, 6, 9), TAPS),
    ),
    "groups with a given weight": (
        lambda x, w, b: functional.conv2d(x, w, b, padding=1, groups=2),
        (noise(1, 4, 6, 6), noise(6, 2, 3, 3), noise(6)),
    ),
    "video": (
        lambda x, w: functional.conv3d(x, w, stride=(1, 2, 2), padding=1, dilation=(2, 1, 1)),
        (noise(2, 3, 6, 8, 8), noise(5, 3, 3, 3, 3)),
    ),
    "video cut into blocks": (
        lambda x, w: functional.conv3d(x, w, stride=(2, 4, 4)),
        (noise(1, 3, 4, 8, 8), noise(5, 3, 2, 4, 4)),
    ),
    "between pixels": (
        lambda x, at: functional.grid_sample(x, at.tanh() * 1.1, padding_mode="border", align_corners=True),
        (noise(2, 4, 8, 9), noise(2, 3, 5, 2)),
    ),
    "between pixels of a large image": (
        lambda x, at: functional.grid_sample(x, at / 2, align_corners=False),
        (noise(1, 4, 256, 257), (noise(1, 20, 13, 2) * 16).round() / 16),
    ),
    "six dimensions": (
        lambda x, y: x + y.sigmoid(),
        (noise(1, 5, 1, 4, 1, 2), noise(1, 5, 2, 4, 3, 2)),
    ),
    "cut and padded": (lambda x: functional.pad(x * 2, (0, 0, 1, -1)), (noise(2, 5, 40),)),
    "frequencies": (lambda x: torch.fft.fft2(x).real, (noise(2, 9, 16),)),
    "strengths of frequencies": (lambda x: torch.fft.rfft(x, norm="ortho").abs(), (noise(4, 15),)),
    "correlation by frequencies": (
        lambda x, y: torch.fft.irfft(torch.fft.rfft(x, dim=1) * torch.fft.rfft(y, dim=1).conj(), 14, dim=1),
        (noise(2, 14, 8), noise(2, 14, 8, seed=2)),
    ),
    "comparisons": (
        lambda x, y: torch.where((x > y) & (x != 0), x, -y).clamp(min=y),
        (noise(4, 37), noise(37, seed=2)),
    ),
    "rows of a turned table": (lambda x: (x * 2).T[[2, 0]], (noise(4, 37),)),
    "part replaced": (lambda x: x.slice_scatter(x[:, :2] * 3, 1, 4, 6).roll(3, 1), (noise(4, 37),)),
}


RUN = (
    *("softmax along rows", "mean of an expression in the middle", "flipped", "two dimensions by number"),
    *(
        "between pixels",
        "six dimensions",
        "scatter",
        "the first three",
        "largest and where",
        "rows of a turned table",
    ),
)
"""Those that run on the emulator: each has something of its own there."""


@pytest.mark.parametrize("name", CASES)
def test_what_an_operator_is_taken_apart_to_computes_the_same(name: str) -> None:
    """The graph that kernels are planned from, run with torch; every node of it has a kernel."""
    function, args = CASES[name]
    made = tilesmith.compile(Applied(function), backend="cpu")(*args)
    assert planned(Applied(function), args).host_compute == ()
    for one, other in zip(_flat(made), _flat(function(*args)), strict=True):
        assert one.dtype == other.dtype
        assert torch.allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("name", RUN)
def test_an_operator_is_as_torch_computes_it(name: str) -> None:
    function, args = CASES[name]
    rounded = [one.bfloat16().float() if one.is_floating_point() else one for one in args]
    made = tilesmith.compile(Applied(function), precision="float32", **FAST)(*rounded)
    for one, other in zip(_flat(made), _flat(function(*rounded)), strict=True):
        assert one.dtype == other.dtype
        assert relative_l2(one.float(), other.float()) < 2e-3


def _flat(value: Any) -> list[Tensor]:
    return [value] if isinstance(value, Tensor) else [leaf for one in value for leaf in _flat(one)]


def test_other_functions_of_complex_numbers_stay_on_the_host() -> None:
    x = noise(4, 16)
    compiled = tilesmith.compile(Applied(lambda x: torch.view_as_complex(x.reshape(4, 8, 2)).angle()), **FAST)
    assert torch.allclose(compiled(x), torch.view_as_complex(x.reshape(4, 8, 2)).angle(), atol=1e-5)
    assert "complex numbers" in {line.reason for line in compiled.report.host}


def test_what_a_model_returns_comes_back_whatever_it_is() -> None:
    """Constants, numbers, nothing, and inputs as they are."""
    held = torch.arange(4.0)

    def returned(x: Tensor, held: Tensor) -> dict[str, Any]:
        return {"made": x * 2, "held": held, "folded": held + 1, "number": 3, "nothing": None, "given": x}

    made = tilesmith.compile(Applied(returned, held=held), **FAST)(torch.ones(2, 2))
    assert made["made"].tolist() == [[2, 2], [2, 2]]
    assert made["held"].tolist() == [0, 1, 2, 3]
    assert made["folded"].tolist() == [1, 2, 3, 4]
    assert (made["number"], made["nothing"]) == (3, None)
    assert made["given"].tolist() == [[1, 1], [1, 1]]
