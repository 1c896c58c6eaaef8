"""All passes over operators in all their attributes: what is left, run with torch, computes the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from tests.models.planning.capturing import Applied
from torch import Tensor, nn
from torch.nn import functional
from torch.utils import _pytree as pytree

from tilesmith.models.capture.fx import export
from tilesmith.models.options import ModelOptions
from tilesmith.models.passes.pipeline import FOR_TILES, GENERAL, optimise
from tilesmith.zoo.sample import noise

IMAGE, SCORES = noise(2, 4, 9, 8), noise(2, 4, 6, 6)
Q, K, V = (noise(2, 4, 6, 8, seed=seed) for seed in (1, 2, 3))


def _norm(norm: Any, channels: int) -> nn.Module:
    state = {"running_mean": noise(channels), "running_var": noise(channels, seed=1).abs() + 0.5}
    if norm.affine:
        state |= {"weight": noise(channels, seed=2), "bias": noise(channels, seed=3)}
    norm.load_state_dict(state, strict=False)
    made: nn.Module = norm.eval()
    return made


class _Biased(nn.Module):
    """A convolution whose bias comes with the call, before a batch norm."""

    taps: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.norm = _norm(nn.BatchNorm2d(6), 6)
        self.register_buffer("taps", noise(6, 4, 3, 3))

    def forward(self, x: Tensor, bias: Tensor) -> Any:
        return self.norm(functional.conv2d(x, self.taps, bias))


MODELS: dict[str, tuple[nn.Module, tuple[Tensor, ...]]] = {
    "transposed, as many channels": (
        nn.Sequential(nn.ConvTranspose2d(4, 4, 3, 2), _norm(nn.BatchNorm2d(4), 4)),
        (IMAGE,),
    ),
    "transposed, more channels": (
        nn.Sequential(nn.ConvTranspose2d(4, 6, 3, bias=False), _norm(nn.BatchNorm2d(6), 6)),
        (IMAGE,),
    ),
    "transposed in groups": (
        nn.Sequential(nn.ConvTranspose2d(4, 6, 3, 2, 1, 1, 2), _norm(nn.BatchNorm2d(6), 6)),
        (IMAGE,),
    ),
    "transposed line": (
        nn.Sequential(nn.ConvTranspose1d(4, 4, 3, 2, groups=2), _norm(nn.BatchNorm1d(4), 4)),
        (noise(2, 4, 9),),
    ),
    "line": (nn.Sequential(nn.Conv1d(4, 6, 3), _norm(nn.BatchNorm1d(6, affine=False), 6)), (noise(2, 4, 9),)),
    "groups": (nn.Sequential(nn.Conv2d(4, 8, 3, groups=2), _norm(nn.BatchNorm2d(8), 8)), (IMAGE,)),
    "same padding": (
        nn.Sequential(nn.Conv2d(4, 6, 2, padding="same"), _norm(nn.BatchNorm2d(6), 6)),
        (IMAGE,),
    ),
    "a bias that is given": (_Biased(), (IMAGE, noise(6))),
    "norm of another dimension": (
        nn.Sequential(nn.Conv2d(4, 7, 3), _norm(nn.BatchNorm1d(7), 7)),
        (noise(4, 9, 8),),
    ),
}


def _attention(change: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    return lambda q, k, v: change(q @ k.transpose(-1, -2) * 0.3).softmax(-1) @ v


def _rms(x: Tensor, weight: Tensor) -> Tensor:
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * weight


def _gated(x: Tensor) -> Tensor:
    gate, value = x.chunk(2, -1)
    return gate.sigmoid() * value


def _pool(*args: Any, **kwargs: Any) -> Callable[[Tensor], Tensor]:
    return lambda x: functional.avg_pool2d(x, *args, **kwargs)


FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[Tensor, ...]]] = {
    "scores with truth values added": (_attention(lambda s: s + torch.ones(6, 6).tril().bool()), (Q, K, V)),
    "scores with whole numbers added": (_attention(lambda s: s + torch.arange(6)), (Q, K, V)),
    "scores of more batches": (_attention(lambda s: s + SCORES), (Q[:1], K[:1], V)),
    "weights made whole": (
        lambda q, k, v: ((q @ k.transpose(-1, -2)).softmax(-1) * 3).int().float() @ v,
        (Q, K, V),
    ),
    "keys and values shared differently": (
        lambda q, k, v: functional.scaled_dot_product_attention(
            q, k.repeat_interleave(2, 1), v[:, :1].expand(2, 4, 6, 8)
        ),
        (Q, K[:, :2], V),
    ),
    "nothing is seen": (
        lambda q, k, v: functional.scaled_dot_product_attention(
            q, k[:, :, :5], v[:, :, :5], torch.zeros(6, 5).bool()
        ),
        (Q, K, V),
    ),
    "norm with one weight": (_rms, (noise(3, 8), noise(1))),
    "norm of whole numbers": (lambda x, w: _rms(x.float(), w), (torch.arange(8).reshape(1, 8), noise(8))),
    "gelu of something else": (
        lambda x, y: 0.5 * x * (1 + torch.erf(y * 0.5**0.5)),
        (noise(3, 8), noise(3, 8)),
    ),
    "both zeros": (lambda x: (x / 0.0, x / -0.0), (noise(3, 8),)),
    "padded more after": (
        lambda x, w: functional.conv2d(functional.pad(x, (0, 1, 0, 3)), w, None, 2, groups=2),
        (IMAGE, noise(6, 2, 3, 3)),
    ),
    "patches in groups": (
        lambda x, w: functional.conv2d(x[..., :8], w, None, (3, 2), groups=2),
        (IMAGE, noise(6, 2, 3, 2)),
    ),
    "patches of one image": (
        lambda x, w: functional.conv2d(x[0, :, :, :8], w, None, (3, 2)),
        (IMAGE, noise(6, 4, 3, 2)),
    ),
    "halves of different products": (
        lambda x, w: _gated(functional.linear(x, w)),
        (noise(3, 8), noise(128, 8)),
    ),
    "complex of a row and a column": (
        lambda a, b: torch.view_as_real(torch.complex(a, b) * torch.complex(b, a)),
        (noise(3, 1), noise(1, 4)),
    ),
    "groups of a line": (
        lambda x: functional.group_norm(x, 2, x[0, :, 0], x[1, :, 1], 0.1),
        (noise(2, 4, 9),),
    ),
    "pool, whole windows": (_pool(3, 2, 1, ceil_mode=True), (IMAGE,)),
    "pool, without its border": (_pool(3, 2, 1, count_include_pad=False), (IMAGE,)),
    "pool, by another number": (_pool((3, 2), (2, 1), divisor_override=5), (IMAGE,)),
    "pool, all of it": (_pool(3, 2, 1, ceil_mode=True, count_include_pad=False), (IMAGE,)),
    "pool of one image": (lambda x: functional.avg_pool2d(x[0], 3, 2, 1, True, False), (IMAGE,)),
    "variances": (
        lambda x: (x.var(correction=0), x.var((0, 1), correction=2, keepdim=True), torch.std_mean(x, -1)),
        (noise(2, 3, 4),),
    ),
    "variance of one": (lambda x: x.var(-1), (noise(3, 1),)),
    "a divisor of zero": (lambda x: (x / torch.zeros(()), x / torch.zeros(1), x / -0.0), (noise(3, 4),)),
    "every target ignored": (
        lambda x: torch.nn.functional.cross_entropy(x, torch.full((6,), -100)),
        (noise(6, 5),),
    ),
    "products and running sums": (
        lambda x: (x.prod(1, keepdim=True, dtype=torch.float64), x.cumsum(-1, dtype=torch.float64)),
        (noise(2, 5),),
    ),
    "norms": (
        lambda x: (
            x.norm(),
            torch.linalg.vector_norm(x, 3, -1),
            torch.linalg.vector_norm(x, dtype=torch.float64),
        ),
        (noise(2, 5),),
    ),
    "of one number": (
        lambda x: (x.cumsum(0), x.softmax(0), x.var(correction=0), x.sort()),
        (torch.tensor(3.0),),
    ),
    "transposed with a given weight": (
        lambda x, w, b: functional.conv_transpose2d(x, w, b, (2, 3), (1, 0), (1, 2), 2, (1, 2)),
        (IMAGE, noise(4, 3, 3, 2), noise(6)),
    ),
    "transposed by a dilation beyond its stride": (
        lambda x, w: functional.conv_transpose2d(x, w, None, 2, 1, (3, 2), 1, (4, 4)),
        (IMAGE, noise(4, 3, 3, 2)),
    ),
    "video in groups": (
        lambda x, w: functional.conv3d(x, w, None, (2, 1, 1), (1, 0, 1), (1, 2, 1), 2),
        (noise(1, 4, 5, 7, 6), noise(6, 2, 2, 3, 3)),
    ),
    "video without a border": (
        lambda x, w: functional.conv3d(x, w, None, 1, "valid"),
        (noise(1, 4, 5, 7, 6), noise(6, 4, 2, 3, 3)),
    ),
    "borders": (
        lambda x: [functional.pad(x, (1, 2, 0, 3), mode) for mode in ("reflect", "replicate", "circular")],
        (IMAGE,),
    ),
    "pad by a number": (lambda x: functional.pad(x, (1, -2, 0, 3), value=2.5), (IMAGE,)),
    "parts put": (
        lambda x, y: (x.slice_scatter(y, 1, 1, 8, 3), x.select_scatter(y[:, 0], 1, -2)),
        (noise(3, 8), noise(3, 3)),
    ),
    "rolled and cut": (lambda x: (x.roll((2, -1), (0, 1)), x.roll(5), x.tril(-1), x.triu(2)), (noise(4, 6),)),
    "counts": (lambda x: torch.histc(x, 5, -1, 1), (noise(40),)),
    "resampled": (
        lambda x: [
            functional.interpolate(x, size, factor, mode, corners)
            for mode in ("bilinear", "bicubic")
            for corners in (True, False)
            for size, factor in (((5, 11), None), (None, (1.3, 0.7)))
        ],
        (IMAGE,),
    ),
    "repeated": (
        lambda x: [
            functional.interpolate(x, size, factor, "nearest")
            for size, factor in (((18, 8), None), (None, 1.5))
        ],
        (IMAGE,),
    ),
    "between pixels": (
        lambda x, at: [
            functional.grid_sample(x, at, mode, border, corners)
            for mode in ("bilinear", "nearest")
            for border in ("zeros", "border", "reflection")
            for corners in (True, False)
        ],
        (IMAGE, noise(2, 3, 5, 2) * 1.5),
    ),
    "softmaxes": (
        lambda x: (x.softmax(1, torch.float64), x.log_softmax(0), functional.softmin(x, 1)),
        (noise(3, 4, 5),),
    ),
    "elements in turn, mask of a row": (
        lambda x, y: x.masked_scatter(torch.tensor([[True], [False], [True]]), y),
        (noise(3, 4), noise(8)),
    ),
}


def _agrees(model: nn.Module, args: tuple[Tensor, ...]) -> None:
    with torch.no_grad():
        wanted = pytree.tree_leaves(model(*args))
        module = export(model, args).module
        optimise(module, ModelOptions(), (*GENERAL, *FOR_TILES))
        made = module(*args)
    for one, other in zip(made, wanted, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-4, equal_nan=True)


@pytest.mark.parametrize("name", MODELS)
def test_a_batch_norm_goes_where_the_filters_are(name: str) -> None:
    model, args = MODELS[name]
    _agrees(model.eval(), args)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_passes_keep_what_operators_compute(name: str) -> None:
    function, args = FUNCTIONS[name]
    _agrees(Applied(function), args)
