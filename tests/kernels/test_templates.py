"""Every template of the kernel library with work fused into it, at sizes that end inside a tile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from tests.models.planning.capturing import Applied
from torch import Tensor
from torch.nn import functional

import tilesmith
from tilesmith.testing import Tolerance, compare
from tilesmith.zoo.sample import noise

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """A function that becomes one kernel, and shapes of its arguments: all but the first reuse the kernel."""

    kernel: str
    function: Callable[..., Tensor]
    shapes: tuple[tuple[Shape, ...], ...]
    weights: tuple[Tensor, ...] = ()


def _attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return functional.scaled_dot_product_attention(q, k, v, is_causal=True) * 2


def _convolution(x: Tensor, held0: Tensor) -> Tensor:
    return functional.silu(functional.conv2d(x, held0, padding=1))


def _depthwise(x: Tensor, held0: Tensor) -> Tensor:
    return functional.relu(functional.conv2d(x, held0, padding=1, groups=20))


def _embedded(x: Tensor, held0: Tensor) -> Tensor:
    return functional.embedding(held0, x.tanh()) * 2


CASES = (
    Case(
        "linear",
        lambda x, w, b, r: functional.gelu(functional.linear(x, w, b)) + r,
        (((40, 48), (70, 48), (70,), (40, 70)), ((5, 48), (70, 48), (70,), (5, 70))),
    ),
    Case("attention", _attention, (((1, 2, 40, 24),) * 3, ((2, 1, 21, 24),) * 3)),
    Case("layer_norm", lambda x, r: functional.layer_norm(x, (45,)) + r, (((33, 45), (33, 45)),)),
    Case("rms_norm", lambda x, w: functional.rms_norm(x, (45,), w) * 2, (((7, 45), (45,)),)),
    Case("softmax", lambda x: (x * 3).softmax(-1) + 1, (((3, 7, 45),),)),
    Case("sum_along_columns", lambda x: (x * x).sum(-1).sqrt(), (((37, 45),), ((2, 5, 45),))),
    Case("max_along_rows", lambda x: x.amax(0).exp(), (((37, 45),),)),
    Case("elementwise", lambda x, y, z: x * y + torch.tanh(z), (((37, 45), (45,), (37, 1)),)),
    Case("vectorwise", lambda x, y: x * y + 1, (((300,), (300,)), ((7,), (7,)))),
    Case("convolution", _convolution, (((1, 5, 9, 11),), ((2, 5, 6, 7),)), (noise(20, 5, 3, 3),)),
    Case("depthwise_window", _depthwise, (((1, 20, 9, 11),),), (noise(20, 1, 3, 3),)),
    Case("max_window", lambda x: functional.max_pool2d(x, 3, 2, 1) * 2, (((1, 20, 9, 11),),)),
    Case("sum_window", lambda x: functional.avg_pool2d(x, 2).exp(), (((1, 20, 8, 10),),)),
    Case("embedding", _embedded, (((50, 40),),), (torch.tensor([3, 0, 49, 7, 7, 1]),)),
    Case("gather", lambda x: x.exp().permute(1, 0, 2).reshape(7, 15) * 2, (((3, 7, 5),),)),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.kernel}-{len(case.shapes[0][0])}d")
def test_a_template_does_what_torch_does(case: Case) -> None:
    weights = {f"held{number}": one for number, one in enumerate(case.weights)}
    compiled = tilesmith.compile(Applied(case.function, **weights))
    for shapes in case.shapes:
        args = [noise(*shape, seed=number).bfloat16().float() for number, shape in enumerate(shapes)]
        made = compiled(*args)
        wanted = case.function(*args, **_rounded(weights))
        outcome = compare(made, wanted, Tolerance.of(tilesmith.bfloat16, roundings=6))
        assert outcome.pcc > 0.9995
        assert compiled.report.host == ()
        assert case.kernel in [line.kernel for line in compiled.report.kernels]


def _rounded(weights: dict[str, Tensor]) -> dict[str, Any]:
    return {name: one.bfloat16().float() if one.is_floating_point() else one for name, one in weights.items()}
